"""Why items were turned away, with the families that each reason met most."""

from collections import Counter
from typing import Any

from puzzlemill.outputs.fates import meaning_of
from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.sections import Section

FAMILIES = 4  # that are named beside a reason


def turned_away(build: FinishedBuild) -> dict[str, Any] | None:
    sets = (build.manifest["recipe"].get("decontaminate") or {}).get("against") or ()
    kinds = build.tally("kind", fate="rejected")
    if not sets and not kinds:
        return None
    rows = [
        {
            "kind": kind,
            "meaning": meaning_of(build, kind),
            "count": count,
            "share": count / len(build.rows),
            "families": _commonest(build, kind),
        }
        for kind, count in sorted(kinds.items(), key=lambda each: (-each[1], each[0]))
    ]
    counts = build.manifest["rejected"]
    return {
        "rows": rows,
        "sets": len(sets),
        "contaminated": counts.get("contaminated", 0),
        "duplicates": counts.get("duplicate", 0),
    }


def _commonest(build: FinishedBuild, kind: str) -> str:
    """The families of which most were turned away for this, and how many others there are."""
    counts = Counter[str]()
    for cell, count in build.cells.items():
        if (cell.fate, cell.kind) == ("rejected", kind):
            counts[cell.family] += count
    first = sorted(counts, key=lambda name: (-counts[name], name))[:FAMILIES]
    listed = ", ".join(f"{name} {counts[name]:,}" for name in first)
    more = len(counts) - len(first)
    return f"{listed} and {more:,} more" if more else listed


TEMPLATE = """\
  <p class="lede">{% if not sets %}No evaluation set was named in the recipe, so none was looked \
for.{% else %}Held against {{ sets | number }} {{ "file or folder" if sets == 1 else \
"files or folders" }} of evaluation sets: {{ contaminated | number }} \
{{ "item was" if contaminated == 1 else "items were" }} in one, or too like it.{% endif %} \
{{ duplicates | number if duplicates else "None" }} {{ "was" if duplicates < 2 else "were" }} \
the same puzzle as an earlier one.</p>
  {% if rows %}
  <div class="wide" tabindex="0"><table class="reasons">
    <tr><th>reason</th><th>items</th><th>of all</th><th>most of</th></tr>
    {% for row in rows %}
    <tr><td>{{ row.kind }}<small>{{ row.meaning }}</small></td><td>{{ row.count | number }}</td>\
<td>{{ row.share | percent }}</td><td>{{ row.families }}</td></tr>
    {% endfor %}
  </table></div>
  {% endif %}
"""

SECTION = Section(50, "Why others were turned away", TEMPLATE, "Turned away", of_build=turned_away)
