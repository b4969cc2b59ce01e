"""What became of each family's items, in categories, and of those of each level."""

from operator import attrgetter, itemgetter
from typing import Any

from puzzlemill.outputs.fates import group_bars, legend
from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.groups import level_columns, nearest
from puzzlemill.outputs.sections import Section
from puzzlemill.outputs.templates import SHOWN


def families(build: FinishedBuild) -> dict[str, Any]:
    rows = group_bars(build, attrgetter("family"))
    category = {cell.family: cell.category for cell in build.cells}
    groups = [
        group | {"families": sorted(members, key=_most_kept)}
        for group in group_bars(build, attrgetter("category"))
        if (members := [row for row in rows if category[row["name"]] == group["name"]])
    ]
    columns, near = level_columns(cell.level for cell in build.cells)
    levels = group_bars(build, lambda cell: nearest(cell.level, columns))
    return {
        "legend": legend(build),
        "groups": sorted(groups, key=_most_kept),
        "open": len(rows) <= SHOWN,
        "near": near,
        "levels": sorted(levels, key=itemgetter("name")),
    }


def _most_kept(row: dict[str, Any]) -> tuple[int, int, str]:
    return -row["kept"], -row["made"], row["name"]


TEMPLATE = """\
  {% macro ended(row) %}<div class="end"><b>{{ row.kept | number }}</b> of \
{{ row.made | number }} kept</div>{% endmacro %}
  <p class="lede">Nothing is lost silently: every item that was turned away is in the dataset, \
with the reason. Bars of categories have a scale of their own.</p>
  <div class="legend small">{% for each in legend %}<span><i class="dot {{ each.tone }}"></i>\
{{ each.name }}</span>{% endfor %}</div>
  <div class="rows stacked">
    {% for group in groups %}
    {% set single = group.families | length == 1 %}
    {% if not single %}{% call group_head(group, open) %}{{ ended(group) }}{% endcall %}{% endif %}
    {% for row in group.families %}
    <div class="row ended"><div class="name">{{ row.name }}\
{% if single %} <small>{{ group.name }}</small>{% endif %}</div>{{ row.chart | safe }}\
{{ ended(row) }}</div>
    {% endfor %}
    {% if not single %}</details>{% endif %}
    {% endfor %}
  </div>
  <h3 class="under">By level</h3>
  <div class="rows stacked close">
    {% for row in levels %}
    <div class="row ended"><div class="name">{{ "near " if near }}{{ "%g" | format(row.name) }}\
</div>{{ row.chart | safe }}{{ ended(row) }}</div>
    {% endfor %}
  </div>
"""

SECTION = Section(40, "What each family gave", TEMPLATE, "Families", of_build=families)
