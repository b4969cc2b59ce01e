"""Words that cross in a grid: laying them, the places for them, and all fillings of these."""

from collections.abc import Sequence
from random import Random
from typing import TypeAlias

from puzzlemill.generators._cells import Cell

Slot: TypeAlias = tuple[Cell, ...]
Crossing: TypeAlias = tuple[int, int, int]  # with which place, at which letter here and there

WALL, OPEN = "#", "."
TRIES = 400  # words that are tried at a grid
STEPS = 3_000  # of the search; a grid that takes more is not used


def crossed(
    rng: Random, words: Sequence[str], side: int, most: int
) -> tuple[dict[Cell, str], list[str]]:
    """A grid's letters, and the words that cross in it."""
    grid: dict[Cell, str] = {}
    used: list[str] = []
    for _ in range(TRIES):
        if len(used) == most:
            break
        word = rng.choice(words)
        if word not in used and (fresh := laid(rng, grid, word, side)):
            grid |= fresh
            used.append(word)
    return grid, used


def laid(rng: Random, grid: dict[Cell, str], word: str, side: int) -> dict[Cell, str] | None:
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
    for (row, column), at in rng.sample(places, min(len(places), 12)):
        for down, right in ((0, 1), (1, 0)):
            top, left = row - down * at, column - right * at
            bottom, end = top + down * last, left + right * last
            if top < 0 or left < 0 or bottom >= side or end >= side:
                continue
            # No word may lie along this one.
            if (top - down, left - right) in grid or (bottom + down, end + right) in grid:
                continue
            if right:
                cells = [(top, along) for along in range(left, end + 1)]
            else:
                cells = [(along, left) for along in range(top, bottom + 1)]
            if _fits(grid, cells, word, down, right):
                return dict(zip(cells, word))
    return None


def _fits(grid: dict[Cell, str], cells: list[Cell], word: str, down: int, right: int) -> bool:
    """Whether a word lies along no other, crosses only equal letters, and has room around it."""
    before = False
    for cell, letter in zip(cells, word):
        if cell in grid:
            if before or grid[cell] != letter:
                return False
            before = True
        else:
            row, column = cell
            if (row + right, column + down) in grid or (row - right, column - down) in grid:
                return False
            before = False
    return True


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


def slots_of(rows: tuple[str, ...]) -> list[Slot]:
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
    return found


def crossings_of(slots: list[Slot]) -> list[list[Crossing]]:
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
