"""A section of the report: how many items each level has."""

from collections import Counter
from typing import Any

from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.sections import Section


def items_by_level(build: FinishedBuild) -> dict[str, Any]:
    counts = Counter(row["level"] for row in build.rows)
    return {"levels": sorted(counts.items())}


TEMPLATE = """\
  <ul>{% for level, count in levels %}<li>{{ level }}: {{ count | number }}</li>{% endfor %}</ul>
"""

SECTION = Section(15, "Items by level", TEMPLATE, of_build=items_by_level)
