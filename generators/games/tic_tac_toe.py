"""Tic-tac-toe: on boards of several sizes, which moves keep the best result that can be had?

All the best moves are asked for, so that none can be hit by chance; what is best follows from the
rules alone. `solve` searches forward with memory and stops at the first refutation; `verify` goes
backward, from the full boards through all that come before them.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Board as Cells
from puzzlemill.generators._cells import drawn, turns

# Whether a line wins or loses the game for the one who makes it.
Rule = Literal["line wins", "line loses"]


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
    other = "XO"[player == "X"]
    signs = ["."] * size
    for place, cell in enumerate(order):
        signs[cell] = player if place < filled // 2 else other
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
    best, free = solve(board), signs.count(".")
    # Where it makes no difference what one does, nothing is asked.
    return board if 0 < 2 * len(best) <= free else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(board: Board) -> tuple[int, ...]:
    """Alpha and beta on bits, with a memory of positions."""
    rows, columns = len(board.cells), len(board.cells[0])
    masks = [sum(1 << it for it in line) for line in all_lines(rows, columns, board.line)]
    by_cell = [[mask for mask in masks if mask >> it & 1] for it in range(rows * columns)]
    flat = [sign for row in board.cells for sign in row]
    mine = sum(1 << it for it, sign in enumerate(flat) if sign == board.player)
    theirs = sum(1 << it for it, sign in enumerate(flat) if sign not in (board.player, "."))
    full = (1 << len(flat)) - 1
    value_of_line = 1 if board.rule == "line wins" else -1
    memory: dict[tuple[int, int], int] = {}

    def after(mover: int, other: int, cell: int) -> int:
        """What the game is worth to the mover once the cell is taken."""
        then = mover | 1 << cell
        for mask in by_cell[cell]:
            if then & mask == mask:
                return value_of_line
        known = memory.get((other, then))
        return -(worth(other, then) if known is None else known)

    def worth(mover: int, other: int) -> int:
        best, free = -2, full & ~(mover | other)
        while free and best < 1:
            low = free & -free
            value = after(mover, other, low.bit_length() - 1)
            if value > best:
                best = value
            free ^= low
        memory[mover, other] = best = 0 if best == -2 else best
        return best

    values = {it: after(mine, theirs, it) for it, sign in enumerate(flat) if sign == "."}
    top = max(values.values())
    return tuple(it + 1 for it, value in values.items() if value == top)


def verify(board: Board, moves: tuple[int, ...]) -> float:
    flat = "".join(sign for row in board.cells for sign in row)
    free = [it for it, sign in enumerate(flat) if sign == "."]
    if not set(moves) <= {it + 1 for it in free}:
        return 0.0
    worth = _backward(board)
    values = {it + 1: worth[it] for it in free}
    # The worth is told for X.
    best = max(values.values()) if board.player == "X" else min(values.values())
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
    me, other = board.player, "XO"[board.player == "X"]
    return Prompt(
        style.pick(
            f"A game like tic-tac-toe on {rows} rows of {columns} cells (. is empty):"
            f"\n\n{drawn(board.cells)}\n\n{me} and {other} take turns putting their marks into"
            f" empty cells; it is {me}'s turn. {rule} {numbered} Which moves are best for {me}?"
            f" {best} Name all of them.",
            f"{drawn(board.cells)}\n\nX and O take turns filling an empty cell (shown as a dot)"
            f" of this board with their mark. {rule} {me} is to move. Find every best move."
            f" {best} {numbered}",
            f"Find all the best moves for {me}, who plays next against {other}. {rule} {best}"
            f" {numbered} The board, with dots for empty cells:\n\n{drawn(board.cells)}",
        ),
        form="the numbers of all the cells that are best moves, in any order, separated by commas",
    )


def steps(board: Board) -> list[str]:
    """What each move leads to."""
    flat = "".join(sign for row in board.cells for sign in row)
    free = [it for it, sign in enumerate(flat) if sign == "."]
    worth, sign = _backward(board), 1 if board.player == "X" else -1
    results = {1: "wins", 0: "draws", -1: "loses"}
    return [f"{it + 1}: {results[sign * worth[it]]}" for it in free]


def canon(board: Board) -> object:
    """Turned and reflected, and seen by the player whose turn it is."""
    seen = [
        [" " if sign == "." else "mo"[sign != board.player] for sign in row] for row in board.cells
    ]
    return min(turns(seen)), board.line, board.rule


def hardness(board: Board) -> float:
    return sum(row.count(".") for row in board.cells) + len(board.cells) * len(board.cells[0]) / 9


@lru_cache(maxsize=4)
def _backward(board: Board) -> dict[int, int]:
    """What taking each free cell is worth to X: of all boards that can come of this one, the
    fullest first, by the free cells that either has taken."""
    flat = "".join(sign for row in board.cells for sign in row)
    free = [it for it, sign in enumerate(flat) if sign == "."]
    player, other = board.player, "XO"[board.player == "X"]
    won = 1 if board.rule == "line wins" else -1
    own_lined, their_lined = (_lined(board, flat, free, sign) for sign in (player, other))
    everything = (1 << len(free)) - 1
    worth: dict[tuple[int, int], int] = {}
    for made in range(len(free), 0, -1):
        # Who made the last move, and who is to make the next.
        last, mover = (player, other) if made % 2 else (other, player)
        pick = max if mover == "X" else min
        for own in map(sum, combinations(_bits(everything), (made + 1) // 2)):
            for theirs in map(sum, combinations(_bits(everything & ~own), made // 2)):
                lined = {player: own_lined[own], other: their_lined[theirs]}
                if lined[player] or lined[other]:
                    # Boards on which the other one has a line too never come about.
                    maker = last if lined[last] else mover
                    worth[own, theirs] = won if maker == "X" else -won
                    continue
                left = _bits(everything & ~(own | theirs))
                if mover == player:
                    onward = [worth[own | bit, theirs] for bit in left]
                else:
                    onward = [worth[own, theirs | bit] for bit in left]
                worth[own, theirs] = pick(onward) if onward else 0
    return {cell: worth[1 << place, 0] for place, cell in enumerate(free)}


def _lined(board: Board, flat: str, free: list[int], sign: str) -> list[bool]:
    """For each set of free cells, whether they and those of that sign have a line."""
    rows, columns = len(board.cells), len(board.cells[0])
    needed = {
        sum(1 << free.index(it) for it in line if flat[it] == ".")
        for line in all_lines(rows, columns, board.line)
        if all(flat[it] in (sign, ".") for it in line)
    }
    return [any(line & taken == line for line in needed) for taken in range(1 << len(free))]


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
