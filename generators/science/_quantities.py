"""Quantities as a text shows them: exact decimals where they are short, else fractions."""

from puzzlemill.core.answers.rational import decimal_text
from puzzlemill.core.fraction import Fraction

EXACT = "exact: an integer, a decimal or a fraction in lowest terms, such as 7/2"


def shown(value: Fraction) -> str:
    """5, 2.5 or 1/3."""
    return str(value) if value.denominator == 1 else decimal_text(value) or str(value)


def exactly(unit: str) -> str:
    """The form of an answer in a unit."""
    return f"the number of {unit}, {EXACT}"


def determined(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """The one solution of a square system of linear equations, by Gaussian elimination."""
    size = len(rows)
    table = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for column in range(size):
        pivot = next((row for row in range(column, size) if table[row][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        lead = table[column][column]
        table[column] = [value / lead for value in table[column]]
        for row in range(size):
            if row != column and table[row][column]:
                factor = table[row][column]
                table[row] = [a - factor * b for a, b in zip(table[row], table[column])]
    return [row[-1] for row in table]
