"""Knight swap: white and black knights change places on a small board with squares missing.

Every way within the allowed number of moves is right, so `verify` moves the knights. `generate`
uses that the way back is the way there with the colours exchanged, and so looks only half as far;
`solve` searches from both ends.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Board as Rows
from puzzlemill.generators._cells import Cell, cells, turns
from puzzlemill.generators.planning._squares import labelled, named

JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
TRIES = 12  # boards that `generate` looks at
PATIENCE = 6000  # positions after which it gives up on a board

Move = tuple[str, str]  # from square, to square
Jumps = dict[int, list[tuple[int, int]]]
Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of squares; rows and columns may change places
    columns: int  # of squares
    missing: int  # squares
    knights: int  # of each colour
    moves: int  # the fewest that do it; fewer where none of some boards takes as many


@dataclass(frozen=True, slots=True)
class Position:
    board: tuple[str, ...]  # W and B are knights, . is a free square, # is none
    limit: int  # moves allowed


def generate(rng: Random, knobs: Knobs) -> Position | None:
    wanted = rng.randint(knobs.moves * 3 // 4, knobs.moves)
    best = Position((), 0)
    for _ in range(TRIES):
        rows, columns = rng.sample((knobs.rows, knobs.columns), 2)
        squares = rng.sample(cells(rows, columns), rows * columns - knobs.missing)
        sign = dict.fromkeys(squares, ".")
        sign |= dict.fromkeys(squares[: knobs.knights], "W")
        sign |= dict.fromkeys(squares[knobs.knights : 2 * knobs.knights], "B")
        board = tuple(
            "".join(sign.get((row, column), "#") for column in range(columns))
            for row in range(rows)
        )
        # An even number of jumps brings the knights onto as many squares of either colour again.
        most = wanted - wanted % 2
        moves = _moves(board, most) if best.limit < most else 0
        if moves > best.limit:
            best = Position(board, moves)
        if moves == wanted:
            break
    return best if best.limit > 1 else None


def solve(position: Position) -> tuple[Move, ...] | None:
    """Breadth first from both ends."""
    rows, columns = len(position.board), len(position.board[0])
    flat = "".join(position.board)
    squares = [at for at, sign in enumerate(flat) if sign != "#"]
    # By a knight's bit, for each of its jumps the bits of the square that it goes to, and what it
    # changes.
    jumps = {
        1 << 2 * here + black: [
            (3 << 2 * there, 1 << 2 * here + black | 1 << 2 * there + black)
            for there in _reach(rows, columns)[here]
            if flat[there] != "#"
        ]
        for here in squares
        for black in (0, 1)
    }
    start, goal = (
        sum(signs.find(flat[at]) << 2 * at for at in squares) for signs in (".WB", ".BW")
    )
    line = _line(start, goal, jumps, position.limit)
    if line is None:
        return None
    moves = []
    for before, after in pairwise(line):
        # Of the two squares that change, the knight stands on the one that is not free before.
        change = before ^ after
        here, there = sorted(
            (at for at in squares if change >> 2 * at & 3), key=lambda at: not before >> 2 * at & 3
        )
        moves.append((named(divmod(here, columns), rows), named(divmod(there, columns), rows)))
    return tuple(moves)


def verify(position: Position, moves: tuple[Move, ...]) -> float:
    if len(moves) > position.limit:
        return 0.0
    rows, columns = len(position.board), len(position.board[0])
    cell = {named(at, rows): at for at in cells(rows, columns)}
    white, black = (
        {at for at in cell.values() if position.board[at[0]][at[1]] == colour} for colour in "WB"
    )
    goal = (set(black), set(white))
    for move in moves:
        if not cell.keys() >= set(move):
            return 0.0
        here, there = map(cell.__getitem__, move)
        if there not in _jumps(here, rows, columns) or there in white | black:
            return 0.0
        if position.board[there[0]][there[1]] == "#":
            return 0.0
        for knights in (white, black):
            if here in knights:
                knights.remove(here)
                knights.add(there)
                break
        else:
            return 0.0
    return float((white, black) == goal)


def recheck(position: Position, moves: tuple[Move, ...]) -> bool:
    """On the names of the squares; a knight's jump is one by two squares, whichever way."""
    rows = len(position.board)
    on = {
        "abcdefghi"[at] + str(rows - row): sign
        for row, line in enumerate(position.board)
        for at, sign in enumerate(line)
        if sign != "#"
    }
    goal = {square: {"W": "B", "B": "W"}.get(sign, sign) for square, sign in on.items()}
    for here, there in moves:
        if on.get(here, ".") == "." or on.get(there) != ".":
            return False
        across, up = abs(ord(here[0]) - ord(there[0])), abs(int(here[1]) - int(there[1]))
        if across * across + up * up != 5:
            return False
        on[here], on[there] = ".", on[here]
    return len(moves) <= position.limit and on == goal


def render(position: Position, style: Style) -> Prompt:
    rows, columns = len(position.board), len(position.board[0])
    board = labelled(position.board)
    count = "".join(position.board).count("W")
    limit = f"{position.limit} move{'s' if position.limit > 1 else ''}"
    knights = f"{count} white and {count} black knight{'s' if count > 1 else ''}"
    names = "Squares are named by the letter of the column and the number of the row."
    exchange = (
        "every square that holds a white knight now must hold a black one, and every square that"
        " holds a black knight now must hold a white one"
    )
    return Prompt(
        style.pick(
            f"{knights} (W and B) stand on a board, from which the squares marked # are missing"
            f" (dots are free squares):\n\n{board}\n\nIn a move one knight, of either colour, jumps"
            " as in chess: two squares along a row or column and one square to the side. It may"
            " jump over anything, but must land on a free square of the board; nothing is ever"
            f" captured. The colours need not take turns. In the end {exchange}. Do this with at"
            f" most {limit}. {names}",
            f"Make the white knights (W) and the black knights (B) change places, so that"
            f" {exchange}; which of the knights of a colour goes where does not matter.\n\n{board}"
            "\n\nAny knight may move at any time. It moves like a chess knight (two squares in one"
            " direction and one square at a right angle to it, whatever lies between), and only to"
            " an empty square, drawn as a dot. The places marked # are holes in the board."
            f" {names} You have {limit} at most.",
            f"On this board of {rows} rows and {columns} columns a dot is an empty square, a # is a"
            f" place without a square, W a white knight and B a black knight:\n\n{board}\n\nThe"
            " knights make chess knight's moves (an L of two squares and one square), one knight at"
            " a time, in any order of the colours. They never take each other, and no two of them"
            f" can be on one square. Find no more than {limit} that exchange the colours:"
            f" {exchange}. {names}",
        ),
        form="the moves in order, each a pair of squares in brackets: (x, y) for the knight that"
        " goes from square x to square y",
    )


def steps(position: Position) -> list[str]:
    """The board after each move, row by row from the top."""
    rows = len(position.board)
    board, lines = [list(line) for line in position.board], []
    at = {named(cell, rows): cell for cell in cells(rows, len(board[0]))}
    for here, there in solve(position) or ():
        (row, column), (down, right) = at[here], at[there]
        board[down][right], board[row][column] = board[row][column], "."
        colour = {"W": "white", "B": "black"}[board[down][right]]
        lines.append(f"{colour} {here} to {there}: {' / '.join(map(''.join, board))}")
    return lines


def canon(position: Position) -> tuple[Rows[str], int]:
    """The least of all turns and reflections, with the colours as they are or exchanged."""
    other = [line.translate(str.maketrans("WB", "BW")) for line in position.board]
    return min(turns(position.board) + turns(other)), position.limit


def hardness(position: Position) -> float:
    """Moves to find, and knights to choose from."""
    return position.limit + 2 * "".join(position.board).count("W")


def _jumps(cell: Cell, rows: int, columns: int) -> list[Cell]:
    row, column = cell
    return [
        (row + down, column + right)
        for down, right in JUMPS
        if 0 <= row + down < rows and 0 <= column + right < columns
    ]


@lru_cache(maxsize=64)
def _reach(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    """The squares that a knight may jump to from each, if there are all, numbered row by row."""
    return tuple(
        tuple(row * columns + column for row, column in _jumps(cell, rows, columns))
        for cell in cells(rows, columns)
    )


def _line(start: int, goal: int, jumps: Jumps, most: int) -> list[int] | None:
    """The positions from start to goal, as few as can be, or None for more than so many moves.

    A position is an integer, with two bits for each square: 1 for a white knight, 2 for a black.
    """
    if start == goal:
        return [start]
    ends: tuple[dict[int, int], ...] = {start: -1}, {goal: -1}  # where each position came from
    borders = [[start], [goal]]
    for _ in range(most):
        end = len(borders[0]) > len(borders[1])
        seen, others, fresh = ends[end], ends[not end], list[int]()
        for position in borders[end]:
            rest = position
            while rest:
                knight = rest & -rest
                rest ^= knight
                for square, change in jumps[knight]:
                    if not position & square:
                        then = position ^ change
                        if then not in seen:
                            seen[then] = position
                            if then in others:
                                return _traced(ends[0], then)[::-1] + _traced(ends[1], then)[1:]
                            fresh.append(then)
        borders[end] = fresh
    return None


def _traced(came: dict[int, int], position: int) -> list[int]:
    """The positions from this one back to where a search began."""
    line = []
    while position >= 0:
        line.append(position)
        position = came[position]
    return line


def _moves(board: tuple[str, ...], most: int) -> int:
    """The fewest moves, which are even; 0 if that is more than so many, or long to find out.

    A position is an integer, with a bit for each white knight, and higher up one for each black.
    All positions after as many moves are an array in order. From the last of them a move leads to
    new ones and to those before, for a knight's jump changes the colour of its square.
    """
    rows, columns = len(board), len(board[0])
    size = rows * columns
    flat = "".join(board)
    reach = [
        [to for to in squares if flat[to] != "#"] if sign != "#" else []
        for sign, squares in zip(flat, _reach(rows, columns))
    ]
    if not _balanced(flat, [sum(1 << to for to in squares) for squares in reach]):
        return 0
    low = (1 << size) - 1
    start = sum(1 << at + size * (sign == "B") for at, sign in enumerate(flat) if sign in "WB")
    # For each jump of a knight its bit, with those that must not be there, and what it changes.
    jumps = [
        (here, here | 1 << to | 1 << to + size, here | 1 << to + shift)
        for shift in (0, size)
        for at, squares in enumerate(reach)
        for here in (1 << at + shift,)
        for to in squares
    ]
    knights, near, changes = np.array(jumps, dtype=np.int64).T
    behind, border, seen = np.array([-1]), np.array([start]), 1
    for depth in range(1, most // 2 + 1):
        states = border[:, None]
        fresh = (states ^ changes)[states & near == knights]
        fresh.sort()
        fresh = np.concatenate((fresh[:1], fresh[1:][fresh[1:] != fresh[:-1]]))
        fresh = fresh[~_among(fresh, behind)]
        if _among(fresh >> size | (fresh & low) << size, fresh).any():
            return 2 * depth
        seen += len(fresh)
        if not len(fresh) or seen > PATIENCE:
            return 0
        behind, border = border, fresh
    return 0


def _among(states: Array, known: Array) -> Array:
    """Which of the states are among those that are known, in order."""
    found: Array = known.take(np.searchsorted(known, states), mode="clip") == states
    return found


def _balanced(flat: str, near: list[int]) -> bool:
    """Whether squares that hang together hold as many knights of either colour: otherwise they
    cannot change places."""
    white, black = (sum(1 << at for at, it in enumerate(flat) if it == sign) for sign in "WB")
    left = white | black
    while left:
        piece, border = 0, left & -left
        while border:
            piece |= border
            rest, border = border, 0
            while rest:
                bit = rest & -rest
                rest ^= bit
                border |= near[bit.bit_length() - 1]
            border &= ~piece
        if (piece & white).bit_count() != (piece & black).bit_count():
            return False
        left &= ~piece
    return True


LADDER = (
    Knobs(4, 5, 4, 1, 6),
    Knobs(4, 5, 5, 2, 9),
    Knobs(4, 5, 6, 2, 13),
    Knobs(4, 5, 7, 2, 17),
    Knobs(4, 5, 7, 3, 24),
)
FAMILY = Family(
    Position,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(items="words"),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="breadth-first search from both ends",
    guess_rate=0.03,
    steps=steps,
    canon=canon,
    skills=("planning", "search", "spatial"),
    peers=("reasoning-gym/knight_swap",),
)
