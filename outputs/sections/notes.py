"""What the build noted on its way."""

from typing import Any

from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.sections import Section


def notes(build: FinishedBuild) -> dict[str, Any] | None:
    lines = build.manifest["notes"]
    return {"lines": lines} if lines else None


TEMPLATE = """\
  <ul class="notes">{% for line in lines %}<li>{{ line }}</li>{% endfor %}</ul>
"""

SECTION = Section(160, "Worth knowing", TEMPLATE, "Notes", of_build=notes)
