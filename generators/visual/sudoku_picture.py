"""Sudoku picture: a drawn sudoku, to be read and solved.

The board is that of the family `sudoku`, and so is `verify`. `solve` reads the digits from the
drawn picture before it solves.
"""

from functools import cache, lru_cache

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._lettering import lettering
from puzzlemill.generators.grids import sudoku
from puzzlemill.generators.grids.sudoku import Board, Knobs, Rows
from puzzlemill.generators.visual._drawing import area, asked, blank, letters_at
from puzzlemill.generators.visual._picture import GUTTER, INK, PAPER, Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import PALETTE

CELL = 34  # pixels
EDGE = 6


def solve(board: Board) -> Rows | None:
    page, side = _drawn(board), board.side
    places = [EDGE + step * CELL + CELL // 2 for step in range(side)]
    signs = letters_at(page, places, places)
    rows = tuple(tuple(int(sign or "0") for sign in row) for row in signs)
    return sudoku.solve(Board(board.box_rows, board.box_columns, rows))


def render(board: Board, style: Style) -> Prompt:
    side = board.side
    shown = (
        f"The picture shows a sudoku with {side} rows and {side} columns; thick lines enclose its"
        f" boxes of {board.box_rows} rows by {board.box_columns} columns. Each row, each column"
        f" and each box must hold every digit from 1 to {side} exactly once, and the digits that"
        " are there stay as they are."
    )
    return Prompt(
        asked(style, shown, "Solve it."),
        form="the completed board, one row per line, its digits separated by spaces",
        images=(png(_drawn(board), PALETTE),),
    )


@drawn_once
def _drawn(board: Board) -> Pixels:
    page, side = _grid(board.box_rows, board.box_columns).copy(), board.side
    signs = _signs()[np.array(board.rows)]
    high, wide = signs.shape[2:]
    top, left = (CELL // 2 - size // 2 for size in (high, wide))
    cells = page[EDGE : EDGE + side * CELL, EDGE : EDGE + side * CELL]
    cells = cells.reshape(side, CELL, side, CELL)  # a view of the page
    cells[:, top : top + high, :, left : left + wide] = signs.swapaxes(1, 2)
    return page


@cache
def _signs() -> Pixels:
    """Nothing for 0, and the digits."""
    digits = np.stack([lettering(str(digit)) for digit in range(10)])
    digits[0] = False
    return np.where(digits, np.uint8(INK), np.uint8(PAPER))


@lru_cache(maxsize=8)
def _grid(box_rows: int, box_columns: int) -> Pixels:
    side = box_rows * box_columns
    long = side * CELL
    page = blank(long + 2 * EDGE, long + 2 * EDGE)
    for thick, colour in ((0, GUTTER), (1, INK)):  # the thick lines over all thin ones
        for step in range(side + 1):
            line = EDGE + step * CELL
            for size, down in ((box_rows, True), (box_columns, False)):
                if bool(thick) != (step % size == 0):
                    continue
                if down:
                    area(page, EDGE - 1, line - thick, EDGE + long + 2, line + thick + 1, colour)
                else:
                    area(page, line - thick, EDGE - 1, line + thick + 1, EDGE + long + 2, colour)
    return page


LADDER = (
    Knobs(2, 2, 0.4, False),
    Knobs(2, 3, 0.5, False),
    Knobs(3, 3, 0.45, False),
    Knobs(3, 3, 0.6, False),
    Knobs(3, 3, 0.68, True),
)
FAMILY = Family(
    Board,
    LADDER,
    sudoku.generate,
    solve,
    sudoku.verify,
    render,
    answer=answers.Grid(digits=True),
    hardness=sudoku.hardness,
    proof="unique",
    solver="digits read from the picture's pixels, then SAT",
    canon=sudoku.canon,
    steps=sudoku.steps,
    redraws=True,
    skills=("vision", "deduction", "search"),
    theme="sudoku",
    version=3,
)
