"""Game of Life: the board after some generations.

A live cell with two or three live neighbours lives on, a dead one with exactly three is born. Only
the whole board counts, since most cells of most boards are dead. `solve` adds up the neighbours of
the live cells alone; `verify` plays with whole rows as integers, all cells of a row at once.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _cells

LIVE, DEAD = "#", "."

Rows = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # rows and columns
    fill: float  # share of live cells at the start
    generations: int
    wrapped: float  # share of boards whose edges meet


@dataclass(frozen=True, slots=True)
class Board:
    rows: Rows
    generations: int
    wrapped: bool


def generate(rng: Random, knobs: Knobs) -> Board | None:
    """A board on which something lives and moves to the end."""
    side = knobs.side
    live = set(rng.sample(_cells.cells(side, side), round(knobs.fill * side**2)))
    board = Board(_drawn(live, side, side), knobs.generations, rng.random() < knobs.wrapped)
    boards = [board.rows, *_played(board)]
    last = boards[-1]
    fresh = last not in boards[:-1]
    return board if fresh and "".join(last).count(LIVE) >= 3 else None


def solve(board: Board) -> Rows:
    *_, last = _played(board)
    return last


def verify(board: Board, rows: Rows) -> float:
    high, wide = len(board.rows), len(board.rows[0])
    if len(rows) != high or any(len(row) != wide for row in rows):
        return 0.0
    full = (1 << wide) - 1
    lines = [int(row.replace(LIVE, "1").replace(DEAD, "0"), 2) for row in board.rows]
    for _ in range(board.generations):
        after = []
        for row in range(high):
            ones = twos = fours = 0  # the digits of the number of live cells in a 3x3 square
            for other in (row - 1, row, row + 1):
                if not board.wrapped and not 0 <= other < high:
                    continue
                line = lines[other % high]
                left, right = line << 1 & full, line >> 1
                if board.wrapped:
                    left |= line >> (wide - 1)
                    right |= (line & 1) << (wide - 1)
                for bits in (left, line, right):
                    carry, ones = ones & bits, ones ^ bits
                    carry, twos = twos & carry, twos ^ carry
                    fours ^= carry  # eight and nine look like none and one, and live as little
            # With itself, a cell that lives next has three in its square, or four if it lives now.
            after.append(ones & twos & ~fours | fours & ~twos & ~ones & lines[row])
        lines = after
    said = [int(row.replace(LIVE, "1").replace(DEAD, "0"), 2) for row in rows]
    return float(said == lines)


def render(board: Board, style: Style) -> Prompt:
    grid = "\n".join(board.rows)
    count = board.generations
    times = "1 generation" if count == 1 else f"{count} generations"
    if board.wrapped:
        edge = style.pick(
            "The board wraps around: the top row is next to the bottom row, and the leftmost column"
            " next to the rightmost.",
            "The edges meet: going off the board on one side one comes back on the opposite side.",
            "It is played on a torus, so that the first and last rows are adjacent, and so are the"
            " first and last columns.",
        )
    else:
        edge = style.pick(
            "Cells outside the board are dead and stay dead.",
            "Nothing lives beyond the edges, and nothing is ever born there.",
            "Beyond its border there are only dead cells, which never come alive.",
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


def canon(board: Board) -> list[object]:
    """The least of the board's turns and reflections."""
    least = min(["".join(row) for row in turned] for turned in _cells.turns(board.rows))
    return [board.generations, board.wrapped, least]


def hardness(board: Board) -> int:
    """Cells to decide on."""
    return len(board.rows) * len(board.rows[0]) * board.generations


def _played(board: Board) -> Iterator[Rows]:
    """The board after each generation."""
    high, wide = len(board.rows), len(board.rows[0])
    live = {cell for cell in _cells.cells(high, wide) if board.rows[cell[0]][cell[1]] == LIVE}
    for _ in range(board.generations):
        beside: Counter[_cells.Cell] = Counter()
        for row, column in live:
            for down, right in _cells.SIDES + _cells.CORNERS:
                near = (row + down, column + right)
                if board.wrapped:
                    beside[near[0] % high, near[1] % wide] += 1
                elif 0 <= near[0] < high and 0 <= near[1] < wide:
                    beside[near] += 1
        live = {
            cell for cell, count in beside.items() if count == 3 or (count == 2 and cell in live)
        }
        yield _drawn(live, high, wide)


def _drawn(live: set[_cells.Cell], high: int, wide: int) -> Rows:
    return tuple(
        "".join(LIVE if (row, column) in live else DEAD for column in range(wide))
        for row in range(high)
    )


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
    canon=canon,
    skills=("tracking", "spatial"),
    peers=("reasoning-gym/game_of_life",),
)
