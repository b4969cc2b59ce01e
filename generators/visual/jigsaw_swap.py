"""Swapped tiles: two tiles of a picture have changed places; say which.

`verify` compares with the two that were exchanged. `solve` tries every exchange on the pixels of
the page: one must make the tiles continue each other clearly better than any other.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual import _prose, _sources
from puzzlemill.generators.visual._board import SEEN, SLACK, costs
from puzzlemill.generators.visual._picture import (
    Colour,
    Pixels,
    cut,
    drawn_once,
    panels,
    png,
    sheet,
)
from puzzlemill.generators.visual._sources import Source, picture

SIDE = 264  # pixels of the picture

Seams = NDArray[np.int64]

_NAMES = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of tiles
    columns: int  # of tiles
    trim: int  # pixels lost on every side of each tile
    source: Source


@dataclass(frozen=True, slots=True)
class Swap:
    source: str  # of the picture
    licence: str  # of a user's picture, where one is told
    seed: int
    rows: int
    columns: int
    trim: int
    exchanged: tuple[int, int]  # cells from 0, the lower first


def generate(rng: Random, knobs: Knobs) -> Swap | None:
    swap = draft(rng, knobs)
    gold = solve(swap)
    return swap if gold and verify(swap, gold) == 1 else None


def draft(rng: Random, knobs: Knobs) -> Swap:
    made = _sources.chosen(rng, knobs.source)
    one, other = sorted(rng.sample(range(knobs.rows * knobs.columns), 2))
    size = knobs.rows, knobs.columns, knobs.trim
    return Swap(*made, *size, (one, other))


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(swap: Swap) -> tuple[str, ...] | None:
    """Every exchange is tried: the cheapest must be clearly cheaper than the next."""
    pixels, palette = _page(swap)
    count, columns = swap.rows * swap.columns, swap.columns
    high, wide = (SIDE // tiles - 2 * swap.trim for tiles in (swap.rows, swap.columns))
    tiles = panels(pixels, count, columns, high, wide)
    across, down = costs(tiles, palette, swap.trim)
    exchanges, beside, below = _exchanges(swap.rows, columns)
    spent = across.ravel().take(beside).sum(axis=1) + down.ravel().take(below).sum(axis=1)
    *exchanged, whole = spent.tolist()
    (best, (one, other)), (second, _), *_ = sorted(zip(exchanged, exchanges))
    answer = _NAMES[one], _NAMES[other]
    return answer if min(second, whole) > best * (1 + SLACK / count) + 2 * SEEN else None


def verify(swap: Swap, said: tuple[str, ...]) -> float:
    one, other = swap.exchanged
    return float(set(said) == {_NAMES[one], _NAMES[other]})


def render(swap: Swap, style: Style) -> Prompt:
    count = swap.rows * swap.columns
    grid = f"{swap.rows} rows and {swap.columns} columns"
    trimmed = _prose.trimmed(swap.trim)
    return Prompt(
        style.pick(
            f"<image>\nA picture was cut into {count} tiles, in {grid}, and laid out with gaps"
            f" between them.{trimmed} Two of the tiles have changed places; all others are where"
            " they belong. Which two? The letter of each tile stands above it.",
            f"Here are the {count} tiles of a picture in {grid}, each with its letter above it."
            f"{trimmed}\n<image>\nExactly two of them are in each other's place. Find them.",
            f"Somebody has exchanged two tiles of this picture, which lies in {grid}; the other"
            f" tiles are right.{trimmed} Which are the two? Each has its letter above it.\n<image>",
        ),
        form="the letters of the two exchanged tiles, separated by a comma",
        images=(png(*_page(swap)),),
    )


@lru_cache(maxsize=8)
def _exchanges(rows: int, columns: int) -> tuple[list[tuple[int, int]], Seams, Seams]:
    """Every exchange, and by exchange, and behind them for none, the seams across and down, each as
    the first tile's number times the count, plus the second's."""
    count = rows * columns
    exchanges = list(combinations(range(count), 2))
    placed = np.arange(count).repeat(len(exchanges) + 1).reshape(count, -1).T
    for order, (one, other) in zip(placed, exchanges):
        order[[one, other]] = other, one
    boards = placed.reshape(-1, rows, columns)
    beside = boards[:, :, :-1] * count + boards[:, :, 1:]
    below = boards[:, :-1] * count + boards[:, 1:]
    return exchanges, beside.reshape(len(boards), -1), below.reshape(len(boards), -1)


@drawn_once
def _page(swap: Swap) -> tuple[Pixels, tuple[Colour, ...]]:
    shown = picture(swap.source, swap.seed, SIDE)
    tiles = cut(shown.pixels, swap.rows, swap.columns, swap.trim)
    one, other = swap.exchanged
    tiles[one], tiles[other] = tiles[other], tiles[one]
    return sheet(tiles, swap.columns, _NAMES.upper()), shown.palette


LADDER = (
    Knobs(2, 3, 0, "any"),
    Knobs(3, 3, 0, "any"),
    Knobs(3, 4, 1, "any"),
    Knobs(4, 4, 2, "any"),
    Knobs(5, 5, 2, "any"),
)
FAMILY = Family(
    Swap,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(form="the two tiles' letters", items="letters"),
    hardness=lambda swap: swap.rows * swap.columns + swap.trim,
    draft=draft,
    proof="unique",
    solver="every exchange tried on the pixels",
    guess_rate=0.07,
    kin=_sources.kin,
    known=lambda swap: _NAMES[: swap.rows * swap.columns].upper(),
    redraws=True,
    skills=("vision", "assembly"),
    peers=("Jigsaw-R1/box",),
    theme="jigsaws",
    slips_version=2,
    version=4,
)
