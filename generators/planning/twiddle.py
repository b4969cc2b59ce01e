"""Twiddle: turn square blocks of numbers by quarters until all numbers are in order.

Every way within the allowed number of turns is right, so `verify` turns the blocks. `generate`
turns blocks of the ordered board, so that every board can be solved; `solve` searches from both
ends.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._cells import Board, Cell, cells, drawn
from puzzlemill.generators.planning._search import from_both_ends

Line: TypeAlias = tuple[int, ...]  # a board's numbers, row by row

LETTERS = "ABCDEFGHIJKLMNOP"
QUARTERS = {"": 1, "'": 3}  # clockwise


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the board; rows and columns may change places
    columns: int  # of the board
    block: int  # the side of a block
    turns: int  # by which the board was mixed up; fewer may do


@dataclass(frozen=True, slots=True)
class Numbers:
    board: Board[int]
    block: int
    limit: int  # turns allowed


def generate(rng: Random, knobs: Knobs) -> Numbers | None:
    rows, columns = rng.sample((knobs.rows, knobs.columns), 2)
    turns = _turns(rows, columns, knobs.block)
    board = tuple(range(1, rows * columns + 1))
    seen = {board}
    for _ in range(knobs.turns):
        boards = [turn(board) for turn in turns]
        fresh = [it for it in boards if it not in seen]
        if not fresh:
            return None
        board = rng.choice(fresh)
        seen.update(boards)  # else it could be come to by fewer turns
    lines = tuple(board[at : at + columns] for at in range(0, len(board), columns))
    return Numbers(lines, knobs.block, knobs.turns)


def solve(numbers: Numbers) -> tuple[str, ...] | None:
    """Breadth first from both ends, on the numbers as one line."""
    turns = _tables(len(numbers.board), len(numbers.board[0]), numbers.block)
    back = [(move[0] if len(move) > 1 else move + "'", source) for move, source in turns]

    def onward(line: bytes) -> list[tuple[str, bytes]]:
        table = line.ljust(256)
        return [(move, source.translate(table)) for move, source in turns]

    def backward(line: bytes) -> list[tuple[str, bytes]]:
        table = line.ljust(256)
        return [(move, source.translate(table)) for move, source in back]

    start = bytes(number for row in numbers.board for number in row)
    found = from_both_ends(start, bytes(sorted(start)), onward, backward, numbers.limit)
    return tuple(found) if found is not None else None


@lru_cache(maxsize=64)
def _tables(rows: int, columns: int, side: int) -> list[tuple[str, bytes]]:
    """For each turn, the place that each number comes from."""
    tables = list[tuple[str, bytes]]()
    for letter, (top, left) in zip(LETTERS, _corners(rows, columns, side)):
        source = list(range(rows * columns))
        for row, column in cells(side, side):
            below = (top + side - 1 - column) * columns + left + row
            source[(top + row) * columns + left + column] = below
        tables.append((letter, bytes(source)))
        tables.append((letter + "'", bytes(map(source.index, range(rows * columns)))))
    return tables


def verify(numbers: Numbers, moves: tuple[str, ...]) -> float:
    if len(moves) > numbers.limit:
        return 0.0
    board = [list(row) for row in numbers.board]
    rows, columns, side = len(board), len(board[0]), numbers.block
    across = columns - side + 1
    for move in moves:
        top, left = divmod(LETTERS.index(move[0]), across)
        if top > rows - side:
            return 0.0
        block = [row[left : left + side] for row in board[top : top + side]]
        # The first column, read upwards, becomes the first row; or the last one, read downwards.
        turned = list(zip(*block[::-1])) if len(move) == 1 else list(zip(*block))[::-1]
        for row, line in zip(board[top:], turned):
            row[left : left + side] = line
    flat = [number for row in board for number in row]
    return float(flat == sorted(flat))


def recheck(numbers: Numbers, moves: tuple[str, ...]) -> bool:
    """Number by number: where each one ends up, by turning its place about the block's middle."""
    rows, columns, side = len(numbers.board), len(numbers.board[0]), numbers.block
    corners = _corners(rows, columns, side)
    if len(moves) > numbers.limit or any(LETTERS.index(it[0]) >= len(corners) for it in moves):
        return False
    for row, line in enumerate(numbers.board):
        for column, number in enumerate(line):
            down, right = row, column
            for move in moves:
                top, left = corners[LETTERS.index(move[0])]
                if top <= down < top + side and left <= right < left + side:
                    # Twice the distance from the middle: a quarter turn takes (y, x) to (x, -y).
                    y, x = 2 * (down - top) - side + 1, 2 * (right - left) - side + 1
                    y, x = (x, -y) if len(move) == 1 else (-x, y)
                    down, right = top + (y + side - 1) // 2, left + (x + side - 1) // 2
            if down * columns + right + 1 != number:
                return False
    return True


def render(numbers: Numbers, style: Style) -> Prompt:
    rows, columns, side = len(numbers.board), len(numbers.board[0]), numbers.block
    board = drawn(numbers.board)
    goal = drawn([range(row * columns + 1, (row + 1) * columns + 1) for row in range(rows)])
    corners = _corners(rows, columns, side)
    letter = dict(zip(corners, LETTERS))
    plan = drawn([[letter.get((r, c), ".") for c in range(columns)] for r in range(rows)])
    block = f"{side}x{side}"
    limit = f"{numbers.limit} turn{'s' if numbers.limit > 1 else ''}"
    return Prompt(
        style.pick(
            f"A board of {rows} rows and {columns} columns:\n\n{board}\n\nA turn rotates all"
            f" numbers in one {block} block by 90 degrees, clockwise or anticlockwise; the other"
            " numbers stay where they are. The blocks have letters. Here each letter stands in the"
            f" top left square of its block:\n\n{plan}\n\nPut the numbers into this order, in at"
            f" most {limit}:\n\n{goal}",
            f"Start:\n{board}\n\nGoal:\n{goal}\n\nYou may take any {block} block of neighbouring"
            " squares and rotate it, with its numbers, by a quarter of a full circle in either"
            f" direction. Blocks may overlap. Get to the goal with {limit} or fewer. Each block is"
            f" called by a letter, shown where the block's upper left corner is:\n{plan}",
            f"These numbers are out of order:\n\n{board}\n\nThey should read like this:\n\n{goal}"
            f"\n\nThe only thing that can be done is to pick a block of {block} squares and turn it"
            f" through 90 degrees, to the right (clockwise) or to the left. No more than {limit}"
            " may be made. The map gives the letter of each block, at the place of its top left"
            f" square:\n\n{plan}",
        ),
        form="the turns in order, separated by spaces: a block's letter alone for a clockwise turn,"
        " the letter with an apostrophe for an anticlockwise turn, as in C and C'",
    )


def steps(numbers: Numbers) -> list[str]:
    """The board after each turn, row by row."""
    board, lines = numbers.board, []
    for move in solve(numbers) or ():
        board = _turned(board, numbers.block, LETTERS.index(move[0]), QUARTERS[move[1:]])
        lines.append(f"{move}: {' / '.join(' '.join(map(str, row)) for row in board)}")
    return lines


def progress(numbers: Numbers, lines: Lines) -> float:
    return way_travelled(FAMILY, numbers, lines, _onward, "([A-Z]'?): ")


def _onward(numbers: Numbers, move: str) -> Numbers | None:
    rows, columns, place = len(numbers.board), len(numbers.board[0]), LETTERS.find(move[0])
    if not 0 <= place < len(_corners(rows, columns, numbers.block)):
        return None
    board = _turned(numbers.board, numbers.block, place, QUARTERS[move[1:]])
    return replace(numbers, board=board, limit=numbers.limit - 1)


def hardness(numbers: Numbers) -> float:
    """What there is to search: so many turns, each one of so many, of blocks of that size."""
    rows, columns = len(numbers.board), len(numbers.board[0])
    return numbers.limit * len(_corners(rows, columns, numbers.block)) * numbers.block


def _corners(rows: int, columns: int, side: int) -> list[Cell]:
    """The top left squares of all blocks, row by row."""
    return cells(rows - side + 1, columns - side + 1)


@lru_cache(maxsize=64)
def _turns(rows: int, columns: int, side: int) -> list[Callable[[Line], Line]]:
    """What each turn makes of a board that is one line."""
    places = tuple(tuple(range(row * columns, (row + 1) * columns)) for row in range(rows))
    return [
        itemgetter(*chain(*_turned(places, side, block, quarters)))
        for block in range(len(_corners(rows, columns, side)))
        for quarters in QUARTERS.values()
    ]


def _turned(board: Board[int], side: int, block: int, quarters: int) -> Board[int]:
    top, left = _corners(len(board), len(board[0]), side)[block]
    lines = [list(row) for row in board]
    for _ in range(quarters):
        before = [list(row) for row in lines]
        for row, column in cells(side, side):
            lines[top + column][left + side - 1 - row] = before[top + row][left + column]
    return tuple(map(tuple, lines))


LADDER = (
    Knobs(3, 3, 2, 2),
    Knobs(3, 3, 2, 4),
    Knobs(3, 4, 2, 6),
    Knobs(4, 4, 2, 6),
    Knobs(4, 5, 2, 7),
    Knobs(5, 5, 3, 8),
)
FAMILY = Family(
    Numbers,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Moves(tuple(letter + prime for letter in LETTERS for prime in QUARTERS)),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="breadth-first search from both ends",
    guess_rate=0.07,
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("planning", "search", "spatial"),
    peers=("Enigmata/twiddle", "RLVE/twiddle_puzzle"),
)
