"""Progress: how far the first lines of a reply have come towards the answer, 0 to 1.

A family with `progress` tells it exactly, from what the lines establish. Process rewards are made
of the differences from line to line. A line that states nothing, states something again or states
something wrong adds nothing.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.family import AnyFamily
from puzzlemill.core.plain_data import thaw

TAGS = re.compile(r"</?(?:think|answer)>")
MOST = 256  # places of a reply where progress is asked for; each takes time by the lines before it


def progress_by_line(family: AnyFamily, puzzle: Any, reply: str) -> list[tuple[int, float]]:
    """After each line of a reply that says something: its end in characters, and how far the reply
    has come by then. Of more lines than MOST, every second or third … is asked about, and the last;
    those between keep the value before them."""
    if family.progress is None:
        return []
    spoken = [*lines_of(reply)]
    lines = [said for _, said in spoken]
    stride = -(-len(lines) // MOST)
    values: list[tuple[int, float]] = []
    value = 0.0
    for count, (end, _) in enumerate(spoken, 1):
        if count % stride == 0 or count == len(lines):
            value = family.progress(puzzle, lines[:count])
        values.append((end, value))
    return values


def lines_of(reply: str) -> Iterator[tuple[int, str]]:
    """The lines of a reply that say something, without tags, and the end of each in characters."""
    ends = accumulate(map(len, reply.splitlines(keepends=True)))
    for end, line in zip(ends, reply.splitlines(), strict=True):
        if said := TAGS.sub(" ", line).strip():
            yield end, said


def progress_of_row(row: Mapping[str, Any], reply: str) -> list[tuple[int, float]]:
    """The same for a row as it is stored: what worker processes are asked."""
    its_family = registry.family(row["family"])
    return progress_by_line(its_family, thaw(its_family.puzzle, row["puzzle"]), reply)
