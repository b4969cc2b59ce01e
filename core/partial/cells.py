"""Boards in the first lines of a reply: cells filled by words, and rows of the answer."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from puzzlemill.core.answers import Impossible
from puzzlemill.core.family import AnyFamily, Lines
from puzzlemill.core.partial.answered import gold, has_none, is_answered
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
    if has_none(family, puzzle):
        return float(is_answered(family, puzzle, lines))
    kind: Any = family.kind(puzzle)
    truth, told = _board(family, puzzle, tuple(shown), blank)
    rows = gold(family, puzzle)
    words = {**{str(value): value for row in rows for value in row}, **marks}
    known = tuple(sorted(words, key=len, reverse=True))
    longest = len(rows[0]) * (max(map(len, words), default=1) + 3) + 4
    said: list[tuple[Cell, Any]] = []
    at = 0
    for line in lines:
        row = _row(kind, line, len(rows[0])) if len(line) <= longest and ":" not in line else ()
        cells = [((at, column), value) for column, value in enumerate(row)]
        if all(fact in told or fact[0] in truth for fact in cells):
            said += cells
        at = (at + 1) % len(rows) if row else 0
    for line in certain(lines):
        said += [(cell, words.get(value, value)) for cell, value in _equations(line)]
        for cell, before in _mentions(line):
            if (word := _last(before, known)) is not None:
                said.append((cell, words[word]))
    return informed(truth, gathered(fact for fact in said if fact not in told))


@lru_cache(maxsize=64)
def _board(
    family: AnyFamily, puzzle: Any, shown: tuple[Any, ...], blank: Any
) -> tuple[dict[Cell, Any], set[tuple[Cell, Any]]]:
    """The values of the cells to fill, and what is told of the others."""
    rows = enumerate(gold(family, puzzle))
    board = {(down, right): value for down, row in rows for right, value in enumerate(row)}
    truth = {
        cell: value
        for cell, value in board.items()
        if not shown or shown[cell[0]][cell[1]] == blank
    }
    return truth, board.items() - truth.items()


@lru_cache(maxsize=8192)
def _last(before: str, words: tuple[str, ...]) -> str | None:
    """The longest of the words with which a text ends, if it does not deny it."""
    word = next((it for it in words if f" {before}".endswith(f" {it}")), None)
    denied = word is not None and before.removesuffix(word).endswith(("no ", "not "))
    return None if denied else word


@lru_cache(maxsize=16384)
def _equations(line: str) -> tuple[tuple[Cell, str], ...]:
    found = _CELL.findall(line)
    return tuple(((int(row) - 1, int(column) - 1), value) for row, column, value in found)


@lru_cache(maxsize=16384)
def _mentions(line: str) -> tuple[tuple[Cell, str], ...]:
    """The places that a line names, and the words before each list of them."""
    return tuple(
        ((int(row) - 1, int(column) - 1), before)
        for before, places in _PLACES.findall(line)
        for row, column in _PLACE.findall(places)
    )


@lru_cache(maxsize=16384)
def _row(kind: Any, line: str, width: int) -> Sequence[Any]:
    """The cells of a line that is a row of the board, and nothing else."""
    rows = kind.read(line)
    if not rows or isinstance(rows, Impossible):
        return ()
    return rows[0] if len(rows) == 1 and len(rows[0]) == width else ()
