"""Matrices of exact numbers."""

from dataclasses import dataclass
from fractions import Fraction
from random import Random

from puzzlemill.core.answers.cell_rows import row_ways, rows_of
from puzzlemill.core.answers.grid import in_rows, rectangle, with_cell
from puzzlemill.core.answers.names import complete
from puzzlemill.core.answers.rational import Number
from puzzlemill.core.answers.sequence import latex_number, read_number
from puzzlemill.core.answers.spelling import tidy

Rows = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of exact numbers: a LaTeX matrix, a JSON list of lists, or lines."""

    form: str = (
        "the rows of the matrix, one line each, its entries (integers or fractions in lowest terms)"
        " separated by spaces"
    )

    def read(self, text: str) -> Rows | None:
        rows = rows_of(tidy(text))
        if not rows:
            return None
        return rectangle(complete(read_number(cell) for cell in cells) for cells in rows)

    def write(self, answer: Rows) -> str:
        return "\n".join(" ".join(map(str, row)) for row in answer)

    def ways(self, answer: Rows) -> list[str]:
        latex = " \\\\ ".join(" & ".join(map(latex_number, row)) for row in answer)
        return [
            f"\\begin{{pmatrix}} {latex} \\end{{pmatrix}}",
            f"\\begin{{bmatrix}}\n{latex}\n\\end{{bmatrix}}",
            *row_ways([[str(cell) for cell in row] for row in answer]),
        ]

    def near(self, answer: Rows, rng: Random) -> Rows:
        row, column = rng.randrange(len(answer)), rng.randrange(len(answer[0]))
        turned = tuple(zip(*answer, strict=True))
        if turned != answer and rng.random() < 0.2:
            return turned
        step = rng.choice([Fraction(1), Fraction(-1), Fraction(1, 2)])
        return with_cell(answer, row, column, answer[row][column] + step)

    def guess(self, answer: Rows, rng: Random) -> Rows:
        cells = tuple(Number().guess(cell, rng) for row in answer for cell in row)
        return in_rows(cells, len(answer[0]))
