"""Words that cross in a grid: laying them, the places for them, and all fillings of these."""

from collections import defaultdict
from functools import cache, lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.generators._cells import Cell
from puzzlemill.generators.words._pool import pool

Slot: TypeAlias = tuple[Cell, ...]
# The way that a word runs through a letter, the others that it meets by step, how it may lie: the
# place of the letter in it, and its length
Line: TypeAlias = tuple[Cell, list[tuple[int, str]], list[tuple[int, int]]]
Crossing: TypeAlias = tuple[int, int, int]  # with which place, at which letter here and there

WALL, OPEN = "#", "."
STEPS = 3_000  # of the search; a grid that takes more is not used


@cache
def words_of(shortest: int, longest: int) -> tuple[str, ...]:
    return tuple(word.upper() for word in pool(shortest, longest, True))


def crossed(
    rng: Random, shortest: int, longest: int, side: int, most: int
) -> tuple[dict[Cell, str], list[str]]:
    """A grid's letters, and the words that cross in it: so many, or as many as have room."""
    word = rng.choice(words_of(shortest, longest))
    row, column = rng.randrange(side), rng.randrange(side - len(word) + 1)
    grid = {(row, column + at): letter for at, letter in enumerate(word)}
    used, words = [word], _words_by_letter(shortest, longest)
    cells, lines = list(grid), dict[Cell, Line]()
    while cells and len(used) < most:
        cell = cells[int(rng.random() * len(cells))]
        if cell not in lines:
            lines[cell] = _line(grid, cell, side, shortest, longest)
        (down, right), letters, spans = lines[cell]
        if not spans:  # and there will be none
            cells.remove(cell)
            continue
        at, length = spans.pop(int(rng.random() ** 0.5 * len(spans)))  # long ones rather
        fitting = words.get((grid[cell], at, length), ())
        met = [(at + step, sign) for step, sign in letters if 0 <= at + step < length]
        if met:
            fitting = [word for word in fitting if all(word[to] == sign for to, sign in met)]
        word = rng.choice(fitting) if fitting else ""
        if word and word not in used:
            row, column = cell[0] - down * at, cell[1] - right * at
            fresh = {(row + down * n, column + right * n): sign for n, sign in enumerate(word)}
            cells += [each for each in fresh if each not in grid]
            grid |= fresh
            lines.clear()
            used.append(word)
    return grid, used


@cache
def _words_by_letter(shortest: int, longest: int) -> dict[tuple[str, int, int], list[str]]:
    """The words with a letter at a place, by these two and their length."""
    found = defaultdict[tuple[str, int, int], list[str]](list)
    for word in words_of(shortest, longest):
        for at, letter in enumerate(word):
            found[letter, at, len(word)].append(word)
    return dict(found)


def _line(grid: dict[Cell, str], cell: Cell, side: int, shortest: int, longest: int) -> Line:
    """How a word may run through a letter that only one word has."""
    row, column = cell
    down, right = (0, 1) if _free(grid, cell, 0, 1) else (1, 0)
    if not _free(grid, cell, down, right):
        return (down, right), [], []
    reach, letters = [], dict[int, str]()
    for turn in (-1, 1):
        step = turn
        while abs(step) <= longest:  # the cell after the last one counts too
            here = row + down * step, column + right * step
            if not (0 <= here[0] < side and 0 <= here[1] < side):
                break
            if here in grid:
                letters[step] = grid[here]
                if step - turn in letters:
                    # Two letters in a row would be a part of another word along this one.
                    break
            elif not _free(grid, here, right, down):
                break
            step += turn
        reach.append(abs(step) - 1)
    spans = [
        (at, length)
        for length in range(shortest, longest + 1)
        for at in range(max(0, length - 1 - reach[1]), min(length - 1, reach[0]) + 1)
        if -at - 1 not in letters and length - at not in letters
    ]
    return (down, right), [*letters.items()], spans


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
