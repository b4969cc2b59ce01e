"""Tic-tac-toe: three in a row, or four on larger boards."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Prompt
from puzzlemill.core.game import Game
from puzzlemill.generators._cells import drawn
from puzzlemill.generators.games._two_players import other
from puzzlemill.generators.games.tic_tac_toe import Board, all_lines

SIZES = ((3, 3, 3), (4, 4, 4), (5, 5, 4), (6, 6, 5))  # rows, columns, signs in a line


def reset(rng: Random, level: float) -> Board:
    rows, columns, line = SIZES[round(level * (len(SIZES) - 1))]
    cells = [["."] * columns for _ in range(rows)]
    if rows > 3:  # a sign of each, so that games begin differently
        one, two = rng.sample(range(rows * columns), 2)
        cells[one // columns][one % columns] = "X"
        cells[two // columns][two % columns] = "O"
    return Board(tuple(map(tuple, cells)), line, "line wins", "X")


def to_move(board: Board) -> int:
    return "XO".index(board.player)


def legal(board: Board) -> tuple[int, ...]:
    if _winner(board):
        return ()
    flat = [sign for row in board.cells for sign in row]
    return tuple(at for at, sign in enumerate(flat, start=1) if sign == ".")


def step(board: Board, cell: int) -> Board:
    row, column = divmod(cell - 1, len(board.cells[0]))
    cells = [list(line) for line in board.cells]
    cells[row][column] = board.player
    return Board(tuple(map(tuple, cells)), board.line, board.rule, other(board.player))


def score(board: Board) -> tuple[float, float]:
    return {"X": (1.0, -1.0), "O": (-1.0, 1.0), "": (0.0, 0.0)}[_winner(board)]


def shown(board: Board, player: int) -> Prompt:
    rows, columns = len(board.cells), len(board.cells[0])
    me, rival = "XO"[player], "OX"[player]
    return Prompt(
        f"You play a game like tic-tac-toe as {me} against {rival} on {rows} rows of {columns}"
        " cells. The players take turns putting their mark into an empty cell. Whoever first has"
        f" {board.line} of their own marks side by side in a line, in a row, a column or a"
        " diagonal, wins; if the board is full without that, it is a draw. The board (. is empty):"
        f"\n\n{drawn(board.cells)}\n\nCells are numbered from 1 to {rows * columns}, row by row"
        " from the top left. It is your turn.",
        form="the number of the cell that you take",
    )


def _winner(board: Board) -> str:
    flat = [sign for row in board.cells for sign in row]
    for first, *rest in all_lines(len(board.cells), len(board.cells[0]), board.line):
        if flat[first] != "." and all(flat[it] == flat[first] for it in rest):
            return flat[first]
    return ""


KIND = answers.Integer()
GAME = Game(Board, reset, to_move, legal, step, score, shown, KIND.read, KIND.write)
