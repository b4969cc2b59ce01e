"""Colour map: which regions of a drawn map are so many borders away from a region.

Two regions share a border where their cells lie side by side, not where they meet at a corner.
`verify` counts borders on the puzzle's board; `solve` reads letters and colours from the picture.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import CORNERS, SIDES, Board, Cell, beside, cells, regions
from puzzlemill.generators.visual._drawing import area, asked, blank, frame, letters_at, write
from puzzlemill.generators.visual._patches import patches
from puzzlemill.generators.visual._picture import Pixels, drawn_once, png
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
    made = draft(rng, knobs)
    gold = solve(made) if made else None
    return made if made and gold and verify(made, gold) == 1 else None


def draft(rng: Random, knobs: Knobs) -> Map | None:
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
    return made if 0 < len(_away(made)) < knobs.regions - 1 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(made: Map) -> tuple[str, ...] | None:
    """Read the picture: patches of colour, the letter in each, and which lie across a line."""
    page, side = _drawn(made), len(made.board)
    # Every second of these pixels is in a cell, away from its letter; the others are between two.
    steps = (EDGE + np.arange(side)[:, None] * CELL + (0, 5)).ravel()[1:]
    numbers = patches(page[np.ix_(steps, steps)])[0][::2, ::2].tolist()
    corner = {(row, column): numbers[row][column] for row, column in cells(side, side)}
    middles = [EDGE + step * CELL + CELL // 2 for step in range(side)]
    letters = letters_at(page, middles, middles)
    names = {
        patch: letters[row][column] for (row, column), patch in corner.items()
        if letters[row][column]
    }  # fmt: skip
    if len(names) != len(set(corner.values())):
        return None
    found, reached = {corner[_seats(made.board)[made.asked]]}, set[int]()
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
    return float({letter.upper() for letter in letters} == set(map(_letter, _away(made))))


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


@lru_cache(maxsize=2)  # drafting an item and judging its gold both ask
def _away(made: Map) -> list[int]:
    """The regions that are so many borders away."""
    near = _beside(made.board)
    borders = {made.asked: 0}
    waiting = [made.asked]
    for region in waiting:
        for other in near[region]:
            if other not in borders:
                borders[other] = borders[region] + 1
                waiting.append(other)
    return [region for region, count in borders.items() if count == made.borders]


def _beside(board: Board[int], corners: bool = False) -> list[set[int]]:
    """Of each region, those that it touches."""
    near: list[set[int]] = [set() for _ in range(max(map(max, board)) + 1)]
    pairs = {pair for row in board for pair in pairwise(row)}
    for row, below in pairwise(board):
        pairs.update(zip(row, below))
        if corners:
            pairs.update(zip(row, below[1:]), zip(row[1:], below))
    for one, other in pairs:
        if one != other:
            near[one].add(other)
            near[other].add(one)
    return near


def _letter(region: int) -> str:
    return chr(ord("A") + region)


@lru_cache(maxsize=2)
def _seats(board: Board[int]) -> list[Cell]:
    """Of each region the cell that has its letter: the first with most of the region around it."""
    side, regions = len(board), np.array(board)
    beyond = np.pad(regions, 1, constant_values=-1)
    alike = np.zeros((side, side), dtype=int)  # cells of its region around each
    for down, right in SIDES + CORNERS:
        alike += beyond[1 + down : 1 + down + side, 1 + right : 1 + right + side] == regions
    seats: dict[int, Cell] = {}
    most: dict[int, int] = {}
    for cell, region, count in zip(
        cells(side, side), regions.ravel().tolist(), alike.ravel().tolist()
    ):
        if count > most.get(region, -1):
            seats[region], most[region] = cell, count
    return [seats[region] for region in range(len(seats))]


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
    for region, (row, column) in enumerate(_seats(board)):
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
    draft=draft,
    proof="unique",
    solver="patches and letters read from the picture's pixels",
    guess_rate=0.25,
    known=lambda made: [_letter(region) for region in range(len(made.colours))],
    redraws=True,
    skills=("vision", "relations"),
    version=3,
)
