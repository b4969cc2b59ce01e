"""What a build or a run cost in replies and seconds, and the recipe that it comes from."""

from collections.abc import Mapping
from typing import Any

import puzzlemill
from puzzlemill.core.storage.files import read_json
from puzzlemill.outputs.charts import Part, bar
from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.manifest import rounds_in
from puzzlemill.outputs.sections import Section, TrainingRun
from puzzlemill.outputs.templates import toml

_LAST = ("arrange", "write", "truth")  # what follows the steps that each row goes through


def of_build(build: FinishedBuild) -> dict[str, Any]:
    manifest = build.manifest
    training = build.record("training.json")
    facts = [  # name, value, and whether the value is a name
        ("policy", manifest["policy"], True),
        ("trained to", training and training["policy_after"], True),
        ("scored again from", manifest["recipe"].get("parent"), True),
        ("Puzzlemill", f"{manifest['puzzlemill']}, row schema {manifest['schema']}", False),
        ("steps", steps_of(manifest), False),
        ("started", manifest["started"], False),
    ]
    return {
        **cost(build),
        "facts": [fact for fact in facts if fact[1]],
        "recipe": toml(manifest["recipe"]),
    }


def of_run(run: TrainingRun) -> dict[str, Any]:
    seconds = f"{run.record['seconds']:.1f} seconds of training"
    return {
        "lede": f"{seconds}, Puzzlemill {puzzlemill.__version__}.",
        "each": [],
        "rows": [],
        "facts": [],
        "recipe": toml(read_json(run.folder / "recipe.json")),
    }


def cost(build: FinishedBuild) -> dict[str, Any]:
    """Replies spent, and the seconds of each step that the last run worked on."""
    timings = build.record("timings.json") if build.timed else None
    if not timings:
        return {"lede": "", "each": [], "rows": []}
    seconds = _seconds(build.manifest, timings)
    total = sum(each["seconds"] for each in timings.values())
    asking = sum(each["seconds"] for each in timings.values() if each.get("asks"))
    partly = any(each["found"] for each in timings.values())
    replies, kept = build.manifest["replies"], build.manifest["counts"].get("kept", 0)
    each = []
    if kept and replies:
        each.append((f"{replies / kept:.1f}", "replies for each kept item"))
    if kept and not partly:
        each.append((f"{total / kept:.2f} s", "of work for each kept item"))
        each += [(f"{asking / kept:.2f} s", "of them the policy's")] if asking else []
    rest = ", in the last run alone; the rest was there already" if partly else ""
    longest = max(seconds.values(), default=0.0)
    return {
        "lede": f"{replies:,} replies. {total:.1f} seconds of work, {asking:.1f} of them the"
        f" policy's{rest}.",
        "each": each,
        "rows": [
            {
                "step": name,
                "seconds": spent,
                "chart": bar([Part(name, spent, "kept")], longest, 10, " s"),
            }
            for name, spent in sorted(seconds.items(), key=lambda step: -step[1])
        ],
    }


def _seconds(manifest: Mapping[str, Any], timings: Mapping[str, Any]) -> dict[str, float]:
    """The seconds of each step; the rounds of asking as one."""
    seconds: dict[str, float] = {}
    rounds = rounds_in(manifest)
    for step in [*manifest["steps"], *_LAST]:
        if step in timings:
            name = "ask" if step in rounds else step
            seconds[name] = round(seconds.get(name, 0.0) + timings[step]["seconds"], 3)
    return seconds


def steps_of(manifest: Mapping[str, Any]) -> str:
    """The steps with their versions; the rounds of asking, which are alike, as one."""
    steps, rounds = manifest["steps"], rounds_in(manifest)
    listed = [f"{step} v{each['version']}" for step, each in steps.items() if step not in rounds]
    if rounds:
        many = f"{len(rounds)} rounds" if len(rounds) > 1 else "1 round"
        listed.append(f"ask v{steps[rounds[0]]['version']}, {many}")
    return ", ".join(sorted(listed))


TEMPLATE = """\
  {% if lede %}
  <p class="lede">{{ lede }}</p>
  {% endif %}
  {% if each %}
  <div class="legend">
    {% for figure, meaning in each %}
    <div><div class="big">{{ figure }}</div><h3>{{ meaning }}</h3></div>
    {% endfor %}
  </div>
  {% endif %}
  {% if rows %}
  <div class="rows">
    {% for row in rows %}
    <div class="row ended"><div class="name">{{ row.step }}</div>{{ row.chart | safe }}\
<div class="end">{{ "%.1f" | format(row.seconds) }} s</div></div>
    {% endfor %}
  </div>
  {% endif %}
  {% if facts %}
  <dl class="facts">
    {% for name, value, is_name in facts %}
    <dt>{{ name }}</dt><dd{% if is_name %} class="mono"{% endif %}>{{ value }}</dd>
    {% endfor %}
  </dl>
  {% endif %}
  <details><summary>The whole recipe</summary><pre>{{ recipe }}</pre></details>
"""

SECTION = Section(
    170,
    "What it took, and where it comes from",
    TEMPLATE,
    "Cost and origin",
    of_build=of_build,
    of_run=of_run,
)
