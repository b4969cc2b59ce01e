"""Draughts: English rules, on six rows or eight; without progress the game is drawn."""

from dataclasses import dataclass
from random import Random

from puzzlemill.core.family import Prompt
from puzzlemill.core.game import Game
from puzzlemill.generators.games.draughts import RULE, SQUARE, legal_moves, picture, square

SIZES = ((6, 1), (6, 2), (8, 2), (8, 3))  # rows of the board, and of each player's men
QUIET = 20  # moves in a row without a capture or a man's step, after which nobody wins
FIRST = 4  # moves made at random, so that games begin differently
KING = 1.5  # what a king counts for while the game is on; a man counts 1


@dataclass(frozen=True, slots=True)
class Board:
    rows: tuple[str, ...]  # from the top: w and b are men, W and B kings; White goes up
    mover: int
    quiet: int  # moves since the last capture or man's step
    side: int


def reset(rng: Random, level: float) -> Board:
    side, men = SIZES[round(level * (len(SIZES) - 1))]
    filled = dict.fromkeys(range(men), "b") | {side - 1 - row: "w" for row in range(men)}
    rows = tuple(
        "".join(filled.get(row, ".") if (row + at) % 2 else "." for at in range(side))
        for row in range(side)
    )
    board = Board(rows, 0, 0, side)
    for _ in range(FIRST):
        onward = [then for it in legal(board) if legal(then := step(board, it))]
        board = rng.choice(onward)
    return board


def to_move(board: Board) -> int:
    return board.mover


def legal(board: Board) -> tuple[str, ...]:
    """Each move by the squares that the piece comes by, such as a3-c5-e3."""
    return tuple(_after(board)) if board.quiet < QUIET else ()


def step(board: Board, move: str) -> Board:
    then = _after(board)[move]
    side, before = board.side, "".join(board.rows)
    captured = then.count(".") > before.count(".")
    # A king's step is the only move that takes a position back to where it was.
    first = before[SQUARES[side].index(move[:2])]
    rows = tuple(then[at : at + side] for at in range(0, side * side, side))
    quiet = board.quiet + 1 if first.isupper() and not captured else 0
    return Board(rows, 1 - board.mover, quiet, side)


def score(board: Board) -> tuple[float, float]:
    """Over: who has won. Until then, how far ahead in pieces."""
    if board.quiet >= QUIET:
        return 0.0, 0.0
    if not _after(board):
        return (-1.0, 1.0) if board.mover == 0 else (1.0, -1.0)
    signs = "".join(board.rows)
    white, black = (signs.count(it) + KING * signs.count(it.upper()) for it in "wb")
    lead = (white - black) / (white + black + 1)
    return lead, -lead


def shown(board: Board, player: int) -> Prompt:
    who, other = ("White", "Black")[player], ("Black", "White")[player]
    return Prompt(
        f"You play English draughts (checkers) as {who} against {other}, on a board of"
        f" {board.side} x {board.side}:\n\n{picture(board.rows)}\n\n{RULE} After {QUIET} moves"
        " in a row that neither capture nor move a man the game is drawn; so far there have been"
        f" {board.quiet}. It is your turn.",
        form="all squares that your piece comes by, joined by hyphens, such as c3-d4, or a1-c3-e5"
        " for two jumps",
    )


def move(text: str) -> str | None:
    said = text.strip().lower().replace(" ", "").replace("x", "-")
    squares = SQUARE.findall(said)
    return "-".join(squares) if said == "-".join(squares) and len(squares) > 1 else None


def write(move: str) -> str:
    return move


def _after(board: Board) -> dict[str, str]:
    """What the board is after each move."""
    found = legal_moves("".join(board.rows), board.side, "wb"[board.mover])
    return {"-".join(square(at, board.side) for at in way): then for way, then in found}


SQUARES = {side: tuple(square(at, side) for at in range(side * side)) for side, _ in SIZES}
GAME = Game(Board, reset, to_move, legal, step, score, shown, move, write)
