"""Squares of a board by name, as in chess: a letter for the column, a number for the row.

Column a is the leftmost one, and row 1 the lowest, so that the name of a cell depends on how many
rows there are.
"""

from collections.abc import Sequence

from puzzlemill.generators._cells import Cell, drawn

COLUMNS = "abcdefghi"


def named(cell: Cell, rows: int) -> str:
    row, column = cell
    return f"{COLUMNS[column]}{rows - row}"


def labelled(board: Sequence[Sequence[str]]) -> str:
    """The board with the letters of its columns above and the numbers of its rows to the left."""
    rows = len(board)
    letters = " ".join(COLUMNS[: len(board[0])])
    return f"  {letters}\n" + drawn([[str(rows - at), *row] for at, row in enumerate(board)])
