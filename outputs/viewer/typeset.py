"""A prompt as a reader would set it: prose as prose, grids and tables in a fixed font, pictures."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

# What stands in columns: an indent, a gap of two spaces, a bar, comma-separated values.
_COLUMNS = re.compile(r"^[ \t]+\S|\S(?: {2,}|\t)\S|\||[─-╿]|^[^\s,]+(?:,[^\s,]+){2,}$")
_WORD = re.compile(r"[A-Za-z]?[a-z]{2,}")


def typeset(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Pieces in order: prose, fixed or picture (by number); a role where there are several."""
    pieces: list[dict[str, Any]] = []
    pictures = 0
    for message in messages or ():
        if len(messages) > 1:
            pieces.append({"kind": "role", "text": message["role"]})
        for place, text in enumerate((message["content"] or "").split("<image>")):
            if place:
                pieces.append({"kind": "picture", "text": str(pictures)})
                pictures += 1
            pieces += [{"kind": kind, "text": block} for kind, block in blocks(text)]
    return pieces


def blocks(text: str) -> list[tuple[str, str]]:
    """A text cut into prose and what must keep its columns."""
    lines = text.strip("\n").split("\n")
    fixed = [_in_columns(lines, place) for place in range(len(lines))]
    for place in range(1, len(lines) - 1):  # a gap within a grid is of the grid
        if not lines[place].strip():
            fixed[place] = fixed[place - 1] and _next_is(lines, fixed, place)
    found = []
    for kind, group in groupby(zip(fixed, lines, strict=True), key=lambda each: each[0]):
        inner = [line for _, line in group]
        block = "\n".join(inner).strip("\n")
        if block.strip():
            alone = sum(bool(line.strip()) for line in inner) == 1 and not block[0].isspace()
            found.append(("fixed" if kind and not alone else "prose", block))
    return _together(found)


def _together(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Neighbours of one kind as one."""
    joined: list[tuple[str, str]] = []
    for kind, block in found:
        if joined and joined[-1][0] == kind:
            joined[-1] = kind, f"{joined[-1][1]}\n{block}"
        else:
            joined.append((kind, block))
    return joined


def _next_is(lines: list[str], fixed: list[bool], place: int) -> bool:
    after = (each for each in range(place + 1, len(lines)) if lines[each].strip())
    return fixed[next(after, place)]


def _in_columns(lines: list[str], place: int) -> bool:
    """Whether a line looks like a row of a grid, a table or a program."""
    line = lines[place].rstrip()
    if not line:
        return False
    if _COLUMNS.search(line):
        return True
    if not _WORD.search(line):
        return True
    near = [lines[each] for each in (place - 1, place + 1) if 0 <= each < len(lines)]
    return " " not in line and any(len(each) == len(line) and " " not in each for each in near)
