"""Rectangles of whole numbers: boards, tables."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from puzzlemill.core.answers.cell_rows import row_ways, rows_of
from puzzlemill.core.answers.names import bare, complete, drawn_ints, read_int
from puzzlemill.core.answers.spelling import tidy

T = TypeVar("T")

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of whole numbers: lines of numbers, a JSON list of lists, or a LaTeX matrix.

    With `digits` every cell is one digit, and the spaces may be left out. They may be so too where
    the prompt tells the `width`, and every row is one run of as many digits.
    """

    form: str = "the rows of a grid, one line each"
    digits: bool = False
    width: int = 0

    def read(self, text: str) -> Rows | None:
        rows = rows_of(tidy(text))
        if rows and self.width > 1 and all(map(self._is_run, rows)):
            rows = [list(row[0]) for row in rows]
        return rectangle(self._row(cells) for cells in rows) if rows else None

    def _is_run(self, cells: list[str]) -> bool:
        return len(cells) == 1 and len(cells[0]) == self.width and cells[0].isdecimal()

    def _row(self, cells: list[str]) -> tuple[int, ...] | None:
        cells = [bare(cell) for cell in cells]
        if self.digits:
            cells = list("".join(cells)) if all(map(str.isdecimal, cells)) else []
        return complete(read_int(cell) for cell in cells)

    def write(self, answer: Rows) -> str:
        return in_lines(answer)

    def ways(self, answer: Rows) -> list[str]:
        texts = [[str(cell) for cell in row] for row in answer]
        single = all(0 <= cell < 10 for row in answer for cell in row)
        unspaced = self.digits or (len(answer[0]) == self.width > 1 and single)
        run = ["\n".join("".join(row) for row in texts)] if unspaced else []
        return [*row_ways(texts), *run]

    def near(self, answer: Rows, rng: Random) -> Rows:
        row = rng.randrange(len(answer))
        column = rng.randrange(len(answer[0]))
        pool = sorted({value for line in answer for value in line} - {answer[row][column]})
        other = rng.choice(pool) if pool else (answer[row][column] + 1) % 10
        return with_cell(answer, row, column, other)

    def guess(self, answer: Rows, rng: Random) -> Rows:
        numbers = drawn_ints(
            [cell for row in answer for cell in row], len(answer) * len(answer[0]), rng
        )
        return in_rows(numbers, len(answer[0]))


def rectangle(rows: Iterable[tuple[T, ...] | None]) -> tuple[tuple[T, ...], ...] | None:
    """The rows, if all are read and all have the same length."""
    found = complete(rows)
    if not found or not found[0] or any(len(row) != len(found[0]) for row in found):
        return None
    return found


def with_cell(
    rows: tuple[tuple[T, ...], ...], row: int, column: int, cell: T
) -> tuple[tuple[T, ...], ...]:
    """The same rows but for one cell."""
    changed = [list(line) for line in rows]
    changed[row][column] = cell
    return tuple(map(tuple, changed))


def in_lines(rows: Rows) -> str:
    """A line a row. Numbers that `%d` writes are no strings of their own first."""
    return "\n".join([" ".join(["%d"] * len(row)) % (*row,) for row in rows])


def in_rows(cells: tuple[T, ...], width: int) -> tuple[tuple[T, ...], ...]:
    return tuple(cells[start : start + width] for start in range(0, len(cells), width))
