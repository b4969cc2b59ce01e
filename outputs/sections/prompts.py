"""What a training run was asked, and when: which families, how often, at which levels."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from puzzlemill.outputs.charts import shares_over
from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.records import lines_at
from puzzlemill.outputs.sections import Section, TrainingRun

SLICES = 40  # of a run, at most

Prompts: TypeAlias = Counter[tuple[str, float]]  # of each family and level


def of_build(build: FinishedBuild) -> dict[str, Any] | None:
    return _figures(build.folder, build.record("training.json") or {})


def of_run(run: TrainingRun) -> dict[str, Any] | None:
    return _figures(run.folder, run.record)


def _figures(folder: Path, record: Mapping[str, Any]) -> dict[str, Any] | None:
    rows = family_shares(lines_at(folder / "training" / "metrics.jsonl"))
    return {"curriculum": record.get("curriculum", ""), "rows": rows} if rows else None


def family_shares(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each family's share of the prompts in every slice of the run, the most frequent first."""
    prompts = [_prompts(step) for step in steps]
    count = min(len(prompts), SLICES)
    cuts = [len(prompts) * n // count for n in range(count + 1)] if count else []
    slices = [sum(prompts[a:b], Counter()) for a, b in pairwise(cuts)]
    whole = sum(slices, Counter())
    third = max(count // 3, 1)
    first, last = sum(slices[:third], Counter()), sum(slices[-third:], Counter())
    families = {family for family, _ in whole}
    shares = {family: [_share(each, family) for each in slices] for family in families}
    most = max((share for each in shares.values() for share in each), default=0.0)
    rows = [
        {
            "family": family,
            "share": _share(whole, family),
            "levels": [level for part in (first, last) for level in _mean_level(part, family)],
            "chart": shares_over(shares[family], most, family),
        }
        for family in families
    ]
    return sorted(rows, key=lambda row: (-row["share"], row["family"]))


def _prompts(step: Mapping[str, Any]) -> Prompts:
    counts: Prompts = Counter()
    for cell, (prompts, _) in step.get("asked", {}).items():
        family, _, level = cell.rpartition(" ")
        counts[family, float(level)] = prompts
    return counts


def _share(prompts: Prompts, family: str) -> float:
    own = sum(each for (name, _), each in prompts.items() if name == family)
    return own / max(prompts.total(), 1)


def _mean_level(prompts: Prompts, family: str) -> Iterable[float]:
    """The mean level at which a family was asked, if it was."""
    own = {level: each for (name, level), each in prompts.items() if name == family}
    if own:
        yield sum(level * each for level, each in own.items()) / sum(own.values())


TEMPLATE = """\
  <p class="lede">Each family's share of the prompts from the first step to the last, and its \
mean level in the first and the last third.{% if curriculum %} The curriculum was \
<span class="mono">{{ curriculum }}</span>.{% endif %}</p>
  <div class="rows">
    {% for row in rows %}
    {{ fold(loop) }}
    <div class="row ended"><div class="name">{{ row.family }} <small>\
{{ row.share | percent }} of the prompts</small></div>{{ row.chart | safe }}<div class="end">\
{% if row.levels %}level {% endif %}{% for level in row.levels %}{{ "%.2f" | format(level) }}\
{{ " → " if not loop.last }}{% endfor %}</div></div>
    {% endfor %}
    {{ unfold(rows) }}
  </div>
"""

SECTION = Section(
    120, "Which prompts it trained on", TEMPLATE, "What was asked", of_build=of_build, of_run=of_run
)
