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
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._cells import Board, Cell, cells, drawn

Array: TypeAlias = npt.NDArray[Any]
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
    """Breadth first from both ends, a layer at a time. Those around the goal are kept, for they are
    the same for all boards of a shape."""
    shape = len(numbers.board), len(numbers.board[0]), numbers.block
    names, sources = _tables(*shape)
    start = bytes(number for row in numbers.board for number in row)
    goal = bytes(sorted(start))
    if start == goal:
        return ()
    behind, ahead = [_end(start)], [_around(goal, *shape, 0)]
    for _ in range(numbers.limit):
        # Only the borders can meet: what lies between was come to by fewer turns.
        if len(behind[-1].keys) <= len(ahead[-1].keys):
            keys = _keys(behind[-1], sources)
            met = np.flatnonzero(_among(keys, ahead[-1].keys))
            if len(met):
                ways = (behind, met[0]), (ahead[:-1], ahead[-1].came_to(keys[met[0]]))
                break
            behind.append(_next(behind, keys, sources))
        else:
            ahead.append(_around(goal, *shape, len(ahead)))
            met = ahead[-1].first[_among(ahead[-1].keys, behind[-1].keys)]
            if len(met):
                key = ahead[-1].keys[np.flatnonzero(ahead[-1].first == met.min())[0]]
                ways = (behind[:-1], behind[-1].came_to(key)), (ahead[:-1], met.min())
                break
    else:
        return None
    there, back = (_traced(layers, int(came), len(names)) for layers, came in ways)
    # An even turn is clockwise, and the odd one after it takes it back.
    return tuple([names[turn] for turn in there[::-1]] + [names[turn ^ 1] for turn in back])


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """All boards to which it takes as many turns."""

    boards: Array  # in the order in which they are come to
    came: Array  # of each, the place of the one before times the number of turns, and the turn
    keys: Array  # in order; each a number that stands for a board
    first: Array  # for each key the `came` of its board

    def came_to(self, key: Any) -> Any:
        return self.first[np.searchsorted(self.keys, key)]


def _end(board: bytes) -> Layer:
    line, nothing = np.frombuffer(board, dtype=np.uint8)[None], np.zeros(1, dtype=np.int64)
    return Layer(line, nothing, line @ _weights(len(board)), nothing)


@lru_cache(maxsize=12)
def _around(goal: bytes, rows: int, columns: int, side: int, turns: int) -> Layer:
    if not turns:
        return _end(goal)
    before = [_around(goal, rows, columns, side, it) for it in range(max(turns - 2, 0), turns)]
    sources = _tables(rows, columns, side)[1]
    return _next(before, _keys(before[-1], sources), sources)


def _keys(layer: Layer, sources: Array) -> Array:
    """Those of the boards that each turn makes of each board."""
    count, size = sources.shape
    weights = np.empty((size, count), dtype=np.int64)
    weights[sources, np.arange(count)[:, None]] = _weights(size)
    keys: Array = (layer.boards @ weights).ravel()
    return keys


def _next(layers: list[Layer], keys: Array, sources: Array) -> Layer:
    """A turn further on. From the last layer a turn leads to new boards and to the last two."""
    keys, first = np.unique(keys, return_index=True)
    for layer in layers[-2:]:
        fresh = ~_among(keys, layer.keys)
        keys, first = keys[fresh], first[fresh]
    came = np.sort(first)
    before, turn = np.divmod(came, len(sources))
    return Layer(layers[-1].boards[before[:, None], sources[turn]], came, keys, first)


def _among(keys: Array, known: Array) -> Array:
    """Which of the keys are among those that are known, in order."""
    found: Array = known.take(np.searchsorted(known, keys), mode="clip") == keys
    return found


def _traced(layers: list[Layer], came: int, count: int) -> list[int]:
    """The turns by which a board after the last layer was come to, the last one first."""
    turns = list[int]()
    for layer in layers[::-1]:
        place, turn = divmod(came, count)
        turns.append(turn)
        came = int(layer.came[place])
    return turns


@lru_cache(maxsize=64)
def _weights(size: int) -> Array:
    """Of each place in a board's key: large at random, so that hardly any two boards share one."""
    source = Random(size)
    return np.array([source.getrandbits(63) for _ in range(size)], dtype=np.int64)


@lru_cache(maxsize=64)
def _tables(rows: int, columns: int, side: int) -> tuple[list[str], Array]:
    """The turns, and for each the place that each number comes from."""
    names, tables = list[str](), list[list[int]]()
    for letter, (top, left) in zip(LETTERS, _corners(rows, columns, side)):
        source = list(range(rows * columns))
        for row, column in cells(side, side):
            below = (top + side - 1 - column) * columns + left + row
            source[(top + row) * columns + left + column] = below
        names += [letter, letter + "'"]
        tables += [source, list(map(source.index, range(rows * columns)))]
    return names, np.array(tables)


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
