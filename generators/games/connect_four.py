"""Connect four: signs drop into columns; which columns keep the best result that can be had?

Boards are of several sizes, and lines of three or four. All the best moves are asked for, so that
none can be hit by chance. `solve` searches forward on bits, with alpha and beta and a memory;
`verify` writes down every position that can come about, turn by turn, and then goes backward.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, islice
from random import Random
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.games._two_players import other

EMPTY = "."
DRAWS = 30

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the board
    columns: int  # of the board
    line: int  # signs in a row that win
    empty: int  # cells left


@dataclass(frozen=True, slots=True)
class Board:
    stacks: tuple[str, ...]  # each column's signs, the lowest first
    rows: int
    line: int
    player: str  # X or O, whose turn it is


def generate(rng: Random, knobs: Knobs) -> Board | None:
    wanted = rng.randrange(1, knobs.columns + 1)  # or else the middle would be best too often
    for _ in range(DRAWS):
        board = drawn(rng, knobs)
        if board is None or wanted not in open_columns(board):
            continue
        # Where it makes no difference what one does, nothing is asked.
        if _among_few(board, wanted):
            return board
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(board: Board) -> tuple[int, ...]:
    columns, beats = open_columns(board), _search(board)
    for bound in (0, -1):
        if best := tuple(column for column in columns if beats(column, bound)):
            return best
    return tuple(columns)


def _among_few(board: Board, wanted: int) -> bool:
    """Whether a column is one of the best, and these are half of the columns at most."""
    columns, beats = open_columns(board), _search(board)
    # Where it loses, either another is better or all are as bad.
    if len(columns) < 3 or not beats(wanted, -1):
        return False
    bound = 0 if beats(wanted, 0) else -1
    if bound and any(beats(column, 0) for column in columns):
        return False
    most = len(columns) // 2
    best = (column for column in columns if beats(column, bound))
    return len(list(islice(best, most + 1))) <= most


def searched(board: Board) -> dict[int, int]:
    """What each move is worth."""
    beats = _search(board)
    return {it: beats(it, 0) + beats(it, -1) - 1 for it in open_columns(board)}


@lru_cache(maxsize=2)
def _search(board: Board) -> Callable[[int, int], bool]:
    """Whether a column is worth more than so much: alpha and beta on bits, with a memory."""
    high = board.rows + 1  # a bit above each column keeps lines from going round
    masks = {"X": 0, "O": 0}
    for column, stack in enumerate(board.stacks):
        for row, sign in enumerate(stack):
            masks[sign] |= 1 << column * high + row
    tops = [1 << column * high + board.rows for column in range(len(board.stacks))]
    bottoms = [1 << column * high for column in range(len(board.stacks))]
    ground, sky = sum(bottoms), sum(tops)
    mine, theirs = masks[board.player], masks[other(board.player)]
    ends = threats = 0  # cells that make a line of one's own at once, or of the other's
    lines = defaultdict[int, list[int]](list)  # by a free cell, those that can still be had
    for line in _spans(board.rows, len(board.stacks), board.line):
        if not line & theirs:
            lacks = line & ~mine
            if not lacks & lacks - 1:
                ends |= lacks
        elif not line & mine:
            lacks = line & ~theirs
            if not lacks & lacks - 1:
                threats |= lacks
        else:
            continue
        while lacks:
            lines[lacks & -lacks].append(line)
            lacks &= lacks - 1
    memory: dict[tuple[int, int, int], bool] = {}

    def holds(cell: int, mine: int, theirs: int, ends: int, threats: int, bound: int) -> bool:
        """Whether taking a cell, which makes no line, is worth more than 0 or -1.

        Ends are the cells that make a line of one's own at once, threats those of the other.
        """
        mine |= cell
        moves = (mine | theirs) + ground & ~sky
        if not moves:
            return bound < 0
        if threats & moves:
            return False
        position = mine, theirs, bound
        if position in memory:
            return memory[position]
        for line in lines[cell]:
            lacks = line & ~mine
            if not lacks & lacks - 1:
                ends |= lacks
        # The other has to take an end, and cannot take two, nor a cell below one.
        forced = ends & moves
        cells = 0 if forced & forced - 1 else (forced or moves) & ~(ends >> 1)
        found = True
        while cells:
            reply = cells & -cells
            cells ^= reply
            if holds(reply, theirs, mine, threats, ends, -1 - bound):
                found = False
                break
        memory[position] = found
        return found

    def beats(column: int, bound: int) -> bool:
        bottom, top = bottoms[column - 1], tops[column - 1]
        cell = (mine | theirs) + bottom & top - bottom
        return bool(cell & ends) or holds(cell, mine, theirs, ends, threats, bound)

    return beats


def _has_line(signs: int, lines: list[int]) -> bool:
    for line in lines:  # noqa: SIM110 (a generator for a line or two takes longer)
        if signs & line == line:
            return True
    return False


@cache
def _spans(rows: int, columns: int, length: int) -> tuple[int, ...]:
    """All lines, with a bit above each column."""
    high = rows + 1
    cells = [column * high + row for column in range(columns) for row in range(rows)]
    board = sum(1 << cell for cell in cells)
    lines = (
        sum(1 << cell + shift * step for step in range(length))
        for cell in cells
        for shift in (1, high - 1, high, high + 1)
    )
    return tuple(line for line in lines if line & board == line)


def verify(board: Board, moves: tuple[int, ...]) -> float:
    values = counted(board)
    best = max(values.values())
    return float(set(moves) == {number for number, value in values.items() if value == best})


def render(board: Board, style: Style) -> Prompt:
    columns, me = len(board.stacks), board.player
    picture = shown(board)
    rule = (
        f"A disc falls to the lowest empty cell of its column. Whoever first has {board.line} of"
        " their own discs side by side in a line, in a row, a column or a diagonal, wins. If the"
        " board fills up before that happens, the game is a draw."
    )
    best = (
        "A move is best if it leads to the best result that the player can force against perfect"
        " play: a win is better than a draw, and a draw better than a loss; how long it takes does"
        " not matter."
    )
    return Prompt(
        style.pick(
            f"A game like connect four on {board.rows} rows and {columns} columns (the numbers"
            f" above the columns; . is empty):\n\n{picture}\n\nX and O take turns dropping their"
            f" discs into columns; it is {me}'s turn. {rule} Into which columns can {me} drop a"
            f" disc so that the move is best? {best} Name all of them.",
            f"{picture}\n\nTwo players, X and O, take turns; in each turn a player chooses a"
            f" column that is not full. {rule} {me} is to move. Find every best move. {best}"
            " Columns are numbered from the left, as above the board; a dot is an empty cell.",
            f"Find all the best moves for {me}, who plays next against {other(me)} on a board of"
            f" vertical columns. {rule} {best} The board, with the columns' numbers above it and"
            f" dots for empty cells:\n\n{picture}",
        ),
        form="the numbers of all the columns that are best moves, in any order, separated by"
        " commas",
    )


def steps(board: Board) -> list[str]:
    """What each move leads to."""
    results = {1: "wins", 0: "draws", -1: "loses"}
    return [f"column {number}: {results[value]}" for number, value in counted(board).items()]


def canon(board: Board) -> object:
    """Reflected, and seen by the player whose turn it is."""
    seen = [
        "".join("mo"[sign != board.player] for sign in stack).ljust(board.rows, EMPTY)
        for stack in board.stacks
    ]
    return min(seen, seen[::-1]), board.line


def hardness(board: Board) -> float:
    return sum(board.rows - len(it) for it in board.stacks) + len(board.stacks) * board.rows / 9


def drawn(rng: Random, knobs: Knobs) -> Board | None:
    """A board filled at random, without a line."""
    stacks, lines = [""] * knobs.columns, _lines(knobs.rows, knobs.columns, knobs.line)
    discs = {"X": 0, "O": 0}
    player = rng.choice("XO")
    signs = player + other(player)
    free = list(range(knobs.columns))
    for place in range(knobs.rows * knobs.columns - knobs.empty, 0, -1):
        sign = signs[place % 2]
        for column in rng.sample(free, len(free)):
            cell = 1 << column * knobs.rows + len(stacks[column])
            then = discs[sign] | cell
            if not _has_line(then, lines[cell]):
                stacks[column] += sign
                discs[sign] = then
                if len(stacks[column]) == knobs.rows:
                    free.remove(column)
                break
        else:
            return None
    return Board(tuple(stacks), knobs.rows, knobs.line, player)


def open_columns(board: Board) -> list[int]:
    """The columns that are not full, numbered from 1."""
    return [it for it, stack in enumerate(board.stacks, start=1) if len(stack) < board.rows]


def shown(board: Board) -> str:
    rows = [
        " ".join(stack[row] if row < len(stack) else EMPTY for stack in board.stacks)
        for row in reversed(range(board.rows))
    ]
    numbers = " ".join(str(number) for number in range(1, len(board.stacks) + 1))
    return "\n".join([numbers, *rows])


def lined(stacks: tuple[str, ...], column: int, line: int) -> bool:
    """Whether the topmost sign of a column stands in a line of its own."""
    row = len(stacks[column]) - 1
    sign = stacks[column][row]

    def run(right: int, up: int) -> int:
        length, at, height = 0, column + right, row + up
        while 0 <= at < len(stacks) and 0 <= height < len(stacks[at]):
            if stacks[at][height] != sign:
                break
            length, at, height = length + 1, at + right, height + up
        return length

    ways = ((1, 0), (0, 1), (1, 1), (1, -1))
    return any(run(right, up) + run(-right, -up) + 1 >= line for right, up in ways)


@lru_cache(maxsize=4)
def counted(board: Board) -> dict[int, int]:
    """What each move is worth to the player, by all positions that can come of it, backward.

    A position is the free cells that the player has taken, and higher up those that the other has;
    all after as many moves are an array. Where a move wins, no other is followed.
    """
    free = [(at, row) for at, it in enumerate(board.stacks) for row in range(len(it), board.rows)]
    number = {1 << at * board.rows + row: 1 << bit for bit, (at, row) in enumerate(free)}
    size, low = len(free), (1 << len(free)) - 1
    stacks = [[bit for bit, (at, _) in enumerate(free) if at == column - 1]
              for column in open_columns(board)]  # fmt: skip
    floors = np.array([1 << bits[0] for bits in stacks])
    columns = np.array([sum(1 << bit for bit in bits) for bits in stacks])
    lines = [_lacking(board, number, sign) for sign in (board.player, other(board.player))]
    positions, layers = np.zeros(1, dtype=np.int64), list[tuple[Array, ...]]()
    while len(positions) and len(layers) < size:
        made, turn = divmod(len(layers), 2)  # moves that the player has made
        taken = positions & low | positions >> size
        cells = (taken[:, None] & columns) + floors & columns  # the lowest that are free
        signs = (positions >> turn * size & low)[:, None] | cells
        wins = np.zeros(cells.shape, dtype=bool)
        for line in lines[turn]:
            if line.bit_count() <= made + 1:
                wins |= signs & line == line
        goes = (cells > 0) & ~wins
        if layers:
            goes &= ~wins.any(axis=1, keepdims=True)
        thens = positions[:, None] | cells << turn * size
        positions, places = np.unique(thens[goes], return_inverse=True)
        layers.append((wins, goes, places))
    worth = np.zeros(len(positions), dtype=np.int64)  # of full boards
    for wins, goes, places in layers[::-1]:
        values = np.full(wins.shape, -1)
        values[goes] = -worth[places]
        values[wins] = 1
        worth = values.max(axis=1)
    return dict(zip(open_columns(board), values[0].tolist()))


def _lacking(board: Board, number: dict[int, int], sign: str) -> list[int]:
    """Of each line that a player can still have, the cells that it lacks, by their numbers."""
    mine = theirs = 0
    for column, stack in enumerate(board.stacks):
        for row, it in enumerate(stack):
            if it == sign:
                mine |= 1 << column * board.rows + row
            else:
                theirs |= 1 << column * board.rows + row
    lines = _every_line(board.rows, len(board.stacks), board.line)
    found = {line & ~mine for line in lines if not line & theirs} - {0}
    return [sum(bit for cell, bit in number.items() if line & cell) for line in found]


@cache
def _every_line(rows: int, columns: int, length: int) -> frozenset[int]:
    return frozenset(chain(*_lines(rows, columns, length).values()))


@cache
def _lines(rows: int, columns: int, length: int) -> dict[int, list[int]]:
    """By the bit of each cell, the bits of all lines through it."""
    found: dict[int, list[int]] = {1 << cell: [] for cell in range(rows * columns)}
    for column in range(columns):
        for row in range(rows):
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                across, high = column + right * (length - 1), row + up * (length - 1)
                if across < columns and 0 <= high < rows:
                    cells = [
                        1 << (column + right * step) * rows + row + up * step
                        for step in range(length)
                    ]
                    for cell in cells:
                        found[cell].append(sum(cells))
    return found


LADDER = (
    Knobs(4, 5, 3, 6),
    Knobs(4, 7, 3, 8),
    Knobs(5, 5, 4, 10),
    Knobs(5, 6, 4, 12),
    Knobs(6, 7, 4, 14),
)
FAMILY = Family(
    Board,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntSet(either=True, called=("column",)),
    hardness=hardness,
    proof="unique",
    solver="alpha and beta with a memory of positions",
    guess_rate=0.3,
    steps=steps,
    canon=canon,
    skills=("games", "search"),
    peers=("TextArena/ConnectFour", "RLVE/connect_four"),
    theme="connect_four",
    version=5,
)
