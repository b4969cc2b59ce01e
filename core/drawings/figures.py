"""Figures on paper: matrices in their brackets, and calculations digit under digit."""

from collections.abc import Callable, Sequence
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.boards import Board, board_picture, labels
from puzzlemill.core.drawings.svg import Picture

HIGH = 26  # of a row
DIGIT = 20  # the width of a place
BLANK = "?"


def _matrix(rows: Sequence[Sequence[Any]], name: str = "A") -> Picture:
    cells = [[str(each) for each in row] for row in rows]
    wide = 9.0 * max(len(each) for row in cells for each in row) + 16
    x0, high = 9.0 * len(name) + 26 if name else 8.0, HIGH * len(cells)
    x1 = x0 + wide * len(cells[0])
    parts = [svg.text(4, high / 2 + 4, f"{name} =", 16, "start")] if name else []
    for number, row in enumerate(cells):
        for place, each in enumerate(row):
            y = 4 + HIGH * (number + 0.5)
            parts.append(svg.text(x0 + wide * (place + 0.5), y, each, 16))
    for x, inwards in ((x0, 5), (x1, -5)):
        parts.append(svg.line(x, 4, x, high + 4, 1.5))
        parts += [svg.line(x, y, x + inwards, y, 1.5) for y in (4, high + 4)]
    return Picture(x1 + 8, high + 8, parts)


def _matrices(puzzle: Any) -> Picture:
    return svg.beside([_matrix(each, name) for name, each in zip("ABCDEFGH", puzzle.matrices)])


def _with_parameter(puzzle: Any) -> Picture:
    """Entries that are a number and so many times t."""
    return _matrix([[_sum(*entry) for entry in row] for row in puzzle.matrix])


def _sum(number: int, times: int) -> str:
    letter = "" if not times else {1: "t", -1: "-t"}.get(times, f"{times}t")
    if not letter or not number:
        return letter or str(number)
    return f"{letter} {'+' if number > 0 else '-'} {abs(number)}"


def _hill(puzzle: Any) -> Picture:
    """The key, as far as it is told."""
    places = range(1, puzzle.size + 1)
    secret = [[f"k{row}{column}" for column in places] for row in places]
    return _matrix(puzzle.key or secret, "")


def _paper(rows: Sequence[tuple[int, str]], rules: Sequence[tuple[int, int, int]]) -> Picture:
    """Texts that end at a column, one under another; a rule under a row from column to column."""
    first = min(end - len(text) for end, text in rows)
    last = max(end for end, _ in rows)
    parts = []
    for number, (end, text) in enumerate(rows):
        y = 4 + HIGH * (number + 0.5)
        for place, sign in enumerate(text):
            x = 4 + DIGIT * (end - len(text) + place - first + 0.5)
            if sign == BLANK:
                parts.append(svg.frame(x - 8, y - 10, 16, 20))
            elif sign != " ":
                parts.append(svg.text(x, y, sign, 17))
    for row, start, end in rules:
        y = 4 + HIGH * row
        parts.append(svg.line(4 + DIGIT * (start - first), y, 4 + DIGIT * (end - first), y, 1.5))
    return Picture(8 + DIGIT * (last - first), 8 + HIGH * len(rows), parts)


def _long_division(puzzle: Any) -> Picture:
    """The quotient over the dividend, the divisor before it, and the steps under it."""
    wide = len(puzzle.dividend)
    rows = [(wide, puzzle.quotient), (wide, puzzle.dividend)]
    rules = [(1, 0, wide)]
    rows[1] = (wide, f"{puzzle.divisor} ) {puzzle.dividend}")
    for place, (number, product, _) in enumerate(puzzle.lines):
        end = wide - len(puzzle.quotient) + place + 1
        rows += [(end, number), (end, product)]
        rules.append((len(rows), end - max(len(number), len(product)), end))
    rows.append((wide, puzzle.lines[-1][2]))
    return _paper(rows, rules)


def _cryptarithm(puzzle: Any) -> Picture:
    """The terms under one another, and the result under a line."""
    terms = [(sign if place else " ", " × ".join(words)) for place, (sign, words)
             in enumerate(puzzle.left)]  # fmt: skip
    wide = max(len(puzzle.right), *(len(words) for _, words in terms))
    rows = [(wide, f"{sign} {words.rjust(wide)}") for sign, words in terms]
    return _paper([*rows, (wide, puzzle.right)], [(len(rows), -2, wide)])


def _equation(puzzle: Any) -> Picture:
    """One line, with a box for each digit that is missing."""
    signs = {"*": "×", "/": "÷"}
    words = [each for term in puzzle.left for each in term][1:]
    text = " ".join(signs.get(each, each) for each in [*words, "=", puzzle.right])
    return _paper([(len(text), text)], [])


def _square(puzzle: Any) -> Picture | None:
    """The letters' square of a cipher, where the prompt shows it."""
    if not puzzle.shown:
        return None
    letters = "".join(dict.fromkeys((puzzle.keyword + "abcdefghiklmnopqrstuvwxyz").upper()))
    rows = labels(range(1, 6))
    cells = tuple(tuple(letters[start : start + 5]) for start in range(0, 25, 5))
    return board_picture(Board(cells, left=rows, top=rows))


PICTURES: dict[str, Callable[[Any], Picture | None]] = {
    "cryptarithm": _cryptarithm,
    "determinant": lambda each: _matrix(each.matrix),
    "eigenvalues": lambda each: _matrix(each.matrix),
    "hill": _hill,
    "kernel_vector": lambda each: _matrix(each.matrix),
    "long_division": _long_division,
    "math_path": _equation,
    "matrix_inverse": lambda each: _matrix(each.matrix),
    "matrix_product": _matrices,
    "matrix_rank": _with_parameter,
    "playfair": _square,
    "polybius": _square,
}
