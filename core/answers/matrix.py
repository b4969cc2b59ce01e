"""Matrices of exact numbers."""

import re
from dataclasses import dataclass
from math import lcm
from random import Random

from puzzlemill.core.answers.cell_rows import row_ways, rows_of
from puzzlemill.core.answers.grid import in_rows, rectangle, with_cell
from puzzlemill.core.answers.names import complete
from puzzlemill.core.answers.rational import Number
from puzzlemill.core.answers.sequence import latex_number, read_number
from puzzlemill.core.answers.spelling import tidy
from puzzlemill.core.fraction import Fraction

Rows = tuple[tuple[Fraction, ...], ...]

_NUMBER = (
    r"[+-]?(?:\\[dt]?frac ?\{ ?[+-]?\d{1,40} ?\} ?\{ ?\d{1,40} ?\}|\d{1,40}(?: ?/ ?\d{1,40})?)"
)
_SCALE = re.compile(
    rf"(?:\( ?({_NUMBER}) ?\)|({_NUMBER})) ?(?:\*|\\(?:times|cdot)(?![A-Za-z]))? ?"
    r"(?=[\[(]|\\begin)",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of exact numbers: a LaTeX matrix, a JSON list of lists, or lines."""

    form: str = (
        "the rows of the matrix, one line each, its entries (integers or fractions in lowest terms)"
        " separated by spaces"
    )
    scaled: bool = False  # whether a number may stand before it: 1/3 [[1, 2], [3, 4]]

    def read(self, text: str) -> Rows | None:
        body = tidy(text)
        scale = _SCALE.match(body) if self.scaled else None
        factor = read_number(scale[1] or scale[2]) if scale else Fraction(1)
        rows = rows_of(body[scale.end() :] if scale else body)
        if not rows or factor is None:
            return None
        found = rectangle(complete(read_number(cell) for cell in cells) for cells in rows)
        return found and tuple(tuple(factor * cell for cell in row) for row in found)

    def write(self, answer: Rows) -> str:
        return "\n".join(" ".join(map(str, row)) for row in answer)

    def ways(self, answer: Rows) -> list[str]:
        latex = " \\\\ ".join(" & ".join(map(latex_number, row)) for row in answer)
        return [
            f"\\begin{{pmatrix}} {latex} \\end{{pmatrix}}",
            f"\\begin{{bmatrix}}\n{latex}\n\\end{{bmatrix}}",
            *row_ways([[str(cell) for cell in row] for row in answer]),
            *(_scaled(answer) if self.scaled else ()),
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


def _scaled(rows: Rows) -> list[str]:
    """The matrix with whole entries, and the fraction that is before it."""
    below = lcm(*(cell.denominator for row in rows for cell in row))
    whole = [[str(cell * below) for cell in row] for row in rows]
    if below == 1:
        return []
    written = "[" + ", ".join(f"[{', '.join(row)}]" for row in whole) + "]"
    latex = " \\\\ ".join(" & ".join(row) for row in whole)
    return [
        f"(1/{below}) {written}",
        f"1/{below} * {written}",
        f"\\frac{{1}}{{{below}}} \\begin{{pmatrix}} {latex} \\end{{pmatrix}}",
    ]
