"""Boards in the first lines of a reply: cells filled by words, and rows of the answer."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from puzzlemill.core.family import AnyFamily, Lines
from puzzlemill.core.partial.answered import gold
from puzzlemill.core.partial.values import certain, gathered, informed

Cell = tuple[int, int]  # row and column, from 0

_CELL = re.compile(r"\brow (\d{1,3}),? column (\d{1,3}) ?= ?([^\s:;,]{1,3})(?![^\s:;,])")
_PLACES = re.compile(r"([^:;(),]{1,40}) at ((?:\(\d{1,3}, ?\d{1,3}\)(?:, | and )?)+)")
_PLACE = re.compile(r"\((\d{1,3}), ?(\d{1,3})\)")


def cells_filled(
    family: AnyFamily,
    puzzle: Any,
    lines: Lines,
    shown: Sequence[Sequence[Any]] = (),
    blank: Any = None,
    marks: Mapping[str, Any] = MappingProxyType({}),
) -> float:
    """How many of a board's cells are filled rightly, but for those that are shown already and are
    not blank: `informed`. The answer is unique.

    A cell is filled by "row 1 column 2 = 3", by "star at (1, 2), (3, 4)", or by a row of the answer
    in its place; `marks` tells which cells of the answer other words stand for.
    """
    kind: Any = family.kind(puzzle)
    rows = gold(family, puzzle)
    board = {
        (down, right): value for down, row in enumerate(rows) for right, value in enumerate(row)
    }
    told = {
        (cell, value) for cell, value in board.items() if shown and shown[cell[0]][cell[1]] != blank
    }
    truth = dict(fact for fact in board.items() if fact not in told)
    words = {**{str(value): value for value in truth.values()}, **marks}
    said: list[tuple[Cell, Any]] = []
    at = 0
    for line in lines:
        row = _row(kind, line, len(rows[0]))
        cells = [((at, column), value) for column, value in enumerate(row)]
        if all(fact in told or fact[0] in truth for fact in cells):
            said += cells
        at = (at + 1) % len(rows) if row else 0
    for line in certain(lines):
        for cell, before in _spoken(line):
            known = max((it for it in words if _ends(before, it)), key=len, default="")
            if known and not before.removesuffix(known).endswith(("no ", "not ")):
                said.append((cell, words[known]))
    return informed(truth, gathered(fact for fact in said if fact not in told))


def _ends(before: str, word: str) -> bool:
    return f" {before}".endswith(f" {word}")


@lru_cache(maxsize=16384)
def _spoken(line: str) -> tuple[tuple[Cell, str], ...]:
    """The cells that a line speaks of, and the word for what is there, perhaps with others before
    it."""
    said = [((row, column), value) for row, column, value in _CELL.findall(line)]
    for before, places in _PLACES.findall(line):
        said += [(place, before) for place in _PLACE.findall(places)]
    return tuple(((int(row) - 1, int(column) - 1), word) for (row, column), word in said)


@lru_cache(maxsize=16384)
def _row(kind: Any, line: str, width: int) -> Sequence[Any]:
    """The cells of a line that is a row of the board, and nothing else."""
    if len(line) > 20 * width:
        return ()
    rows = kind.read(line)
    return rows[0] if rows and len(rows) == 1 and len(rows[0]) == width else ()
