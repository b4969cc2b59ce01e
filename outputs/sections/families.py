"""What became of each family's items, and of those of each level."""

from typing import Any

from puzzlemill.outputs.fates import group_bars, legend
from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.groups import by_level, group_by, level_columns
from puzzlemill.outputs.sections import Section


def families(build: FinishedBuild) -> dict[str, Any]:
    rows = group_bars(build, group_by(build.rows, "family"))
    columns, near = level_columns(row["level"] for row in build.rows)
    groups = dict(zip(columns, by_level(build.rows, columns), strict=True))
    return {
        "legend": legend(build),
        "rows": sorted(rows, key=lambda row: (-row["kept"], -row["made"], row["name"])),
        "near": near,
        "levels": group_bars(build, {level: group for level, group in groups.items() if group}),
    }


TEMPLATE = """\
  <p class="lede">Nothing is lost silently: every item that was turned away is in the dataset, \
with the reason.</p>
  <div class="legend small">{% for each in legend %}<span><i class="dot {{ each.tone }}"></i>\
{{ each.name }}</span>{% endfor %}</div>
  <div class="rows stacked">
    {% for row in rows %}
    {{ fold(loop) }}
    <div class="row ended"><div class="name">{{ row.name | words }}</div>{{ row.chart | safe }}\
<div class="end"><b>{{ row.kept | number }}</b> of {{ row.made | number }} kept</div></div>
    {% endfor %}
    {{ unfold(rows) }}
  </div>
  <h3 class="under">By level</h3>
  <div class="rows stacked close">
    {% for row in levels %}
    <div class="row ended"><div class="name">{{ "near " if near }}{{ "%g" | format(row.name) }}\
</div>{{ row.chart | safe }}\
<div class="end"><b>{{ row.kept | number }}</b> of {{ row.made | number }} kept</div></div>
    {% endfor %}
  </div>
"""

SECTION = Section(40, "What each family gave", TEMPLATE, "Families", of_build=families)
