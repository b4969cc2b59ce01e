"""Items beside their variants: does the policy solve both, most of the time?"""

from collections import Counter
from typing import Any

from puzzlemill.outputs.charts import Part, bar
from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.sections import Section


def variants(build: FinishedBuild) -> dict[str, Any] | None:
    """By operator, how many pairs of an original and a variant are mostly solved, and which."""
    solved = {row["uid"]: row["successes"] * 2 > row["trials"] for row in build.scored}
    pairs: dict[str, Counter[tuple[bool, bool]]] = {}
    for row in build.scored:
        if row["parent"] in solved:
            operator = row["family"].rpartition("+")[2]
            both = solved[row["parent"]], solved[row["uid"]]
            pairs.setdefault(operator, Counter())[both] += 1
    rows = []
    for operator, counts in sorted(pairs.items()):
        parts = [
            Part("both solved", counts[True, True], "kept"),
            Part("only the original", counts[True, False], "quiet"),
            Part("only the variant", counts[False, True], "quieter"),
            Part("neither", counts[False, False], "quietest"),
        ]
        alike = counts[True, True] + counts[False, False]
        total = counts.total()
        chart = bar([part for part in parts if part.count], total, 18)
        rows.append({"operator": operator, "pairs": total, "alike": alike / total, "chart": chart})
    return {"rows": rows} if rows else None


TEMPLATE = """\
  <p class="lede">Items beside their variants: does the policy solve both, most of the time it is \
asked? Where it solves only one, it knows a wording or a number rather than the problem.</p>
  <div class="legend small"><span><i class="dot kept"></i>both solved</span>\
<span><i class="dot quiet"></i>only the original</span>\
<span><i class="dot quieter"></i>only the variant</span>\
<span><i class="dot quietest"></i>neither</span></div>
  <div class="rows stacked">
    {% for row in rows %}
    <div class="row ended"><div class="name">{{ row.operator }} <small>\
{{ row.pairs | number }} {{ "pair" if row.pairs == 1 else "pairs" }}</small></div>\
{{ row.chart | safe }}<div class="end"><b>{{ row.alike | percent }}</b> alike</div></div>
    {% endfor %}
  </div>
"""

SECTION = Section(70, "The same skill in other forms", TEMPLATE, "Variants", of_build=variants)
