"""Jigsaw tile: say in which row and column one tile of a shuffled picture belongs.

`verify` knows from which cell the tile was taken. `solve` puts the whole picture together from the
pixels of the page, and gives no answer unless one arrangement clearly wins.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Annotated

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.knobs import Within
from puzzlemill.generators.visual import _prose, _sources
from puzzlemill.generators.visual._board import reassembled
from puzzlemill.generators.visual._picture import (
    Colour,
    Pixels,
    bared,
    cut,
    drawn_once,
    masked,
    panels,
    png,
    sheet,
)
from puzzlemill.generators.visual._sources import Source, picture

SIDE = 264  # pixels of the picture
LOST = 36  # pixels lost or masked at each border by tiles: seams must still be found


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of tiles
    columns: int  # of tiles
    trim: int  # pixels lost on every side of each tile
    mask: Annotated[float, Within(0.0, 0.1)]  # share of a side blacked out at each border, at most
    source: Source


@dataclass(frozen=True, slots=True)
class Lost:
    source: str  # of the picture
    licence: str  # of a user's picture, where one is told
    seed: int
    rows: int
    columns: int
    trim: int
    mask: int  # pixels of a shown tile that are black at each border
    order: tuple[int, ...]  # the cell of the picture, from 0, that each numbered tile shows
    tile: int  # the number of the one asked for


def generate(rng: Random, knobs: Knobs) -> Lost | None:
    lost = draft(rng, knobs)
    gold = solve(lost)
    return lost if gold and verify(lost, gold) == 1 else None


def draft(rng: Random, knobs: Knobs) -> Lost:
    count = knobs.rows * knobs.columns
    made = _sources.chosen(rng, knobs.source)
    order = tuple(rng.sample(range(count), count))
    most = max(LOST // count - knobs.trim, 0)
    mask = min(round(knobs.mask * SIDE / max(knobs.rows, knobs.columns)), most)
    size = knobs.rows, knobs.columns, knobs.trim, mask
    return Lost(*made, *size, order, rng.randint(1, count))


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(lost: Lost) -> tuple[int, ...] | None:
    """Reassembly of all tiles, by how well their sides match."""
    pixels, palette = _page(lost)
    high, wide = (SIDE // count - 2 * lost.trim for count in (lost.rows, lost.columns))
    tiles = [
        bared(tile, lost.mask) for tile in panels(pixels, len(lost.order), lost.columns, high, wide)
    ]
    placed = reassembled(tiles, palette, lost.rows, lost.columns, lost.trim + lost.mask)
    if placed is None:
        return None
    row, column = divmod(placed.index(lost.tile - 1), lost.columns)
    return row + 1, column + 1


def verify(lost: Lost, said: tuple[int, ...]) -> float:
    row, column = divmod(lost.order[lost.tile - 1], lost.columns)
    return float(said == (row + 1, column + 1))


def render(lost: Lost, style: Style) -> Prompt:
    count, name = len(lost.order), lost.tile
    grid = f"{lost.rows} rows and {lost.columns} columns"
    trimmed = _prose.trimmed(lost.trim, mask=lost.mask)
    return Prompt(
        style.pick(
            f"<image>\nA picture was cut into {count} equal tiles, in {grid}. The tiles were"
            " shuffled, without turning them, and are laid out as shown, each with its number above"
            f" it.{trimmed} Where in the picture was tile {name}?",
            f"These {count} tiles, each with its number above it, are a picture of {grid} of tiles"
            f" in the wrong order; none is turned.{trimmed}\n<image>\nIn which row and column of"
            f" the finished picture does tile {name} belong?",
            f"<image>\nPut this jigsaw together in your mind: {count} tiles, shuffled but not"
            f" turned, which make a picture of {grid}.{trimmed} Find the place of tile {name}; the"
            " number of a tile stands above it.",
        ),
        form="the row and the column of that place, counted from 1 from the top and from the left,"
        " as two integers: row, column",
        images=(png(*_page(lost)),),
    )


@drawn_once
def _page(lost: Lost) -> tuple[Pixels, tuple[Colour, ...]]:
    shown = picture(lost.source, lost.seed, SIDE)
    tiles = cut(shown.pixels, lost.rows, lost.columns, lost.trim)
    tiles = [masked(tiles[cell], lost.mask) for cell in lost.order]
    return sheet(tiles, lost.columns), shown.palette


LADDER = (
    Knobs(2, 2, 0, 0.0, "any"),
    Knobs(2, 3, 0, 0.0, "any"),
    Knobs(3, 3, 0, 0.0, "any"),
    Knobs(3, 4, 1, 0.0, "any"),
    Knobs(4, 4, 1, 0.0, "any"),
)
FAMILY = Family(
    Lost,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="a row and a column"),
    hardness=lambda lost: len(lost.order) + lost.trim + lost.mask,
    draft=draft,
    proof="unique",
    solver="reassembly from pixels by how well sides match",
    guess_rate=0.25,
    kin=_sources.kin,
    redraws=True,
    skills=("vision", "assembly"),
    peers=("Jigsaw-R1/single",),
    theme="jigsaws",
    version=4,
)
