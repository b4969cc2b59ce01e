"""Tic-tac-toe: on boards of several sizes, which moves keep the best result that can be had?

All the best moves are asked for, so that none can be hit by chance; what is best follows from the
rules alone. `solve` searches forward with memory and stops at the first refutation; `verify` goes
backward, from the full boards through all that come before them. So does `generate` to choose a
board, as that takes a fraction of the time.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from random import Random
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Board as Cells
from puzzlemill.generators._cells import drawn, turns
from puzzlemill.generators.games._two_players import other, proved

# Whether a line wins or loses the game for the one who makes it.
Rule = Literal["line wins", "line loses"]
Lines: TypeAlias = tuple[int, ...]  # of cells, as bits
Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board; one side may be one longer
    line: int  # signs in a row, at most as many as the side
    empty: int  # cells left
    rule: Rule


@dataclass(frozen=True, slots=True)
class Board:
    cells: Cells[str]  # X, O or a dot
    line: int
    rule: Rule
    player: str  # whose turn it is


def generate(rng: Random, knobs: Knobs) -> Board | None:
    rows = knobs.side
    columns = knobs.side + (rng.randrange(2) if knobs.side > 3 else 0)
    if rng.random() < 0.5:
        rows, columns = columns, rows
    size = rows * columns
    filled = size - min(knobs.empty, size - 2)
    line = min(knobs.line, rows, columns)
    order = rng.sample(range(size), filled)
    player = rng.choice("XO")
    rival = other(player)
    signs = ["."] * size
    for place, cell in enumerate(order):
        signs[cell] = player if place < filled // 2 else rival
    if any(
        {signs[it] for it in cells} in ({"X"}, {"O"}) for cells in all_lines(rows, columns, line)
    ):
        return None
    board = Board(
        tuple(tuple(signs[at : at + columns]) for at in range(0, size, columns)),
        line,
        knobs.rule,
        player,
    )
    worth = [*_backward(board).values()]
    # Where it makes no difference what one does, nothing is asked.
    return board if 2 * worth.count(max(worth)) <= len(worth) else None


def solve(board: Board) -> tuple[int, ...]:
    """Alpha and beta, with a memory of positions. A position is what either player's lines that can
    still be had lack, and how many cells are free: those in no line are as good as each other."""
    flat = "".join(sign for row in board.cells for sign in row)
    wins = board.rule == "line wins"
    everything = sum(1 << it for it, sign in enumerate(flat) if sign == ".")
    memory: dict[tuple[Lines, Lines, int], tuple[int, int]] = {}

    def after(own: Lines, others: Lines, free: int, cell: int, low: int, top: int) -> int:
        """What a move is worth to the one who makes it, if that lies between these bounds."""
        free ^= cell
        left = free.bit_count()
        theirs = tuple([it for it in others if not it & cell])
        rest = [it & ~cell for it in own]
        if 0 in rest:
            return 1 if wins else -1
        mine = tuple([it for it in rest if it.bit_count() <= left // 2])
        return -worth(theirs, mine, free, -top, -low) if theirs or mine else 0

    def worth(own: Lines, others: Lines, free: int, low: int, top: int) -> int:
        """What a position is worth to the one to move."""
        key = own, others, free.bit_count()
        if key in memory:
            least, most = memory[key]
        else:  # who has lines may win by them, or lose
            least, most = -bool(others if wins else own), int(bool(own if wins else others))
        low, top = max(low, least), min(top, most)
        if low >= top:
            return least if least == most else low
        near = 0  # cells in lines
        for line in own + others:
            near |= line
        lone = free & ~near
        cells = near | lone & -lone
        ends, threats = _lacking_one(own), _lacking_one(others)
        if wins:
            # Only a move onto the other's winning cell can be as good as any; two are too many.
            if ends or threats & (threats - 1):
                return 1 if ends else -1
            cells = threats or cells
        else:
            cells &= ~ends
        best = -1
        while cells and best < top:
            cell = cells & -cells
            cells ^= cell
            value = after(own, others, free, cell, max(best, low), top)
            if value > best:
                best = value
        memory[key] = proved(best, low, top, least, most)
        return best

    own, others = (_lacks(board, flat, sign) for sign in (board.player, other(board.player)))
    best, top = list[int](), -1
    for at, sign in enumerate(flat):
        if sign == ".":
            value = after(own, others, everything, 1 << at, top - 1, 1)
            if value > top:
                best, top = [], value
            if value == top:
                best.append(at + 1)
    return tuple(best)


def _lacks(board: Board, flat: str, sign: str) -> Lines:
    """Of each line that a player can still have, the free cells."""
    lines = all_lines(len(board.cells), len(board.cells[0]), board.line)
    return tuple(
        sum(1 << it for it in line if flat[it] == ".")
        for line in lines
        if all(flat[it] in (sign, ".") for it in line)
    )


def _lacking_one(lines: Lines) -> int:
    """The cells that make a line at once."""
    cells = 0
    for line in lines:
        if not line & (line - 1):
            cells |= line
    return cells


def verify(board: Board, moves: tuple[int, ...]) -> float:
    flat = "".join(sign for row in board.cells for sign in row)
    free = [it for it, sign in enumerate(flat) if sign == "."]
    if not set(moves) <= {it + 1 for it in free}:
        return 0.0
    worth = _backward(board)
    values = {it + 1: worth[it] for it in free}
    best = max(values.values())
    return float(set(moves) == {cell for cell, value in values.items() if value == best})


def render(board: Board, style: Style) -> Prompt:
    rows, columns = len(board.cells), len(board.cells[0])
    ends = (
        style.pick("wins at once", "has won")
        if board.rule == "line wins"
        else style.pick("loses at once (so lines are to be avoided here)", "has lost")
    )
    rule = (
        f"Whoever first has {board.line} of their own marks side by side in a line, in a row, a"
        f" column or a diagonal, {ends}. If the board fills up before that happens, the game is a"
        " draw."
    )
    best = (
        "A move is best if it leads to the best result that the player can force against perfect"
        " play: a win is better than a draw, and a draw better than a loss; how long it takes does"
        " not matter."
    )
    numbered = style.pick(
        f"Cells are numbered from 1 to {rows * columns}, row by row from the top left.",
        f"The numbers of the cells: the top row has 1 to {columns} from left to right, and so on"
        f" down to {rows * columns}.",
    )
    me, rival = board.player, other(board.player)
    return Prompt(
        style.pick(
            f"A game like tic-tac-toe on {rows} rows of {columns} cells (. is empty):"
            f"\n\n{drawn(board.cells)}\n\n{me} and {rival} take turns putting their marks into"
            f" empty cells; it is {me}'s turn. {rule} {numbered} Which moves are best for {me}?"
            f" {best} Name all of them.",
            f"{drawn(board.cells)}\n\nX and O take turns filling an empty cell (shown as a dot)"
            f" of this board with their mark. {rule} {me} is to move. Find every best move."
            f" {best} {numbered}",
            f"Find all the best moves for {me}, who plays next against {rival}. {rule} {best}"
            f" {numbered} The board, with dots for empty cells:\n\n{drawn(board.cells)}",
        ),
        form="the numbers of all the cells that are best moves, in any order, separated by commas",
    )


def steps(board: Board) -> list[str]:
    """What each move leads to."""
    flat = "".join(sign for row in board.cells for sign in row)
    free = [it for it, sign in enumerate(flat) if sign == "."]
    worth = _backward(board)
    results = {1: "wins", 0: "draws", -1: "loses"}
    return [f"{it + 1}: {results[worth[it]]}" for it in free]


def canon(board: Board) -> object:
    """Turned and reflected, and seen by the player whose turn it is."""
    seen = [
        [" " if sign == "." else "mo"[sign != board.player] for sign in row] for row in board.cells
    ]
    return min(turns(seen)), board.line, board.rule


def hardness(board: Board) -> float:
    return sum(row.count(".") for row in board.cells) + len(board.cells) * len(board.cells[0]) / 9


@lru_cache(maxsize=4)  # generate asks before the item is certified
def _backward(board: Board) -> dict[int, int]:
    """What taking each free cell is worth to the player: of all boards that can come of this one,
    the fullest first, by the free cells that either has taken."""
    flat = "".join(sign for row in board.cells for sign in row)
    free = [it for it, sign in enumerate(flat) if sign == "."]
    won = 1 if board.rule == "line wins" else -1
    own_lined, their_lined = (
        _with_line(board, flat, free, sign) for sign in (board.player, other(board.player))
    )
    worth = np.zeros(1, dtype=np.int8)
    layers = _layers(len(free))
    for made in range(len(free), 0, -1):
        own, theirs, onward = layers[made]
        if made < len(free):
            worth = worth[onward].min(axis=0) if made % 2 else worth[onward].max(axis=0)
        else:
            worth = np.zeros(len(own), dtype=np.int8)
        worth[own_lined[own]] = won
        worth[their_lined[theirs]] = -won
    return dict(zip(free, worth.tolist()))


def _with_line(board: Board, flat: str, free: list[int], sign: str) -> Array:
    """For each set of free cells, whether they and those of that sign have a line."""
    taken, places = np.arange(1 << len(free)), {cell: 1 << at for at, cell in enumerate(free)}
    rival = other(sign)
    needed = {
        sum([places.get(cell, 0) for cell in line])
        for line in all_lines(len(board.cells), len(board.cells[0]), board.line)
        if rival not in [flat[cell] for cell in line]
    }
    cells = np.array([*needed], dtype=taken.dtype)[:, None]
    lined: Array = (taken & cells == cells).any(axis=0)
    return lined


@lru_cache(maxsize=8)
def _layers(free: int) -> list[tuple[Array, Array, Array]]:
    """By how many of so many free cells are taken: the sets that the player and the other may hold
    then, and at which places of the next layer what comes of it stands."""
    layers = []
    places: dict[tuple[int, int], int] = {}
    for made in range(free, -1, -1):
        positions = [
            (own, theirs)
            for own in map(sum, combinations(_bits((1 << free) - 1), (made + 1) // 2))
            for theirs in map(sum, combinations(_bits((1 << free) - 1 & ~own), made // 2))
        ]
        onward = [
            [
                places[(own, theirs | bit) if made % 2 else (own | bit, theirs)]
                for bit in _bits((1 << free) - 1 & ~(own | theirs))
            ]
            for own, theirs in positions
        ]
        places = {position: place for place, position in enumerate(positions)}
        own, theirs = np.array(positions).T
        layers.append((own, theirs, np.array([*zip(*onward)], dtype=np.int32)))
    return layers[::-1]


@cache
def _bits(cells: int) -> tuple[int, ...]:
    return tuple(1 << it for it in range(cells.bit_length()) if cells >> it & 1)


@cache
def all_lines(rows: int, columns: int, length: int) -> list[tuple[int, ...]]:
    """The cells of every line of this length."""
    found = []
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last = (row + down * (length - 1), column + right * (length - 1))
                if last[0] < rows and 0 <= last[1] < columns:
                    found.append(
                        tuple(
                            (row + down * it) * columns + column + right * it
                            for it in range(length)
                        )
                    )
    return found


LADDER = (
    Knobs(3, 3, 4, "line wins"),
    Knobs(4, 3, 6, "line wins"),
    Knobs(4, 4, 7, "line loses"),
    Knobs(4, 4, 8, "line wins"),
    Knobs(5, 4, 8, "line wins"),
)
FAMILY = Family(
    Board,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntSet(either=True, called=("cell",)),
    hardness=hardness,
    proof="unique",
    solver="alpha and beta with a memory of positions",
    guess_rate=0.25,
    steps=steps,
    canon=canon,
    skills=("games", "search"),
    peers=("Enigmata/tic_tac_toe", "TextArena/TicTacToe"),
    theme="connect_four",
    version=3,
)
