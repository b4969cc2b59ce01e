"""What training did to held-out items, by family and level."""

from collections.abc import Mapping, Sequence
from typing import Any

from puzzlemill.outputs.charts import changes
from puzzlemill.outputs.finished_build import FinishedBuild, Rate, interval
from puzzlemill.outputs.groups import by_level, group_by, level_columns
from puzzlemill.outputs.sections import Section, TrainingRun


def of_build(build: FinishedBuild) -> dict[str, Any] | None:
    return training(build.record("training.json"))


def of_run(run: TrainingRun) -> dict[str, Any] | None:
    return training(run.record)


def training(record: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Families and levels that it was trained on apart from others."""
    if not record or not record["cells"]:
        return None
    columns, near = level_columns(cell["level"] for cell in record["cells"])
    parts = []
    for seen, shares in ((True, record), (False, record.get("unseen") or {})):
        cells = [cell for cell in record["cells"] if cell.get("seen", True) is seen]
        if whole := _change(cells):
            pass_at = shares.get("pass_at", ())
            parts.append(
                {
                    "seen": seen,
                    "whole": whole,
                    "rows": _family_rows(cells, columns),
                    "shares": pass_at,
                    "best_of": _best_of(pass_at),
                    "expansion": shares.get("expansion"),
                    "preservation": shares.get("preservation"),
                    "shrinkage": shares.get("shrinkage"),
                    "consolidation": shares.get("consolidation"),
                }
            )
    if not parts:
        return None
    return {"within": None, **record, "parts": parts, "levels": columns, "near": near}


def _family_rows(
    cells: Sequence[Mapping[str, Any]], columns: Sequence[float]
) -> list[dict[str, Any]]:
    rows = []
    for name, group in group_by(cells, "family").items():
        whole = _change(group)
        if whole is None:
            continue
        names = [f"{name} at level {column:g}" for column in columns]
        rows.append(
            {
                "family": name,
                "before": whole[0].mean,
                "after": whole[1].mean,
                "chart": changes([_change(cell) for cell in by_level(group, columns)], names),
            }
        )
    return sorted(rows, key=lambda row: (row["before"] - row["after"], row["family"]))


def _best_of(shares: Sequence[Mapping[str, Any]]) -> str:
    """The share of held-out items that the best of k replies solves, before and after."""
    pairs = [
        (Rate(each["before"], *[each["before"]] * 2), Rate(each["after"], *[each["after"]] * 2))
        for each in shares
    ]
    return changes(pairs, [f"best of {each['k']}" for each in shares])


def _change(cells: Sequence[Mapping[str, Any]]) -> tuple[Rate, Rate] | None:
    """Pass rates before and after, of cells together."""
    before, after = (
        (
            sum(cell[when]["successes"] for cell in cells),
            sum(cell[when]["trials"] for cell in cells),
        )
        for when in ("before", "after")
    )
    if not before[1] or not after[1]:
        return None
    first, second = (
        interval(right / trials, trials, 0, trials) for right, trials in (before, after)
    )
    return first, second


TEMPLATE = """\
  <p class="lede">{{ steps | number }} {{ "step" if steps == 1 else "steps" }} on \
{{ replies | number }} replies in {{ "%.0f" | format(seconds) }} seconds, measured on held-out \
items. Hollow: before. Full: after, in percent.</p>
  {% if within %}<p class="soft">Right after so many tries of one conversation: \
{% for each in within %}{{ each.tries }}: {{ each.before | percent }} → \
{{ each.after | percent }}{{ ", " if not loop.last }}{% endfor %}.</p>{% endif %}
  {% for part in parts %}
  <h3 class="under">{{ "Families and levels that it was trained on" if part.seen else \
"Families and levels that it was never trained on" }}</h3>
  <p class="soft">{{ part.whole[0].mean | percent }} of replies were right before, \
{{ part.whole[1].mean | percent }} after.{% if part.expansion is not none %} Of the items never \
solved before, {{ part.expansion | percent }} are now.{% endif %}{% if part.preservation is not \
none %} Of those that were solved, {{ part.preservation | percent }} still are, {{ part.shrinkage \
| percent }} are never solved now, and {{ part.consolidation | percent }} more often.{% endif %}</p>
  {% if part.shares %}
  <div class="rows changes close">
    <div class="row top"><div class="name soft"><small>replies</small></div><div class="heads">\
{% for each in part.shares %}<span>{{ each.k }}</span>{% endfor %}</div></div>
    <div class="row"><div class="name">the best of them <small>pass@k</small></div>\
{{ part.best_of | safe }}</div>
  </div>
  {% endif %}
  <div class="rows changes close">
    {{ heads(levels, near) }}
    {% for row in part.rows %}
    <div class="row"><div class="name">{{ row.family }} <small>{{ row.before | percent }} \
→ {{ row.after | percent }}</small></div>{{ row.chart | safe }}</div>
    {% endfor %}
  </div>
  {% endfor %}
"""

SECTION = Section(
    100, "What training changed", TEMPLATE, "Training", of_build=of_build, of_run=of_run
)
