"""Distances: for every cell of a board of zeros and ones, how far it is to the nearest 0.

`solve` lets waves go out from all zeros at once, on all cells at once: an integer holds 16 bits for
each cell; `verify` makes no step at all: it lays discs around the zeros, one for each distance, by
the differences of rows and columns, and counts for each cell those that do not reach it.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, compress
from operator import add, not_, or_
from random import Random
from struct import pack, unpack

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_lines, in_rows
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _cells

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the board
    columns: int  # of the board
    zeros: float  # share of the cells; the fewer, the further
    diagonal: float  # share of the boards on which a step may be diagonal


@dataclass(frozen=True, slots=True)
class Field:
    rows: Rows
    diagonal: bool


def generate(rng: Random, knobs: Knobs) -> Field | None:
    size = knobs.rows * knobs.columns
    values = [1] * size
    for zero in rng.sample(range(size), max(1, round(knobs.zeros * size))):
        values[zero] = 0
    field = Field(in_rows(tuple(values), knobs.columns), rng.random() < knobs.diagonal)
    return field if max(map(max, solve(field))) > 1 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(field: Field) -> Rows:
    wide = len(field.rows[0]) + 1  # a cell at the end of each row keeps rows apart
    size = len(field.rows) * wide
    ones = chain.from_iterable([(*row, 0) for row in field.rows])
    left = int.from_bytes(pack(f">{size}H", *ones))
    cells = int.from_bytes((b"\0\1" * (wide - 1) + b"\0\0") * len(field.rows))
    total, before = 0, 0
    while left != before:  # each cell adds one for every wave that has not reached it
        total, before = total + left, left
        wave = cells ^ left
        sideways = wave << 16 | wave >> 16
        wave |= sideways if field.diagonal else 0
        left ^= left & (sideways | wave << 16 * wide | wave >> 16 * wide)
    far = unpack(f">{size}H", total.to_bytes(2 * size))
    return tuple(far[start : start + wide - 1] for start in range(0, size, wide))


def verify(field: Field, found: Rows) -> float:
    if len(found) != len(field.rows) or any(len(row) != len(field.rows[0]) for row in found):
        return 0.0
    rows, columns = len(field.rows), len(field.rows[0])
    shifts, left, discs = _discs(rows, columns, field.diagonal)
    zeros = list(compress(shifts, map(not_, chain.from_iterable(field.rows))))
    total, size = 0, 2 * rows * columns
    for disc in discs:  # each cell adds one for every distance within which there is no 0
        covered = 0
        for zero in zeros:
            covered |= disc >> zero
        left &= ~covered
        if not left:
            break
        total += left
    far = unpack(f"<{size}H", total.to_bytes(2 * size, "little"))
    return float(
        [*map(tuple, found)]
        == [far[start : start + columns] for start in range(0, size, 2 * columns)]
    )


def render(field: Field, style: Style) -> Prompt:
    board = in_lines(field.rows)
    if field.diagonal:
        step = style.pick(
            "One step leads to any of the up to 8 cells around a cell, including the diagonal"
            " ones.",
            "A step goes to a cell that shares a side or a corner.",
            "It may move like a chess king: one cell across, down or diagonally at a time.",
        )
    else:
        step = style.pick(
            "One step leads to the cell above, below, to the left or to the right; there are no"
            " diagonal steps.",
            "A step goes to a cell that shares a side; a shared corner is not enough.",
            "It moves one cell up, down, left or right at a time, never diagonally.",
        )
    return Prompt(
        style.pick(
            f"{board}\n\nReplace each number of this board by the number of steps from its cell to"
            f" the nearest cell that holds a 0. {step} Steps may lead over any cells. A cell that"
            " holds a 0 gets 0.",
            "Compute the distance board of the following board of zeros and ones: in each cell, the"
            f" smallest number of steps in which a 0 can be reached from there. {step} Nothing"
            f" blocks the way. The distance of a 0 itself is 0.\n\n{board}",
            f"Zeros are exits, and a robot may stand on any cell of this board:\n\n{board}\n\n"
            f"{step} Ones do not hinder it. For every cell, what is the smallest number of moves"
            " that take the robot from there to an exit? (On an exit it needs 0.)",
        ),
        form="the whole board of distances, one row a line, its numbers separated by spaces",
    )


def steps(field: Field) -> list[str]:
    """The cells of each distance."""
    found = solve(field)
    return [
        f"distance {far}: (row, column) "
        + " ".join(
            f"({r + 1}, {c + 1})"
            for r, row in enumerate(found)
            for c, value in enumerate(row)
            if value == far
        )
        for far in range(1, max(map(max, found)) + 1)
    ]


def canon(field: Field) -> list[object]:
    """The least of the board's turns and reflections."""
    return [field.diagonal, min(_cells.turns(field.rows))]


def hardness(field: Field) -> int:
    """All steps of all cells, with each cell at least once."""
    return sum(1 + far for row in solve(field) for far in row)


@lru_cache(maxsize=64)
def _discs(rows: int, columns: int, diagonal: bool) -> tuple[list[int], int, list[int]]:
    """Of a board's cells, 16 bits each and with as much room between its rows: how far a disc in
    the middle is shifted to lie around each of them; all of them; and the discs, by distance."""
    wide, both = 2 * columns, max if diagonal else add
    rings = [0] * (1 + both(rows - 1, columns - 1))
    for down in range(1 - rows, rows):
        for right in range(1 - columns, columns):
            place = (rows - 1 + down) * wide + columns - 1 + right
            rings[both(abs(down), abs(right))] |= 1 << 16 * place
    board = [row * wide + column for row in range(rows) for column in range(columns)]
    shifts = [16 * (board[-1] - place) for place in board]
    cells = sum(1 << 16 * place for place in board)
    return shifts, cells, [*accumulate(rings, or_)]


LADDER = (
    Knobs(4, 5, 0.25, 0.0),
    Knobs(6, 6, 0.16, 0.25),
    Knobs(8, 9, 0.1, 0.5),
    Knobs(11, 12, 0.06, 0.5),
    Knobs(15, 16, 0.04, 0.5),
)
FAMILY = Family(
    Field,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Grid(),
    notation=lambda field: answers.Grid(width=len(field.rows[0])),
    hardness=hardness,
    proof="unique",
    solver="breadth-first search from all zeros at once",
    guess_rate=0.01,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("counting", "spatial"),
    peers=("reasoning-gym/binary_matrix",),
    theme="floods",
    version=2,
)
