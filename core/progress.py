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
MOST = 256  # places of a reply where progress is asked for; each takes time by the lines before it


def progress_by_line(family: AnyFamily, puzzle: Any, reply: str) -> list[tuple[int, float]]:
    """After each line of a reply that says something: its end in characters, and how far the reply
    has come by then. Of more lines than MOST, every second or third … is asked about, and the last;
    those between keep the value before them."""
    if family.progress is None:
        return []
    ends = accumulate(map(len, reply.splitlines(keepends=True)))
    told = zip(ends, (TAGS.sub(" ", line).strip() for line in reply.splitlines()), strict=True)
    spoken = [(end, said) for end, said in told if said]
    lines = [said for _, said in spoken]
    stride = -(-len(lines) // MOST)
    values: list[tuple[int, float]] = []
    value = 0.0
    for count, (end, _) in enumerate(spoken, 1):
        if count % stride == 0 or count == len(lines):
            value = family.progress(puzzle, lines[:count])
        values.append((end, value))
    return values
