"""Colour map: which regions of a drawn map are so many borders away from a region.

Two regions share a border where their cells lie side by side, not where they meet at a corner.
`verify` counts borders on the puzzle's board; `solve` reads letters and colours from the picture.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Board, around, beside, cells, regions
from puzzlemill.generators.visual._drawing import (
    area,
    asked,
    blank,
    frame,
    letter_at,
    write,
)
from puzzlemill.generators.visual._patches import patches
from puzzlemill.generators.visual._picture import INK, Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

CELL = 34  # pixels
EDGE = 8
HUES = ("orange", "yellow", "green", "pink", "purple")


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # cells, both ways
    regions: int  # of the map
    borders: int  # at most so many are to be crossed


@dataclass(frozen=True, slots=True)
class Map:
    board: Board[int]  # the region of each cell, from 0
    colours: tuple[int, ...]  # of each region, places in HUES
    asked: int
    borders: int


def generate(rng: Random, knobs: Knobs) -> Map | None:
    board = regions(rng, knobs.side, knobs.side, knobs.regions)
    colours: list[int] = []
    near = _beside(board, corners=True)
    for region in range(knobs.regions):
        taken = {colours[other] for other in near[region] if other < region}
        free = [hue for hue in range(len(HUES)) if hue not in taken]
        if not free:
            return None
        colours.append(rng.choice(free))
    made = Map(board, tuple(colours), rng.randrange(knobs.regions), rng.randint(1, knobs.borders))
    found = solve(made)
    return made if found and len(found) < knobs.regions - 1 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(made: Map) -> tuple[str, ...] | None:
    """Read the picture: patches of colour, the letter in each, and which lie across a line."""
    page, side = _drawn(made), len(made.board)
    numbers, _ = patches(page)
    corner = {
        (row, column): int(numbers[EDGE + row * CELL + 5, EDGE + column * CELL + 5])
        for row, column in cells(side, side)
    }
    written = _written(page, side)
    names: dict[int, str] = {}
    for row, column in corner:
        x, y = (EDGE + step * CELL + CELL // 2 for step in (column, row))
        letter = letter_at(page, x, y) if written[row][column] else ""
        if letter:
            names[corner[row, column]] = letter
    if len(names) != len(set(corner.values())):
        return None
    found, reached = {corner[_seat(made.board, made.asked)]}, set[int]()
    for _ in range(made.borders):
        reached |= found
        found = {
            corner[there]
            for here in corner
            if corner[here] in found
            for there in beside(here, side, side)
        } - reached
    return tuple(sorted(names[patch].lower() for patch in found))


def verify(made: Map, letters: tuple[str, ...]) -> float:
    near = _beside(made.board)
    borders = {made.asked: 0}
    waiting = [made.asked]
    for region in waiting:
        for other in sorted(near[region]):
            if other not in borders:
                borders[other] = borders[region] + 1
                waiting.append(other)
    right = {_letter(region) for region, count in borders.items() if count == made.borders}
    return float({letter.upper() for letter in letters} == right)


def render(made: Map, style: Style) -> Prompt:
    letter = _letter(made.asked)
    shown = (
        "The picture shows a map of coloured regions, one for each letter. Two regions share a"
        " border if they meet along a line; to meet at a corner only is not enough."
    )
    if made.borders == 1:
        question = f"Which regions share a border with region {letter}?"
    else:
        question = (
            f"Which regions are exactly {made.borders} borders away from region {letter}: to get"
            f" there from {letter}, one must cross {made.borders} borders, and not fewer?"
        )
    return Prompt(
        asked(style, shown, question),
        form="the letters of all these regions, separated by commas",
        images=(png(_drawn(made), PALETTE),),
    )


def hardness(made: Map) -> float:
    return len(made.colours) + len(made.board) + 4 * made.borders


def _beside(board: Board[int], corners: bool = False) -> list[set[int]]:
    """Of each region, those that it touches."""
    side = len(board)
    near: list[set[int]] = [set() for _ in range(max(max(row) for row in board) + 1)]
    for row, column in cells(side, side):
        others = (around if corners else beside)((row, column), side, side)
        near[board[row][column]] |= {board[r][c] for r, c in others} - {board[row][column]}
    return near


def _letter(region: int) -> str:
    return chr(ord("A") + region)


def _seat(board: Board[int], region: int) -> tuple[int, int]:
    """The cell that has a region's letter: the one with most of the region around it."""
    side = len(board)
    own = [cell for cell in cells(side, side) if board[cell[0]][cell[1]] == region]
    within = set(own)
    return max(own, key=lambda cell: len(within.intersection(around(cell, side, side))))


def _written(page: Pixels, side: int) -> list[list[bool]]:
    """By cell, whether there is any ink around its middle, away from the lines between regions."""
    ink = page[EDGE:-EDGE, EDGE:-EDGE].reshape(side, CELL, side, CELL) == INK
    near = slice(CELL // 2 - 8, CELL // 2 + 8)
    found: list[list[bool]] = ink[:, near, :, near].any(axis=(1, 3)).tolist()
    return found


@drawn_once
def _drawn(made: Map) -> Pixels:
    board, side = made.board, len(made.board)
    page = blank(side * CELL + 2 * EDGE, side * CELL + 2 * EDGE)
    hues = np.array([INDEX[HUES[hue]] for hue in made.colours], dtype=np.uint8)[np.array(board)]
    page[EDGE:-EDGE, EDGE:-EDGE] = hues.repeat(CELL, axis=0).repeat(CELL, axis=1)
    for row, column in cells(side, side):
        left, top = EDGE + column * CELL, EDGE + row * CELL
        if column and board[row][column] != board[row][column - 1]:
            area(page, left - 1, top - 1, left + 1, top + CELL + 1)
        if row and board[row][column] != board[row - 1][column]:
            area(page, left - 1, top - 1, left + CELL + 1, top + 1)
    frame(page, EDGE - 1, EDGE - 1, EDGE + side * CELL + 1, EDGE + side * CELL + 1, 2)
    for region in range(len(made.colours)):
        row, column = _seat(board, region)
        x, y = (EDGE + step * CELL + CELL // 2 for step in (column, row))
        write(page, _letter(region), x, y)
    return page


LADDER = (Knobs(4, 5, 1), Knobs(6, 9, 1), Knobs(8, 13, 2), Knobs(10, 19, 3), Knobs(12, 26, 4))
FAMILY = Family(
    Map,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="letters"),
    hardness=hardness,
    proof="unique",
    solver="patches and letters read from the picture's pixels",
    guess_rate=0.25,
    known=lambda made: [_letter(region) for region in range(len(made.colours))],
    redraws=True,
    skills=("vision", "relations"),
    version=3,
)
