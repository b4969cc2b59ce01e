"""The pass rate by family and level, in categories, the easiest first."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import Any

from puzzlemill.outputs.charts import rate_cells, rate_scale
from puzzlemill.outputs.fates import why_unscored
from puzzlemill.outputs.finished_build import FinishedBuild, Row, rate_of
from puzzlemill.outputs.groups import by_level, group_by, guess_rate, level_columns, nearest
from puzzlemill.outputs.sections import Section
from puzzlemill.outputs.templates import SHOWN


def cells(build: FinishedBuild) -> dict[str, Any] | None:
    if not build.scored:
        return None
    columns, near = level_columns(row["level"] for row in build.scored)
    reasons: dict[tuple[str, float], set[str]] = defaultdict(set)  # why an item was not scored
    for row in build.of("unscored"):
        reasons[row["family"], nearest(row["level"], columns)].add(row["kind"])

    def charted(name: str, group: Sequence[Row]) -> dict[str, Any]:
        rates = [rate_of(cell) if cell else None for cell in by_level(group, columns)]
        names = [
            f"{name} at level {column:g}{_why_blank(reasons[name, column])}" for column in columns
        ]
        return {"name": name, "mean": rate_of(group).mean, "chart": rate_cells(rates, names)}

    groups = []
    for category, members in group_by(build.scored, "category").items():
        rows = [
            charted(name, group) | {"guess": guess_rate(name)}
            for name, group in group_by(members, "family").items()
        ]
        groups.append(charted(category, members) | {"families": sorted(rows, key=_easiest)})
    families = sum(len(each["families"]) for each in groups)
    return {
        "levels": columns,
        "near": near,
        "groups": sorted(groups, key=_easiest),
        "open": families <= SHOWN,
        "scale": rate_scale(),
        "unscored": why_unscored(build),
    }


def _easiest(row: Mapping[str, Any]) -> tuple[float, str]:
    return -row["mean"], row["name"]


def _why_blank(reasons: Set[str]) -> str:
    listed = ", ".join(sorted(filter(None, reasons)))
    return f" ({listed})" if listed else ""


TEMPLATE = """\
  <p class="lede">Pass rate by family and level, in categories. Green cells teach: replies are \
sometimes right and sometimes wrong. Orange ones are never solved, blue ones always. 0/8: none of \
8 replies was right. The line below each number is its 90% interval.{% if unscored %} Where no \
item could be asked, a cell is blank or a family is missing: {{ unscored }}.{% endif %}</p>
  <div class="rows">
    {{ heads(levels, near) }}
    {% for group in groups %}
    {% if group.families | length > 1 %}
    {{ group_head(group, open) }}
    {% endif %}
    {% for row in group.families %}
    <div class="row"><div class="name">{{ row.name }} <small>\
{% if group.families | length == 1 %}{{ group.name }}{% if row.guess >= 0.1 %}, {% endif %}\
{% endif %}{% if row.guess >= 0.1 %}guess up to {{ row.guess | percent }}{% endif %}</small></div>\
{{ row.chart | safe }}</div>
    {% endfor %}
    {% if group.families | length > 1 %}</details>{% endif %}
    {% endfor %}
  </div>
  <div class="scale">{{ scale | safe }}<div><span>never solved</span><span>sometimes</span>\
<span>always solved</span></div></div>
"""

SECTION = Section(10, "Where this policy can learn", TEMPLATE, "Pass rates", of_build=cells)
