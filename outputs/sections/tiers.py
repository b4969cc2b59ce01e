"""The families in G1's four tiers, by the share of their items that the policy solves."""

from typing import Any

from puzzlemill.difficulty.tiers import TIERS, tier_of
from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.groups import group_by
from puzzlemill.outputs.sections import Section


def tiers(build: FinishedBuild) -> dict[str, Any] | None:
    """Of all scored items, those that were turned away too: what is kept is not what was asked."""
    groups = group_by(build.scored, "family")
    if len(groups) < len(TIERS):
        return None
    rates = {name: sum(row["mean"] for row in rows) / len(rows) for name, rows in groups.items()}
    named = sorted(rates, key=lambda name: (-rates[name], name))
    rows = []
    for tier in TIERS:
        families = [name for name in named if tier_of(rates[name]) == tier]
        items = [row["mean"] for name in families for row in groups[name]]
        mean = sum(items) / len(items) if items else None
        rows.append({"tier": tier, "families": families, "items": len(items), "mean": mean})
    return {"rows": rows}


TEMPLATE = """\
  <p class="lede">Families by the mean pass rate of their scored items, in the four tiers of G1: \
easy from 50% on, medium from 31%, hard from 11%, challenging below.</p>
  <div class="wide reasons" tabindex="0"><table>
    <tr><th>tier</th><th>items</th><th>solved</th><th>families</th></tr>
    {% for row in rows %}
    <tr><td>{{ row.tier }}</td><td>{{ row["items"] | number }}</td>\
<td>{{ "–" if row.mean is none else row.mean | percent }}</td>\
<td>{% for name in row.families %}{{ name }}{{ "" if loop.last else ", " }}{% endfor %}\
</td></tr>
    {% endfor %}
  </table></div>
"""

SECTION = Section(45, "Tiers of tasks", TEMPLATE, of_build=tiers)
