"""The pass rate by family and level, the easiest family first."""

from collections import defaultdict
from collections.abc import Set
from typing import Any

from puzzlemill.outputs.charts import rate_cells, rate_scale
from puzzlemill.outputs.fates import why_unscored
from puzzlemill.outputs.finished_build import FinishedBuild, rate_of
from puzzlemill.outputs.groups import by_level, group_by, guess_rate, level_columns, nearest
from puzzlemill.outputs.sections import Section
from puzzlemill.outputs.texts import words


def cells(build: FinishedBuild) -> dict[str, Any] | None:
    if not build.scored:
        return None
    columns, near = level_columns(row["level"] for row in build.scored)
    reasons: dict[tuple[str, float], set[str]] = defaultdict(set)  # why an item was not scored
    for row in build.of("unscored"):
        reasons[row["family"], nearest(row["level"], columns)].add(row["kind"])
    rows = []
    for name, group in group_by(build.scored, "family").items():
        rates = [rate_of(cell) if cell else None for cell in by_level(group, columns)]
        names = [
            f"{words(name)} at level {column:g}{_why_blank(reasons[name, column])}"
            for column in columns
        ]
        rows.append(
            {
                "family": name,
                "category": group[0]["category"],
                "guess": guess_rate(name),
                "mean": rate_of(group).mean,
                "chart": rate_cells(rates, names),
            }
        )
    rows.sort(key=lambda row: (-row["mean"], row["family"]))
    return {
        "levels": columns,
        "near": near,
        "rows": rows,
        "scale": rate_scale(),
        "unscored": why_unscored(build),
    }


def _why_blank(reasons: Set[str]) -> str:
    listed = ", ".join(sorted(filter(None, reasons)))
    return f" ({listed})" if listed else ""


TEMPLATE = """\
  <p class="lede">Pass rate by family and level. Cells glow where replies are sometimes right and \
sometimes wrong; grey ones are never solved, faint ones always. The line below each number is its \
90% interval.{% if unscored %} Where no item could be asked, a cell is blank or a family is \
missing: {{ unscored }}.{% endif %}</p>
  <div class="rows">
    {{ heads(levels, near) }}
    {% for row in rows %}
    {{ fold(loop) }}
    <div class="row"><div class="name">{{ row.family | words }} <small>{{ row.category }}\
{% if row.guess >= 0.1 %}, guess up to {{ row.guess | percent }}{% endif %}</small></div>\
{{ row.chart | safe }}</div>
    {% endfor %}
    {{ unfold(rows) }}
  </div>
  <div class="scale">{{ scale | safe }}<div><span>never solved</span><span>sometimes</span>\
<span>always solved</span></div></div>
"""

SECTION = Section(10, "Where this policy can learn", TEMPLATE, "Pass rates", of_build=cells)
