"""Words that cross in a grid: laying them, the places for them, and all fillings of these."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.generators._cells import Cell

Slot: TypeAlias = tuple[Cell, ...]
# The way that a word runs, how far it may reach back and ahead, the letters that it meets by step
Line: TypeAlias = tuple[Cell, int, int, dict[int, str]]
Lines: TypeAlias = dict[Cell, list[Line]]  # through each letter; none where it is crossed already
Crossing: TypeAlias = tuple[int, int, int]  # with which place, at which letter here and there

WALL, OPEN = "#", "."
TRIES = 400  # words that are tried at a grid
STEPS = 3_000  # of the search; a grid that takes more is not used


def crossed(
    rng: Random, words: Sequence[str], side: int, most: int
) -> tuple[dict[Cell, str], list[str]]:
    """A grid's letters, and the words that cross in it."""
    grid: dict[Cell, str] = {}
    lines: Lines = {}
    used: list[str] = []
    for _ in range(TRIES):
        if len(used) == most:
            break
        word = rng.choice(words)
        if word not in used and (fresh := _laid(rng, grid, lines, word, side)):
            grid |= fresh
            lines.clear()
            used.append(word)
    return grid, used


def _laid(
    rng: Random, grid: dict[Cell, str], lines: Lines, word: str, side: int
) -> dict[Cell, str] | None:
    """The letters of a word where it crosses others and touches nothing else."""
    if not grid:
        row, column = rng.randrange(side), rng.randrange(side - len(word) + 1)
        return {(row, column + at): letter for at, letter in enumerate(word)}
    where: dict[str, list[int]] = {}
    for at, letter in enumerate(word):
        if letter in where:
            where[letter].append(at)
        else:
            where[letter] = [at]
    places = [(cell, at) for cell, sign in grid.items() if sign in where for at in where[sign]]
    last = len(word) - 1
    for cell, at in rng.sample(places, min(len(places), 12)):
        if cell not in lines:
            lines[cell] = [
                _line(grid, cell, way, side) for way in ((0, 1), (1, 0)) if _free(grid, cell, *way)
            ]
        for (down, right), back, ahead, letters in lines[cell]:
            if at > back or last - at > ahead or -at - 1 in letters or last - at + 1 in letters:
                continue
            if all(
                word[at + step] == letter
                for step, letter in letters.items()
                if -at <= step <= last - at
            ):
                row, column = cell[0] - down * at, cell[1] - right * at
                return {(row + down * n, column + right * n): sign for n, sign in enumerate(word)}
    return None


def _line(grid: dict[Cell, str], cell: Cell, way: Cell, side: int) -> Line:
    """How far a word through a letter may reach back and ahead, and what it meets there."""
    (row, column), (down, right) = cell, way
    reach, letters = [], {}
    for turn in (-1, 1):
        step, after_letter = turn, True
        while True:
            here = row + down * step, column + right * step
            if not (0 <= here[0] < side and 0 <= here[1] < side):
                break
            if here in grid:
                # Two letters in a row would be a part of another word along this one.
                letters[step] = "" if after_letter else grid[here]
                if after_letter:
                    break
            elif not _free(grid, here, right, down):
                break
            after_letter = here in grid
            step += turn
        reach.append(abs(step) - 1)
    return way, reach[0], reach[1], letters


def _free(grid: dict[Cell, str], cell: Cell, down: int, right: int) -> bool:
    """Whether no letter stands beside a cell on either side, up and down or left and right."""
    row, column = cell
    return (row + down, column + right) not in grid and (row - down, column - right) not in grid


def cut(grid: dict[Cell, str], given: list[Cell]) -> tuple[str, ...]:
    """The smallest rectangle around the words, with all letters open but those given."""
    rows, columns = [row for row, _ in grid], [column for _, column in grid]
    return tuple(
        "".join(
            grid[row, column] if (row, column) in given else OPEN if (row, column) in grid else WALL
            for column in range(min(columns), max(columns) + 1)
        )
        for row in range(min(rows), max(rows) + 1)
    )


@lru_cache(maxsize=8)  # a puzzle's grid is looked at in all that is done with it
def slots_of(rows: tuple[str, ...]) -> tuple[Slot, ...]:
    """The places for words: runs of two open cells or more, across and down."""
    found: list[Slot] = []
    height, width = len(rows), len(rows[0])
    across = [[(row, column) for column in range(width)] for row in range(height)]
    down = [[(row, column) for row in range(height)] for column in range(width)]
    for line in across + down:
        run: list[Cell] = []
        for row, column in [*line, (-1, -1)]:
            if row >= 0 and rows[row][column] != WALL:
                run.append((row, column))
            else:
                if len(run) > 1:
                    found.append(tuple(run))
                run = []
    return tuple(found)


@lru_cache(maxsize=8)
def crossings_of(slots: tuple[Slot, ...]) -> list[list[Crossing]]:
    """For each place for a word: which others cross it, at which of its letters and of theirs."""
    holders: dict[Cell, list[Cell]] = {}
    for number, slot in enumerate(slots):
        for at, cell in enumerate(slot):
            holders.setdefault(cell, []).append((number, at))
    return [
        [
            (other, at, there)
            for at, cell in enumerate(slot)
            for other, there in holders[cell]
            if other != number
        ]
        for number, slot in enumerate(slots)
    ]


def fill(
    crossings: list[list[Crossing]],
    fitting: dict[int, list[str]],
    laid: dict[int, str],
    found: list[dict[int, str]],
    spent: int = 0,
    once: bool = True,
) -> int:
    """Add up to two fillings to those found; how many words it has tried by then.

    `fitting` holds, for each place that is still empty, the words that it can take. With `once` no
    word stands in two places.
    """
    if not fitting:
        found.append(laid)
        return spent
    place = min(fitting, key=lambda number: len(fitting[number]))
    for word in fitting[place]:
        spent += 1
        if len(found) > 1 or spent > STEPS:
            break
        left = {number: words for number, words in fitting.items() if number != place}
        for other, at, there in crossings[place]:
            if other in left:
                left[other] = [each for each in left[other] if each[there] == word[at]]
        if once:
            left = {
                number: [each for each in words if each != word] if word in words else words
                for number, words in left.items()
            }
        if all(left.values()):
            spent = fill(crossings, left, laid | {place: word}, found, spent, once)
    return spent
