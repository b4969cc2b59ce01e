"""Numbrix: complete a board of numbers so that each is beside the next.

`generate` winds a path through the board and takes numbers away as long as deduction, with some
suppositions, leads back to it; `solve` proves by SAT that there is no other
path; `verify` walks along the answer.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _deduction, _marks
from puzzlemill.generators.grids._deduction import Narrow, Rule, Rules, Values

Rows: TypeAlias = tuple[tuple[int, ...], ...]

EMPTY = 0

MANY = 1 << 12  # sets of cells whose neighbours are kept
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
    rules = _rules(side)

    def settles(shown: list[int]) -> bool:
        start = _start(side, {rank: path[rank] for rank in shown})
        return rules.settles(start, knobs.suppositions)

    fewest = max(2, round((1 - knobs.hidden) * side**2))
    shown = _marks.thinned(rng, list(range(side**2)), fewest, settles)
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
    here = dict[tuple[int, _cells.Cell], int]()
    at_number, at_cell = dict[int, list[int]](), dict[_cells.Cell, list[int]]()
    for number in numbers:
        near_enough = (1 << side**2) - 1
        for other, there in shown.items():
            near_enough &= _reached(side, there, abs(number - other))
        for at, cell in enumerate(_cells.cells(side, side)):
            if near_enough >> at & 1:
                literal = here[number, cell] = circuit.variable((number, cell))
                at_number.setdefault(number, []).append(literal)
                at_cell.setdefault(cell, []).append(literal)
    circuit.clauses += [at_number.get(number, []) for number in numbers]
    for literals in at_cell.values():
        # As many cells as numbers: that no number stands twice, follows.
        circuit.clauses += _sat.at_most_one(literals)
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
    shown = {
        number - 1: row * side + column
        for row, line in enumerate(trail.rows)
        for column, number in enumerate(line)
        if number
    }

    def said(ranks: list[int], cell: int) -> str:
        return "; ".join(f"{rank + 1} at {_marks.named(cell, side)}" for rank in ranks)

    return _marks.worked(_rules(side), _start(side, shown), said)


def progress(trail: Trail, lines: Lines) -> float:
    return cells_filled(FAMILY, trail, lines, trail.rows, 0)


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
    near = _neighbours(side)
    for _ in range(BENDS * side**2):
        if rng.random() < 0.5:
            path.reverse()
        cut = path.index(rng.choice(near[path[0]]))
        path[:cut] = path[:cut][::-1]
    return path


@cache
def _neighbours(side: int) -> list[list[int]]:
    cells = _cells.cells(side, side)
    return [[r * side + c for r, c in _cells.beside(cell, side, side)] for cell in cells]


@lru_cache(maxsize=1 << 13)
def _reached(side: int, start: _cells.Cell, way: int) -> int:
    """The cells to which so many steps can lead from one, a bit each."""
    found = 0
    for at, (row, column) in enumerate(_cells.cells(side, side)):
        apart = abs(row - start[0]) + abs(column - start[1])
        if apart <= way and (way - apart) % 2 == 0:
            found |= 1 << at
    return found


def _start(side: int, shown: dict[int, int]) -> Values:
    """For each number, counted from 0, the set of the cells where it may stand."""
    everything = (1 << side**2) - 1
    return [1 << shown[rank] if rank in shown else everything for rank in range(side**2)]


@cache
def _rules(side: int) -> Rules:
    numbers = tuple(range(side**2))
    return Rules(
        side**2,
        [
            Rule(numbers, _walk(side), "step by step"),
            Rule(numbers, _deduction.each_once, "one number a cell"),
        ],
    )


def _walk(side: int) -> Narrow:
    """Each number stands beside the one before it and the one after it."""
    everything = (1 << side**2) - 1
    first = sum(1 << row * side for row in range(side))
    last = first << side - 1

    not_first, not_last = everything & ~first, everything & ~last
    beside: dict[int, int] = {}  # the cells beside some cells, which are often the same ones

    def narrow(values: Values) -> Values | None:
        if len(beside) > MANY:
            beside.clear()
        for _ in ("forth", "back"):
            near, found = everything, []
            for cells in values:
                near &= cells
                if not near:
                    return None
                found.append(near)
                if near not in beside:
                    beside[near] = (
                        (near & not_first) >> 1 | (near & not_last) << 1
                        | near >> side | near << side
                    )  # fmt: skip
                near = beside[near]
            values = found[::-1]
        return values

    return narrow


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
    progress=progress,
    canon=canon,
    skills=("logic", "search"),
    peers=("SynLogic/numbrix", "RLVE/numbrix"),
)
