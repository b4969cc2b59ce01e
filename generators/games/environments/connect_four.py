"""Connect four: signs drop into columns."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Prompt
from puzzlemill.core.game import Game
from puzzlemill.generators.games._two_players import other
from puzzlemill.generators.games.connect_four import Board, lined, open_columns
from puzzlemill.generators.games.connect_four import shown as drawn

SIZES = ((4, 4, 3), (5, 5, 4), (6, 7, 4))  # rows, columns, signs in a line


def reset(rng: Random, level: float) -> Board:
    rows, columns, line = SIZES[round(level * (len(SIZES) - 1))]
    board = Board(("",) * columns, rows, line, "X")
    for column in rng.sample(range(1, columns + 1), 2):  # so that games begin differently
        board = step(board, column)
    return board


def to_move(board: Board) -> int:
    return "XO".index(board.player)


def legal(board: Board) -> tuple[int, ...]:
    return () if _winner(board) else tuple(open_columns(board))


def step(board: Board, column: int) -> Board:
    stacks = list(board.stacks)
    stacks[column - 1] += board.player
    return Board(tuple(stacks), board.rows, board.line, other(board.player))


def score(board: Board) -> tuple[float, float]:
    return {"X": (1.0, -1.0), "O": (-1.0, 1.0), "": (0.0, 0.0)}[_winner(board)]


def shown(board: Board, player: int) -> Prompt:
    return Prompt(
        f"You play a game like connect four as {'XO'[player]} against {'OX'[player]} on"
        f" {board.rows} rows and {len(board.stacks)} columns. The players take turns dropping a"
        " disc into a column that is not full; it falls to the lowest empty cell. Whoever first has"
        f" {board.line} of their own discs side by side in a line, in a row, a column or a"
        " diagonal, wins; if the board is full without that, it is a draw. The board, with the"
        f" columns' numbers above it (. is empty):\n\n{drawn(board)}\n\nIt is your turn.",
        form="the number of the column that you choose",
    )


def _winner(board: Board) -> str:
    """Who made a line with the last sign: it lies on top of a column."""
    last = other(board.player)
    for column, stack in enumerate(board.stacks):
        if stack.endswith(last) and lined(board.stacks, column, board.line):
            return last
    return ""


KIND = answers.Integer()
GAME = Game(Board, reset, to_move, legal, step, score, shown, KIND.read, KIND.write)
