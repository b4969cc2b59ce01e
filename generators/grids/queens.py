"""Queens: complete a placement of n queens of which no two attack each other.

Some cells are barred. Many placements may be right, so `verify` looks at each pair of queens and
`recheck` counts lines. `generate` scatters queens row by row, going back where it must; `solve`
goes through the rows, the tightest first; the cells that are left are the bits of an integer.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _cells
from puzzlemill.generators.grids import _tallies

Rows: TypeAlias = tuple[str, ...]

QUEEN, OPEN, BARRED = "Q", ".", "X"

TRIES = 3000  # cells tried while queens are scattered


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    missing: int  # queens that are not shown
    barred: float  # share of the cells without a queen that are barred


@dataclass(frozen=True, slots=True)
class Board:
    rows: Rows  # "Q" is a queen, "X" a barred cell


def generate(rng: Random, knobs: Knobs) -> Board | None:
    side = knobs.side
    columns = _scattered(rng, side)
    if columns is None:
        return None
    signs = [[OPEN] * side for _ in range(side)]
    free = side * (side - 1)  # cells without a queen, in each row one less than columns
    for place in rng.sample(range(free), round(knobs.barred * free)):
        row, column = divmod(place, side - 1)
        signs[row][column + (column >= columns[row])] = BARRED
    for row in rng.sample(range(side), max(side - knobs.missing, 0)):
        signs[row][columns[row]] = QUEEN
    return Board(tuple(map("".join, signs)))


def solve(board: Board) -> Rows | None:
    """Row by row, the rows with fewest free cells first."""
    side = len(board.rows)
    only = [row.replace(OPEN, BARRED) if QUEEN in row else row for row in board.rows]
    free = int("".join(only)[::-1].translate(_FREE), 2)
    found = _complete(free, _tallies.lines(side)[0], _attacks(side))
    if found is None:
        return None
    rows = list(board.rows)
    for queen in found:
        row, column = divmod(queen.bit_length() - 1, side)
        rows[row] = rows[row][:column] + QUEEN + rows[row][column + 1 :]
    return tuple(rows)


def verify(board: Board, rows: Rows) -> float:
    side = len(board.rows)
    if len(rows) != side or any(len(row) != side for row in rows):
        return 0.0
    if any(row.count(QUEEN) != 1 for row in rows):
        return 0.0
    columns = [row.index(QUEEN) for row in rows]
    for shown, filled, at in zip(board.rows, rows, columns, strict=True):
        placed = shown[at] == OPEN and filled == shown[:at] + QUEEN + shown[at + 1 :]
        if not placed and filled != shown:
            return 0.0
    return float(
        all(
            left != right and abs(left - right) != down - up
            for (up, left), (down, right) in combinations(enumerate(columns), 2)
        )
    )


def recheck(board: Board, rows: Rows) -> bool:
    side = len(board.rows)
    flat, shown = "".join(rows), "".join(board.rows)
    if {len(row) for row in rows} != {side} or len(flat) != len(shown):
        return False
    places = [place for place, sign in enumerate(flat) if sign == QUEEN]
    blank = str.maketrans({QUEEN: OPEN})
    if flat.translate(blank) != shown.translate(blank):
        return False
    if any(shown[place] == QUEEN and place not in places for place in range(side**2)):
        return False
    lines = Counter[tuple[str, int]]()
    for place in places:
        row, column = divmod(place, side)
        lines.update(
            [("row", row), ("column", column), ("falling", row - column), ("rising", row + column)]
        )
    return len(places) == side and max(lines.values()) == 1


def render(board: Board, style: Style) -> Prompt:
    side = len(board.rows)
    picture = "\n".join(board.rows)
    there = sum(row.count(QUEEN) for row in board.rows)
    queens = "one queen" if there == 1 else f"{there} queens"
    shown = f' ("Q": {queens} so far)' if there else ""
    some = f" {queens.capitalize()} (Q) cannot be moved." if there else ""
    barred = any(BARRED in row for row in board.rows)
    return Prompt(
        style.pick(
            f"Put queens on this {side}x{side} chessboard until there are {side} of them{shown}."
            f"\n\n{picture}\n\nNo two queens may stand in the same row, in the same column or on"
            " the same diagonal, however far apart they are and whatever is between them."
            + (" A queen may stand on a dot, but not on an X." if barred else ""),
            f"{picture}\n\nThis board of {side} rows and {side} columns must hold {side} queens"
            " that do not attack each other: at most one in each row, each column and each"
            f" diagonal of any length.{some}"
            + (
                " Cells with an X must stay without a queen and do not block lines."
                if barred
                else ""
            )
            + " Any placement that meets these conditions will do.",
            f"The {side} queens problem, with a start:\n\n{picture}\n\nComplete it: {side} queens"
            " in all, exactly one in every row and in every column, and never two on a common"
            f" diagonal (not even on a short one).{some}"
            + (" New queens go on dots; X marks cells that are not to be used." if barred else ""),
        ),
        form=f'the {side} rows of the finished board, one line each, without spaces: "Q" for a'
        " queen, every other sign as it is given",
    )


def canon(board: Board) -> _cells.Board[str]:
    """The least of the board's turns and reflections."""
    return min(_cells.turns(board.rows))


def hardness(board: Board) -> float:
    """Queens to be placed, and the barred cells that stand in their way."""
    signs = "".join(board.rows)
    return len(board.rows) - signs.count(QUEEN) + signs.count(BARRED) / len(board.rows)


def _scattered(rng: Random, side: int) -> list[int] | None:
    """The column of the queen in each row."""
    columns: list[int] = []
    every = list(range(side))
    left = rng.sample(every, side)  # columns that the row may still try
    lines, taken, waiting = _lines(side), 0, [left]
    line = lines[0]
    for _ in range(TRIES):
        if left:
            column = left.pop()
            if not taken & line[column]:
                columns.append(column)
                if len(columns) == side:
                    return columns
                taken |= line[column]
                line, left = lines[len(columns)], rng.sample(every, side)
                waiting.append(left)
        elif columns:
            waiting.pop()
            left, line = waiting[-1], lines[len(columns) - 1]
            taken ^= line[columns.pop()]
        else:
            return None
    return None


@lru_cache(maxsize=32)
def _lines(side: int) -> list[list[int]]:
    """For each cell, the column and the two diagonals that a queen takes, as bits."""
    return [
        [
            1 << column | 1 << side + row + column | 1 << 4 * side + row - column
            for column in range(side)
        ]
        for row in range(side)
    ]


@lru_cache(maxsize=32)
def _attacks(side: int) -> dict[int, int]:
    """For each cell, those that a queen on it attacks outside its row, as bits."""
    found: dict[int, int] = {}
    for row, column in _cells.cells(side, side):
        cells = 0
        for other in range(side):
            for aside in {column, column + other - row, column - other + row}:
                if other != row and 0 <= aside < side:
                    cells |= 1 << other * side + aside
        found[1 << row * side + column] = cells
    return found


def _complete(free: int, rows: tuple[int, ...], attacks: dict[int, int]) -> list[int] | None:
    """The queens of the rows that are left, from the cells that are free."""
    if not rows:
        return []
    counts = [(row & free).bit_count() for row in rows]
    tightest = counts.index(min(counts))
    left, others = rows[tightest] & free, rows[:tightest] + rows[tightest + 1 :]
    while left:
        queen = left & -left
        left ^= queen
        if (found := _complete(free & ~attacks[queen], others, attacks)) is not None:
            return [queen, *found]
    return None


_FREE = str.maketrans({QUEEN: "1", OPEN: "1", BARRED: "0"})
LADDER = (
    Knobs(7, 3, 0.1),
    Knobs(7, 5, 0.2),
    Knobs(8, 7, 0.3),
    Knobs(10, 9, 0.35),
    Knobs(13, 13, 0.4),
)
FAMILY = Family(
    Board,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board(QUEEN + OPEN + BARRED),
    hardness=hardness,
    solver="depth-first search over rows",
    recheck=recheck,
    guess_rate=0.02,
    canon=canon,
    skills=("logic", "search"),
    peers=("reasoning-gym/n_queens", "RLVE/queen_placement"),
    version=3,
)
