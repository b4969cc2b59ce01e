"""How pass rates have moved since the items were scored before."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from puzzlemill.outputs.charts import changes
from puzzlemill.outputs.finished_build import FinishedBuild, Rate, Row, rate_of
from puzzlemill.outputs.groups import by_level, group_by, level_columns
from puzzlemill.outputs.row_rules import history_of
from puzzlemill.outputs.sections import Section
from puzzlemill.outputs.sections.prompt_styles import other_form

FAR = 0.2  # a change of a pass rate that makes an item another one to learn from


def drift(build: FinishedBuild) -> dict[str, Any] | None:
    again = [
        dict(row) | {"before": dict(row) | {"mean": history_of(row["history"])[-1]["mean"]}}
        for row in build.scored
        if row["history"] and not other_form(row, history_of(row["history"])[-1])
    ]
    if not again:
        return None
    columns, near = level_columns(row["level"] for row in again)
    rows = []
    for name, group in group_by(again, "family").items():
        pairs = [_before_and_now(cell) if cell else None for cell in by_level(group, columns)]
        before, now = _before_and_now(group)
        names = [f"{name} at level {column:g}" for column in columns]
        chart = changes(pairs, names)
        rows.append({"family": name, "before": before.mean, "after": now.mean, "chart": chart})
    rows.sort(key=lambda row: (-abs(row["after"] - row["before"]), row["family"]))
    far = [abs(row["mean"] - row["before"]["mean"]) > FAR for row in again]
    return {"rows": rows, "levels": columns, "near": near, "count": len(far), "far": fmean(far)}


def _before_and_now(rows: Sequence[Row]) -> tuple[Rate, Rate]:
    return rate_of([row["before"] for row in rows]), rate_of(rows)


TEMPLATE = """\
  <p class="lede">{{ count | number }} items were scored again. {{ far | percent }} of them have \
moved by more than a fifth: so much of what was known of them was stale. Hollow: before. Full: \
now, in percent.</p>
  <div class="rows changes">
    {{ heads(levels, near) }}
    {% for row in rows %}
    <div class="row"><div class="name">{{ row.family }} <small>{{ row.before | percent }} \
→ {{ row.after | percent }}</small></div>{{ row.chart | safe }}</div>
    {% endfor %}
  </div>
"""

SECTION = Section(80, "What changed since the last score", TEMPLATE, "Drift", of_build=drift)
