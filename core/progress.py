"""Progress: how far the first lines of a reply have come towards the answer, 0 to 1.

A family with `progress` tells it exactly, from what the lines establish. Process rewards are made
of the differences from line to line. A line that states nothing, states something again or states
something wrong adds nothing.
"""

import re
from itertools import accumulate
from typing import Any

from puzzlemill.core.family import AnyFamily

TAGS = re.compile(r"</?(?:think|answer)>")


def progress_by_line(family: AnyFamily, puzzle: Any, reply: str) -> list[tuple[int, float]]:
    """After each line of a reply that says something: its end in characters, and how far the reply
    has come by then."""
    if family.progress is None:
        return []
    ends = accumulate(map(len, reply.splitlines(keepends=True)))
    values: list[tuple[int, float]] = []
    lines: list[str] = []
    for end, line in zip(ends, reply.splitlines(), strict=True):
        said = TAGS.sub(" ", line).strip()
        if said:
            lines.append(said)
            values.append((end, family.progress(puzzle, lines)))
    return values
