"""Turned tiles: every tile is in its place, but may have been turned; say how far each.

`verify` compares with the turns that were made, and pays a fifth of the share of tiles told right.
`solve` tries both tiles of every two neighbours in all four positions: everywhere one pair of
positions must fit clearly better than any other, so that no other set of turns fits as well.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.knobs import Within
from puzzlemill.generators.visual import _prose, _sources
from puzzlemill.generators.visual._board import CLEAR, SEEN
from puzzlemill.generators.visual._picture import (
    Colour,
    Pixels,
    clockwise,
    cut,
    drawn_once,
    panels,
    png,
    sheet,
)
from puzzlemill.generators.visual._seams import Colours, rims, seam_costs, table
from puzzlemill.generators.visual._sources import Source, picture

SIDE = 264  # pixels of the picture

Sides = NDArray[np.int64]  # of tiles, each tile's clockwise from above


@dataclass(frozen=True, slots=True)
class Knobs:
    cells: int  # the picture is cut into cells x cells tiles
    trim: int  # pixels lost on every side of each tile
    partial: Annotated[float, Within(0.0, 1.0)]  # a wrong answer scores this times its right share
    source: Source


@dataclass(frozen=True, slots=True)
class Turned:
    source: str  # of the picture
    licence: str  # of a user's picture, where one is told
    seed: int
    cells: int
    trim: int
    turns: tuple[int, ...]  # quarters of a turn clockwise, by tile
    partial: float


def generate(rng: Random, knobs: Knobs) -> Turned | None:
    turned = draft(rng, knobs)
    gold = solve(turned)
    return turned if gold and verify(turned, gold) == 1 else None


def draft(rng: Random, knobs: Knobs) -> Turned:
    turns = tuple(rng.randrange(4) for _ in range(knobs.cells**2))
    made = _sources.chosen(rng, knobs.source)
    return Turned(*made, knobs.cells, knobs.trim, turns, knobs.partial)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(turned: Turned) -> tuple[int, ...] | None:
    """The turns under which every two neighbours fit best, clearly and without contradiction."""
    pixels, palette = _page(turned)
    cells, side = turned.cells, SIDE // turned.cells - 2 * turned.trim
    tiles = np.stack(panels(pixels, cells**2, cells, side, side))
    pairs, first, second = _neighbours(cells)
    fits = _fits(rims(tiles, table(palette)), first, second, turned.trim)
    best, next_best = np.partition(fits, 1, axis=1)[:, :2].T
    if (best > np.minimum(CLEAR * next_best, next_best - SEEN)).any():
        return None
    found: dict[int, int] = {}
    for (one, other), fit in zip(pairs, fits.argmin(axis=1).tolist(), strict=True):
        for tile, turn in zip((one, other), divmod(fit, 4), strict=True):
            if found.setdefault(tile, turn) != turn:
                return None
    return tuple(90 * found[place] for place in range(cells**2))


def verify(turned: Turned, degrees: tuple[int, ...]) -> float:
    if len(degrees) != len(turned.turns) or any(each not in (0, 90, 180, 270) for each in degrees):
        return 0.0
    right = sum(90 * turn == each for turn, each in zip(turned.turns, degrees, strict=True))
    return 1.0 if right == len(degrees) else turned.partial * right / len(degrees)


def render(turned: Turned, style: Style) -> Prompt:
    cells, count = turned.cells, len(turned.turns)
    grid = f"{cells} rows and {cells} columns"
    trimmed = _prose.trimmed(turned.trim)
    return Prompt(
        style.pick(
            f"<image>\nA picture was cut into {count} square tiles, in {grid}. Each tile is in its"
            f" right place, but may have been turned by quarter turns.{trimmed} How far has each"
            " tile been turned clockwise? Its number stands above it.",
            f"Every tile of this picture ({grid}) was turned clockwise by 0, 90, 180 or 270 degrees"
            f" where it lay.{trimmed}\n<image>\nFind out by how much, for each numbered tile.",
            f"These {count} tiles, each with its number above it, lie in their right places, in"
            f" {grid}. Some of them have been turned.{trimmed} By how many degrees clockwise was"
            " each one turned?\n<image>",
        ),
        form=f"{count} numbers separated by commas, for tile 1, tile 2 and so on: the degrees by"
        " which it was turned clockwise, each 0, 90, 180 or 270",
        images=(png(*_page(turned)),),
    )


@lru_cache(maxsize=8)
def _neighbours(cells: int) -> tuple[list[tuple[int, int]], Sides, Sides]:
    """Each two tiles side by side; and of the first and of the second the sides that meet, by how
    far the tile is turned back."""
    found = []
    for place in range(cells**2):
        if (place + 1) % cells:
            found.append((place, place + 1, 1))
        if place + cells < cells**2:
            found.append((place, place + cells, 2))
    ones, others, sides = np.array(found).T[:, :, None]
    turns = np.arange(4)
    first, second = 4 * ones + (sides + turns) % 4, 4 * others + (sides + 2 + turns) % 4
    return [(one, other) for one, other, _ in found], first, second


def _fits(rims: Colours, first: Sides, second: Sides, trim: int) -> NDArray[np.int64]:
    """For each two tiles the costs of their seam in all positions: four for each turn of the
    first."""
    sides = rims.reshape(len(rims), -1, rims.shape[-1])
    ones, others = sides.take(first, axis=1), sides[..., ::-1].take(second, axis=1)
    return seam_costs(ones[:, :, :, None], others[:, :, None], trim).reshape(len(first), 16)


@drawn_once
def _page(turned: Turned) -> tuple[Pixels, tuple[Colour, ...]]:
    shown = picture(turned.source, turned.seed, SIDE)
    tiles = cut(shown.pixels, turned.cells, turned.cells, turned.trim)
    moved = [clockwise(tile, turn) for tile, turn in zip(tiles, turned.turns, strict=True)]
    return sheet(moved, turned.cells), shown.palette


LADDER = (
    Knobs(2, 0, 0.2, "any"),
    Knobs(2, 1, 0.2, "any"),
    Knobs(3, 0, 0.2, "any"),
    Knobs(3, 1, 0.2, "any"),
    Knobs(4, 0, 0.2, "any"),
)
FAMILY = Family(
    Turned,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the tiles' turns in degrees"),
    hardness=lambda turned: 2 * len(turned.turns) + turned.trim,
    draft=draft,
    proof="unique",
    solver="all positions of every two neighbours compared by pixels",
    guess_rate=0.01,
    kin=_sources.kin,
    redraws=True,
    skills=("vision", "assembly"),
    theme="jigsaws",
    version=4,
)
