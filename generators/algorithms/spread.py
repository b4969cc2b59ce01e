"""Spread: from its sources something spreads to open neighbour cells, one step a minute.

Asked is how many cells are reached anew in each minute, a list with one right value. `solve` lets
the front advance minute by minute, as the bits of an integer; `verify` never forms a front: it
lowers the time of each cell to one more than a neighbour's until nothing changes, and counts the
times.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _cells

WALL, OPEN, SOURCE = "#", ".", "*"


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # rows and columns
    walls: float  # share of the cells
    sources: int  # cells from which it spreads
    minutes: int  # that it lasts at least


@dataclass(frozen=True, slots=True)
class Field:
    rows: tuple[str, ...]


def generate(rng: Random, knobs: Knobs) -> Field | None:
    side = knobs.side
    cells = rng.sample(range(side**2), side**2)
    walls = round(knobs.walls * side**2)
    board = [OPEN] * side**2
    for cell in cells[:walls]:
        board[cell] = WALL
    for cell in cells[walls : walls + knobs.sources]:
        board[cell] = SOURCE
    signs = "".join(board)
    field = Field(tuple(signs[start : start + side] for start in range(0, side**2, side)))
    return field if len(solve(field)) >= knobs.minutes else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(field: Field) -> tuple[int, ...]:
    return tuple(map(int.bit_count, _fronts(field)))


def verify(field: Field, reached: tuple[int, ...]) -> float:
    wide = len(field.rows[0]) + 1  # a wall at the end of each row keeps rows apart
    signs = WALL.join((WALL * wide, *field.rows, WALL * wide))
    never = len(signs)
    times = [0 if sign == SOURCE else never for sign in signs]
    lowered = [cell for cell, sign in enumerate(signs) if sign == SOURCE]
    for cell in lowered:  # grows as it is read
        time = times[cell] + 1
        for near in (cell - wide, cell - 1, cell + 1, cell + wide):
            if time < times[near] and signs[near] == OPEN:
                times[near] = time
                lowered.append(near)
    counted = Counter(time for time in times if 0 < time < never)
    return float(counted == dict(enumerate(reached, 1)))


def render(field: Field, style: Style) -> Prompt:
    board = "\n".join(field.rows)
    form = "the numbers for minute 1, 2, 3 and so on, in this order, separated by commas"
    return Prompt(
        style.pick(
            'Water rises on this map from the springs "*". A "." is dry ground and a "#" is rock,'
            " which stays dry. Each minute the water flows from every cell that it covers into all"
            " cells of dry ground directly above, below, left and right of it (not diagonally).\n\n"
            f"{board}\n\nHow many cells does the water newly cover in each minute? Begin with"
            " minute 1 and end with the last minute in which a cell is flooded; the springs are wet"
            " before minute 1 and do not count. Nor do dry cells that the water never reaches.",
            f"{board}\n\nOn this board each * is a burning tree, each . is a healthy tree and each"
            " # is bare stone. In every minute, all healthy trees that stand next to a burning tree"
            " (a shared side; corners do not count) catch fire at the same time and burn from then"
            " on. For each minute from the first one to the last one in which a tree catches fire,"
            " count the trees that catch fire in it.",
            "A crate holds good oranges (.), rotten oranges (*) and empty places (#):\n\n"
            f"{board}\n\nEvery minute, each good orange with a rotten one directly above, below, to"
            " its left or to its right goes rotten too, all of them at once. List how many oranges"
            " go rotten in minute 1, in minute 2, and so on, until no more do. The list ends with"
            " the last minute that has at least one.",
        ),
        form=form,
    )


def steps(field: Field) -> list[str]:
    wide = len(field.rows[0]) + 1
    lines = []
    for minute, front in enumerate(_fronts(field), 1):
        places = [divmod(place, wide) for place in range(front.bit_length()) if front >> place & 1]
        cells = " ".join(f"({row + 1}, {column + 1})" for row, column in places)
        lines.append(f"minute {minute}: {len(places)} at (row, column) {cells}")
    return lines


def canon(field: Field) -> list[str]:
    """The least of the board's turns and reflections."""
    return ["".join(row) for row in min(_cells.turns(field.rows))]


def hardness(field: Field) -> int:
    """Cells to be followed, minute by minute."""
    reached = solve(field)
    return sum(reached) + len(reached)


def _fronts(field: Field) -> list[int]:
    """The cells that are reached in each minute: a bit for each, row by row, and for the end of
    each row, which keeps rows apart."""
    wide = len(field.rows[0]) + 1
    signs = WALL.join(field.rows)[::-1]  # the first cell is the last digit
    front = int(signs.translate(_BITS[SOURCE]), 2)
    left = int(signs.translate(_BITS[OPEN]), 2)
    fronts = []
    while front := (front << 1 | front >> 1 | front << wide | front >> wide) & left:
        left ^= front
        fronts.append(front)
    return fronts


# Signs as binary digits, by the sign that is a 1.
_BITS = {
    one: str.maketrans({sign: str(int(sign == one)) for sign in (WALL, OPEN, SOURCE)})
    for one in (OPEN, SOURCE)
}


LADDER = (
    Knobs(5, 0.2, 1, 3),
    Knobs(7, 0.28, 2, 4),
    Knobs(10, 0.34, 2, 8),
    Knobs(14, 0.38, 2, 13),
    Knobs(20, 0.39, 2, 22),
)
FAMILY = Family(
    Field,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    hardness=hardness,
    proof="unique",
    solver="breadth-first search, front by front",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    skills=("tracking", "search"),
    peers=("reasoning-gym/rotten_oranges",),
    theme="floods",
    version=2,
)
