"""What the gate set aside without a reply, and how many of those teach after all."""

from collections.abc import Iterator
from typing import Any

from puzzlemill.core.rows import FORETOLD
from puzzlemill.difficulty.gate import gate_error, is_sampled, meta_reward
from puzzlemill.outputs.finished_build import FinishedBuild, read_rows
from puzzlemill.outputs.sections import Section

_COLUMNS = ["uid", "trials", "mean", "within", "predicted", "predicted_within"]


def gate(build: FinishedBuild) -> dict[str, Any] | None:
    settings = build.manifest["recipe"].get("score", {})
    if not settings.get("gate"):
        return None
    sample = [row for row in _asked(build) if is_sampled(row["uid"], settings["gate_sample"])]
    pairs = [(row["predicted_within"], row["within"]) for row in sample]
    rewards = [meta_reward(row["predicted"], row["mean"]) for row in sample]
    aside = build.manifest["unscored"].get(FORETOLD, 0)
    return {
        "gate": settings["gate"],
        "aside": aside,
        "saved": aside * settings["first"],
        "sampled": len(sample),
        "error": gate_error(pairs, settings["gate"]),
        "reward": sum(rewards) / len(rewards) if rewards else None,
    }


def _asked(build: FinishedBuild) -> Iterator[dict[str, Any]]:
    """The rows of which the policy gave a reply, and a prediction was made without it."""
    for file in build.files:
        for row in read_rows(file, _COLUMNS).to_pylist():
            if row["trials"] and row["predicted_within"] is not None:
                yield row


TEMPLATE = """\
  <p class="lede">{{ aside | number }} items were set aside without a reply, since their predicted \
chance of teaching was below {{ gate | percent }}. That saved {{ saved | number }} first replies, \
and those that rounds after them would have taken.</p>
  <p class="lede">{{ sampled | number }} items, chosen at random, were asked whatever was \
predicted. \
{% if error.teaching %}{{ error.teaching | number }} of them teach. The gate would have set aside \
{{ error.set_aside | number }} of the sample, and {{ error.share | percent }} of those that teach \
(90% interval: {{ error.low | percent }} to {{ error.high | percent }}).{% else %}None of them \
teaches, so the gate's error is not known: raise gate_sample to measure it.{% endif %} \
{% if reward is not none %}MASA's reward of the predicted pass rates is \
{{ "%.2f" | format(reward) }} (1: all as measured).{% endif %}</p>
"""

SECTION = Section(35, "What the gate set aside", TEMPLATE, "Gate", of_build=gate)
