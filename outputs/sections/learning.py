"""The curves of a training run: one for each quantity that it logged, and the held-out items'."""

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from statistics import fmean
from typing import Any

from puzzlemill.outputs.charts import percent, trace
from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.records import lines_at
from puzzlemill.outputs.sections import Section, TrainingRun

CURVES = {
    "reward": ("mean score", "of all replies in a step"),
    "mixed": ("share of mixed groups", "with both right and wrong replies: those that teach"),
    "entropy": ("entropy", "of the policy, nats a token"),
    "divergence": ("divergence", "from the policy at the beginning, nats a token"),
    "length": ("length", "of a reply, in tokens"),
    "loss": ("loss", "of the policy gradient"),
}


def of_build(build: FinishedBuild) -> dict[str, Any] | None:
    return learning(build.folder / "training")


def of_run(run: TrainingRun) -> dict[str, Any] | None:
    return learning(run.folder / "training")


def learning(logs: Path) -> dict[str, Any] | None:
    steps = lines_at(logs / "metrics.jsonl")
    curves = _heldout(lines_at(logs / "heldout.jsonl"))
    for key, (name, meaning) in CURVES.items():
        values = [step[key] for step in steps if isfinite(step.get(key, nan))]
        if len(values) < 2 or not any(values):  # a divergence that is not measured is 0
            continue
        share = key in ("reward", "mixed")
        low, high = (0.0, 1.0) if share else (min(values), max(values))
        write = percent if share else _three_digits
        ends = values[: max(1, len(values) // 10)], values[-max(1, len(values) // 10) :]
        curves.append(
            {
                "name": name,
                "meaning": f"{meaning}, over {len(values):,} steps",
                "from": write(fmean(ends[0])),
                "to": write(fmean(ends[1])),
                "chart": trace(
                    values, ((write(low), low), (write(high), high)), 150 if share else 110, name
                ),
            }
        )
    return {"curves": curves} if curves else None


def _heldout(points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The curve of held-out items, where they were measured during the run."""
    values = [
        sum(right for *_, right, _ in each["cells"])
        / max(sum(trials for *_, trials in each["cells"]), 1)
        for each in points
    ]
    if len(values) < 2:
        return []
    last = f"measured {len(values)} times, the last time after step {points[-1]['done']:,}"
    return [
        {
            "name": "held-out items",
            "meaning": f"replies that were right; {last}",
            "from": percent(values[0]),
            "to": percent(values[-1]),
            "chart": trace(values, ((percent(0), 0), (percent(1), 1)), 150, "held-out items"),
        }
    ]


def _three_digits(value: float) -> str:
    return f"{value:.3g}"


TEMPLATE = """\
  <div class="curves">
    {% for curve in curves %}
    <div><header><b>{{ curve.name }}</b><span class="soft">{{ curve.from }} → {{ curve.to }}\
</span></header>{{ curve.chart | safe }}<p>{{ curve.meaning }}</p></div>
    {% endfor %}
  </div>
"""

SECTION = Section(
    110, "Learning curves", TEMPLATE, "Learning curve", of_build=of_build, of_run=of_run
)
