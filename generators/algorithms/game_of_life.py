"""Game of Life: the board after some generations.

A live cell with two or three live neighbours lives on, a dead one with exactly three is born. Only
the whole board counts, since most cells of most boards are dead. `solve` adds up the neighbours of
the live cells alone; `verify`, like `generate`, plays with whole rows as integers, all cells of a
row at once.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators import _cells

LIVE, DEAD = "#", "."

Rows = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # rows and columns
    fill: float  # share of live cells at the start
    generations: int  # from the board told to the one asked for
    wrapped: float  # share of boards whose edges meet


@dataclass(frozen=True, slots=True)
class Board:
    rows: Rows
    generations: int
    wrapped: bool


def generate(rng: Random, knobs: Knobs) -> Board | None:
    """A board on which something lives and moves to the end."""
    side = knobs.side
    live = set(rng.sample(range(side**2), round(knobs.fill * side**2)))
    board = Board(_drawn(live, side, side), knobs.generations, rng.random() < knobs.wrapped)
    *before, last = _lines(board)
    living = sum(line.bit_count() for line in last)
    return board if living >= 3 and last not in before else None


def solve(board: Board) -> Rows:
    *_, last = _played(board)
    return last


def verify(board: Board, rows: Rows) -> float:
    high, wide = len(board.rows), len(board.rows[0])
    if len(rows) != high or any(len(row) != wide for row in rows):
        return 0.0
    *_, last = _lines(board)
    return float([_line(row) for row in rows] == last)


def render(board: Board, style: Style) -> Prompt:
    grid = "\n".join(board.rows)
    count = board.generations
    times = "1 generation" if count == 1 else f"{count} generations"
    if board.wrapped:
        edge = style.pick(
            "The board wraps around: the top row is next to the bottom row, and the leftmost column"
            " next to the rightmost.",
            "The edges meet: a step off one side of the board leads back onto it on the opposite"
            " side.",
            "The board is a torus, so that the first and last rows are adjacent, and so are the"
            " first and last columns.",
        )
    else:
        edge = style.pick(
            "Cells outside the board are dead and stay dead.",
            "Nothing lives beyond the edges, and nothing is ever born there.",
            "Beyond the border of the board there are only dead cells, which never come alive.",
        )
    return Prompt(
        style.pick(
            f"Play Conway's Game of Life for {times} from this board ({LIVE} live, {DEAD} dead):"
            f"\n\n{grid}\n\nThe neighbours of a cell are the 8 cells around it. In each generation,"
            " all at once, a live cell with 2 or 3 live neighbours stays alive, a dead cell with"
            f" exactly 3 live neighbours comes alive, and every other cell is dead. {edge}",
            f'{grid}\n\nIn this colony "{LIVE}" is a living cell and "{DEAD}" an empty one. From'
            " one generation to the next, all cells change at the same time: one with fewer than 2"
            " or more than 3 living cells among the 8 around it dies or stays empty; one with"
            " exactly 2 remains what it is; one with exactly 3 is alive"
            f" afterwards. {edge} What does the colony look like after {times}?",
            f"Game of Life. A cell is alive ({LIVE}) or dead ({DEAD}), and touches 8 others, the"
            " diagonal ones included. Survival: 2 or 3 live neighbours. Birth: exactly 3. In all"
            f" other cases the cell is dead next. Every cell is updated simultaneously. {edge}\n\n"
            f"{grid}\n\nGive the board {times} later.",
        ),
        form=f"the board, one row a line, made of {LIVE} and {DEAD} without spaces",
    )


def steps(board: Board) -> list[str]:
    return [f"after {count}: {' / '.join(rows)}" for count, rows in enumerate(_played(board), 1)]


def progress(board: Board, lines: Lines) -> float:
    return states_followed(FAMILY, board, lines)


def canon(board: Board) -> list[object]:
    """The least of the board's turns and reflections."""
    least = ["".join(row) for row in min(_cells.turns(board.rows))]
    return [board.generations, board.wrapped, least]


def hardness(board: Board) -> int:
    """Cells to decide on."""
    return len(board.rows) * len(board.rows[0]) * board.generations


def _played(board: Board) -> Iterator[Rows]:
    """The board after each generation."""
    high, wide = len(board.rows), len(board.rows[0])
    near = _neighbours(high, wide, board.wrapped)
    live = {cell for cell, sign in enumerate("".join(board.rows)) if sign == LIVE}
    for _ in range(board.generations):
        beside = Counter(chain.from_iterable(near[cell] for cell in live))
        live = {
            cell for cell, count in beside.items() if count == 3 or (count == 2 and cell in live)
        }
        yield _drawn(live, high, wide)


@cache
def _neighbours(high: int, wide: int, wrapped: bool) -> list[list[int]]:
    """The neighbours of each cell; cells are numbered from 0, row by row."""
    return [
        [
            (row + down) % high * wide + (column + right) % wide
            for down, right in _cells.SIDES + _cells.CORNERS
            if wrapped or (0 <= row + down < high and 0 <= column + right < wide)
        ]
        for row, column in _cells.cells(high, wide)
    ]


def _drawn(live: set[int], high: int, wide: int) -> Rows:
    signs = "".join(LIVE if cell in live else DEAD for cell in range(high * wide))
    return tuple(signs[start : start + wide] for start in range(0, high * wide, wide))


def _lines(board: Board) -> Iterator[list[int]]:
    """The board's rows as integers, at first and after each generation."""
    wide = len(board.rows[0])
    lines = [_line(row) for row in board.rows]
    yield lines
    for _ in range(board.generations):
        # How many of a cell and those to its left and right live, in binary: ones and twos.
        threes = [_threes(line, wide, board.wrapped) for line in lines]
        above, below = (threes[-1], threes[0]) if board.wrapped else ((0, 0), (0, 0))
        lines = [
            _next(line, *rows)
            for line, rows in zip(lines, zip([above, *threes], threes, [*threes[1:], below]))
        ]
        yield lines


def _line(row: str) -> int:
    return int(row.replace(LIVE, "1").replace(DEAD, "0"), 2)


def _threes(line: int, wide: int, wrapped: bool) -> tuple[int, int]:
    left, right = line << 1 & (1 << wide) - 1, line >> 1
    if wrapped:
        left |= line >> (wide - 1)
        right |= (line & 1) << (wide - 1)
    return left ^ line ^ right, left & line | line & right | right & left


def _next(line: int, *rows: tuple[int, int]) -> int:
    """With itself, a cell that lives next has three in its square, or four if it lives now."""
    (a, d), (b, e), (c, f) = rows
    ones, more = a ^ b ^ c, a & b | b & c | c & a
    twos = d ^ e ^ f ^ more
    fours = d & e ^ f & more ^ (d ^ e) & (f ^ more)  # eight and nine look like none and one
    return ones & twos & ~fours | fours & ~twos & ~ones & line


LADDER = (
    Knobs(4, 0.4, 1, 0.0),
    Knobs(6, 0.4, 2, 0.3),
    Knobs(8, 0.4, 4, 0.5),
    Knobs(10, 0.4, 7, 0.6),
    Knobs(14, 0.4, 12, 0.7),
)
FAMILY = Family(
    Board,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board(LIVE + DEAD),
    hardness=hardness,
    proof="unique",
    solver="simulation, counting the neighbours of live cells",
    guess_rate=0.01,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("tracking", "spatial"),
    peers=("reasoning-gym/game_of_life",),
    theme="game_of_life",
    version=3,
)
