"""Word search: find words in a square of letters.

Each word stands there once, which `solve` proves by searching all lines of the square as texts;
`verify` walks from the first cell of an answer to the last.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from operator import itemgetter
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Cell, drawn
from puzzlemill.generators.words._pool import pool

Ends: TypeAlias = tuple[Cell, ...]  # of each word the first cell and the last; both from 1

# Rightwards and downwards, then diagonally, then all of them the other way round.
WAYS = ((0, 1), (1, 0), (1, 1), (-1, 1), (0, -1), (-1, 0), (-1, -1), (1, -1))

BORDER = " "  # between the lines, when they are searched as one text


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # the square is side x side
    words: int  # to be found
    ways: int  # directions in which words may run
    decoys: int  # beginnings of the words that are strewn in


@dataclass(frozen=True, slots=True)
class Square:
    rows: tuple[str, ...]
    words: tuple[str, ...]
    ways: int


def generate(rng: Random, knobs: Knobs) -> Square | None:
    words = rng.sample(pool(4, min(9, knobs.side - 1)), knobs.words)
    if any(one in other or one[::-1] in other for one in words for other in words if one != other):
        return None
    grid: dict[Cell, str] = {}
    decoys = [word[: -rng.randint(1, 2)] for word in rng.choices(words, k=knobs.decoys)]
    for word in [*words, *decoys]:
        if not _laid(rng, grid, word, knobs) and word in words:
            return None
    letters = "".join(words)
    cells = [[grid.get((row, column), "") for column in range(knobs.side)] for row in
             range(knobs.side)]  # fmt: skip
    rows = tuple("".join(sign or rng.choice(letters) for sign in row) for row in cells)
    square = Square(rows, tuple(words), knobs.ways)
    return square if solve(square) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(square: Square) -> Ends | None:
    found: list[Cell] = []
    cells, read = _lines(len(square.rows), square.ways)
    text = "".join(read("".join((*square.rows, BORDER))))
    for word in square.words:
        start = text.find(word)
        if start < 0 or text.find(word, start + 1) >= 0:
            return None
        found += [cells[start], cells[start + len(word) - 1]]
    return tuple(found)


def verify(square: Square, ends: Ends) -> float:
    if len(ends) != 2 * len(square.words):
        return 0.0
    for word, first, last in zip(square.words, ends[::2], ends[1::2], strict=True):
        read, (row, column) = "", first
        down = (last[0] > first[0]) - (last[0] < first[0])
        right = (last[1] > first[1]) - (last[1] < first[1])
        if (down, right) not in WAYS[: square.ways]:
            return 0.0
        for _ in word:
            if not (0 < row <= len(square.rows) and 0 < column <= len(square.rows)):
                return 0.0
            read += square.rows[row - 1][column - 1]
            row, column = row + down, column + right
        if read != word or (row - down, column - right) != last:
            return 0.0
    return 1.0


def render(square: Square, style: Style) -> Prompt:
    grid, words, side = drawn(square.rows), ", ".join(square.words), len(square.rows)
    ways = "from left to right or from top to bottom"
    if square.ways > 2:
        ways = (
            "in a row from left to right, in a column from top to bottom, or diagonally from left"
            " to right (downwards or upwards)"
        )
    if square.ways > 4:
        ways = (
            "in any of the eight directions: horizontally, vertically or diagonally, forwards or"
            " backwards"
        )
    many = len(square.words) > 1
    order = f", for the words in this order: {words}" if many else ""
    return Prompt(
        style.pick(
            f"Find these words in the grid of letters: {words}\n\n{grid}\n\nEvery word stands in"
            " the"
            f" grid exactly once, in a straight line, {ways}. Rows are counted from 1 at the top,"
            " columns from 1 at the left.",
            f"{grid}\n\nWhere in this word search are these words: {words}? A word runs {ways},"
            " without bends or gaps. Each can be found at one place only. A position is (row,"
            " column); the top left letter is at (1, 1), and the letter to the right of it at (1,"
            " 2).",
            f"Words are hidden in a square of {side} rows and {side} columns:\n\n{grid}\n\nLook for"
            f" these: {words}. Each is written once, straight, {ways}. The first row is the top"
            " one, the first column the left one; counting begins with 1.",
        ),
        form=(
            f"the position of {'each' if many else 'the'} word's first letter, followed by that of"
            " its last letter, as pairs (row, column) in the form (1, 2), (5, 4) for one"
            f" word{order}"
        ),
    )


def steps(square: Square) -> list[str]:
    ends = solve(square) or ()
    return [
        f"{word}: from row {first[0]}, column {first[1]} to row {last[0]}, column {last[1]}"
        for word, first, last in zip(square.words, ends[::2], ends[1::2], strict=True)
    ]


def hardness(square: Square) -> float:
    """Cells to look at, and directions to look in."""
    return len(square.rows) ** 2 * square.ways / 8 + 4 * len(square.words)


def _laid(rng: Random, grid: dict[Cell, str], word: str, knobs: Knobs) -> bool:
    for _ in range(40):
        down, right = WAYS[rng.randrange(knobs.ways)]
        row, column = rng.randrange(knobs.side), rng.randrange(knobs.side)
        end = len(word) - 1
        if not (0 <= row + down * end < knobs.side and 0 <= column + right * end < knobs.side):
            continue
        cells = [(row + down * at, column + right * at) for at in range(len(word))]
        if all(grid.get(cell, letter) == letter for cell, letter in zip(cells, word)):
            grid |= dict(zip(cells, word))
            return True
    return False


@lru_cache(maxsize=16)
def _lines(side: int, ways: int) -> tuple[list[Cell], Callable[[str], tuple[str, ...]]]:
    """The cells of all lines, from border to border, one line after another with the border in
    between; and what reads them from the rows of letters and the border, written one after another.
    """
    cells: list[Cell] = []
    places: list[int] = []
    for down, right in WAYS[:ways]:
        for row, column in product(range(side), repeat=2):
            if 0 <= row - down < side and 0 <= column - right < side:
                continue  # not at the beginning of its line
            while 0 <= row < side and 0 <= column < side:
                cells.append((row + 1, column + 1))
                places.append(side * row + column)
                row, column = row + down, column + right
            cells.append((0, 0))
            places.append(side * side)
    return cells, itemgetter(*places)


LADDER = (
    Knobs(6, 1, 2, 0),
    Knobs(9, 3, 4, 3),
    Knobs(13, 5, 8, 8),
    Knobs(18, 7, 8, 20),
    Knobs(26, 10, 8, 50),
)
FAMILY = Family(
    Square,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(),
    notation=lambda square: answers.Pairs(names=square.words),
    hardness=hardness,
    proof="unique",
    solver="search of all lines as texts",
    guess_rate=0.02,
    steps=steps,
    skills=("scanning",),
    peers=("InternBootcamp/kor_puzzle_word_search", "TextArena/WordSearch", "GEM/word_search"),
    version=2,
)
