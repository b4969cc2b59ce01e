"""Numbrix: complete a board of numbers so that each is beside the next.

`generate` winds a path through the board and takes numbers away as long as what the others leave
for each, and suppositions that fail, lead back to it; `solve` proves by SAT that there is no other
path; `verify` walks along the answer.
"""

from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _forcing

Rows: TypeAlias = tuple[tuple[int, ...], ...]
Places: TypeAlias = list[int]  # for each number, from 1, the set of cells where it may stand

EMPTY = 0

BENDS = 12  # changes of the path for each cell


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    hidden: float  # share of the numbers that are taken away, or less where more are needed
    suppositions: int  # that a proof of the single path may take


@dataclass(frozen=True, slots=True)
class Trail:
    rows: Rows  # 0 is an empty cell


def generate(rng: Random, knobs: Knobs) -> Trail | None:
    side = knobs.side
    path = _wound(rng, side)
    everything = (1 << side**2) - 1

    def settles(shown: list[int]) -> bool:
        places = [everything] * side**2
        for rank in shown:
            places[rank] = 1 << path[rank]
        return _Count(side, knobs.suppositions).proves_one(places)

    fewest = max(2, round((1 - knobs.hidden) * side**2))
    shown = _forcing.thinned(rng, list(range(side**2)), fewest, settles)
    if shown is None:
        return None
    cells = [EMPTY] * side**2
    for rank in shown:
        cells[path[rank]] = rank + 1
    return Trail(in_rows(tuple(cells), side))


def solve(trail: Trail) -> Rows | None:
    """SAT: a variable for each number and each cell that is near enough to the numbers shown."""
    side = len(trail.rows)
    circuit = _sat.Circuit()
    shown = {
        number: (row, column)
        for row, line in enumerate(trail.rows)
        for column, number in enumerate(line)
        if number
    }
    numbers = range(1, side**2 + 1)
    here = {
        (number, cell): circuit.variable((number, cell))
        for number in numbers
        for cell in _cells.cells(side, side)
        if all(_reaches(cell, there, abs(number - other)) for other, there in shown.items())
    }
    for number in numbers:
        circuit.clauses.append([here[key] for key in here if key[0] == number])
    for cell in _cells.cells(side, side):
        # As many cells as numbers: that no number stands twice, follows.
        circuit.clauses += _sat.at_most_one(
            [here[number, cell] for number in numbers if (number, cell) in here]
        )
    for (number, cell), literal in here.items():
        for other in (number - 1, number + 1):
            if other in numbers:
                near = [(other, place) for place in _cells.beside(cell, side, side)]
                circuit.clauses.append([-literal, *(here[key] for key in near if key in here)])
    true = _sat.only_model(circuit.clauses, here.values())
    if true is None:
        return None
    found = {cell: number for (number, cell), literal in here.items() if literal in true}
    return tuple(tuple(found[row, column] for column in range(side)) for row in range(side))


def verify(trail: Trail, rows: Rows) -> float:
    side = len(trail.rows)
    if len(rows) != side or any(len(row) != side for row in rows):
        return 0.0
    where = {number: (r, c) for r, row in enumerate(rows) for c, number in enumerate(row)}
    if sorted(where) != list(range(1, side**2 + 1)):
        return 0.0
    for row, line in enumerate(trail.rows):
        for column, number in enumerate(line):
            if number and where[number] != (row, column):
                return 0.0
    return float(
        all(
            abs(where[number][0] - where[number + 1][0])
            + abs(where[number][1] - where[number + 1][1])
            == 1
            for number in range(1, side**2)
        )
    )


def render(trail: Trail, style: Style) -> Prompt:
    side = len(trail.rows)
    last = side**2
    picture = _cells.drawn([[number or "_" for number in row] for row in trail.rows])
    return Prompt(
        style.pick(
            f"Numbrix. Fill the empty cells (_) of this {side}x{side} board so that it holds every"
            f" number from 1 to {last} once, and consecutive numbers are always in cells that share"
            f" a side.\n\n{picture}\n\nDiagonal neighbours do not count as sharing a side. The"
            " numbers that are there stay.",
            f"Someone walked over a board of {side} rows and {side} columns, one step at a time up,"
            " down, left or right, and came to each cell exactly once. The cells were numbered in"
            f" the order of the walk, from 1 to {last}, and then most of the numbers were rubbed"
            f" out:\n\n{picture}\n\nOnly one walk agrees with the numbers that are left. Write all"
            " numbers back.",
            f"{picture}\n\nIn this square, replace each underscore by a number. All numbers 1, 2,"
            f" ..., {last} must occur exactly once, and for each of them but the last, the next"
            " larger number must stand directly above, below, left or right of it. Given numbers"
            " may not be changed. There is a single solution.",
        ),
        form=f"the complete board, row by row: {side} lines of {side} numbers separated by spaces",
    )


def steps(trail: Trail) -> list[str]:
    side = len(trail.rows)
    places = [(1 << side**2) - 1] * side**2
    for row, line in enumerate(trail.rows):
        for column, number in enumerate(line):
            if number:
                places[number - 1] = 1 << row * side + column
    lines: list[str] = []
    _work(side, places, lines)
    return lines


def canon(trail: Trail) -> Rows:
    """The least of the board's turns and reflections, counted from either end of the path."""
    last = len(trail.rows) ** 2
    back = [[last + 1 - number if number else EMPTY for number in row] for row in trail.rows]
    return min(*_cells.turns(trail.rows), *_cells.turns(back))


def hardness(trail: Trail) -> float:
    """The empty cells, and the longest stretch of missing numbers."""
    shown = sorted(number for row in trail.rows for number in row if number)
    ends = [0, *shown, len(trail.rows) ** 2 + 1]
    longest = max(after - before - 1 for before, after in pairwise(ends))
    return float(len(trail.rows) ** 2 - len(shown) + longest)


def _wound(rng: Random, side: int) -> list[int]:
    """A path through all cells: from a snake, an end is tied to a cell beside it and the loop that
    this makes is cut open, again and again."""
    path = [
        row * side + (column if row % 2 == 0 else side - 1 - column)
        for row in range(side)
        for column in range(side)
    ]
    for _ in range(BENDS * side**2):
        if rng.random() < 0.5:
            path.reverse()
        row, column = rng.choice(_cells.beside(divmod(path[0], side), side, side))
        cut = path.index(row * side + column)
        path[:cut] = path[:cut][::-1]
    return path


def _reaches(cell: _cells.Cell, other: _cells.Cell, way: int) -> bool:
    """Whether so many steps can lead from one cell to another."""
    apart = abs(cell[0] - other[0]) + abs(cell[1] - other[1])
    return apart <= way and (way - apart) % 2 == 0


def _narrow(side: int, places: Places, lines: list[str] | None = None) -> bool:
    """Leave each number only cells beside those of the numbers before and after it, and each cell
    to one number; False at a contradiction."""
    while True:
        before = list(places)
        for order in (range(1, side**2), range(side**2 - 2, -1, -1)):
            back = order[0] - 1 if order.step > 0 else order[0] + 1
            near = places[back]
            for rank in order:
                near = places[rank] & _forcing.beside(near, side, side)
                if not near:
                    return False
                places[rank] = near
        taken = 0
        for cells in places:
            if not cells & (cells - 1):
                if taken & cells:
                    return False
                taken |= cells
        once = twice = 0
        for rank, cells in enumerate(places):
            if cells & (cells - 1):
                places[rank] = cells = cells & ~taken
                if not cells:
                    return False
            twice |= once & cells
            once |= cells
        if once != (1 << side**2) - 1:
            return False
        lonely = once & ~twice
        for rank, cells in enumerate(places):
            if cells & lonely and cells & (cells - 1):
                places[rank] = cells & lonely
                if places[rank] & (places[rank] - 1):
                    return False
        if lines is not None:
            lines += _told(side, before, places)
        if before == places:
            return True


def _told(side: int, before: Places, after: Places) -> list[str]:
    return [
        f"{rank + 1} at {_named(side, new)}"
        for rank, (old, new) in enumerate(zip(before, after, strict=True))
        if old != new and not new & (new - 1)
    ]


def _tightest(places: Places) -> int | None:
    """The undecided number with the fewest places."""
    open_ = [rank for rank, cells in enumerate(places) if cells & (cells - 1)]
    return min(open_, key=lambda rank: places[rank].bit_count(), default=None)


class _Count:
    """Counts paths up to two, until the suppositions run out."""

    def __init__(self, side: int, suppositions: int) -> None:
        self.side, self.left, self.paths = side, suppositions, 0

    def proves_one(self, places: Places) -> bool:
        self._search(places)
        return self.left >= 0 and self.paths == 1

    def _search(self, places: Places) -> None:
        if not _narrow(self.side, places):
            return
        rank = _tightest(places)
        if rank is None:
            self.paths += 1
            return
        for cell in _forcing.bits(places[rank]):
            self.left -= 1
            if self.left < 0 or self.paths > 1:
                return
            self._search([*places[:rank], cell, *places[rank + 1 :]])


def _work(side: int, places: Places, lines: list[str]) -> bool:
    if not _narrow(side, places, lines):
        return False
    rank = _tightest(places)
    if rank is None:
        return True
    for cell in _forcing.bits(places[rank]):
        lines.append(f"suppose {rank + 1} at {_named(side, cell)}")
        if _work(side, [*places[:rank], cell, *places[rank + 1 :]], lines):
            return True
        lines.append(f"that ends in a contradiction: {rank + 1} is not at {_named(side, cell)}")
    return False


def _named(side: int, cell: int) -> str:
    row, column = divmod(cell.bit_length() - 1, side)
    return f"({row + 1}, {column + 1})"


LADDER = (
    Knobs(3, 0.5, 0),
    Knobs(4, 0.6, 0),
    Knobs(5, 0.7, 0),
    Knobs(6, 0.8, 6),
    Knobs(8, 0.9, 20),
)
FAMILY = Family(
    Trail,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Grid(),
    hardness=hardness,
    proof="unique",
    solver="SAT over numbers and cells",
    guess_rate=0.06,
    steps=steps,
    canon=canon,
    skills=("logic", "search"),
    peers=("SynLogic/numbrix", "RLVE/numbrix"),
)
