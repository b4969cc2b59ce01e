"""The stranger: one of the tiles of a jigsaw does not belong to its picture.

All are parts of one larger picture: the jigsaw of a window in it, the stranger from outside of the
window. `verify` knows where it was put. `solve` puts the jigsaw together from the pixels of the
page with one tile left over.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual import _prose, _sources
from puzzlemill.generators.visual._board import reassembled
from puzzlemill.generators.visual._picture import (
    Colour,
    Pixels,
    drawn_once,
    panels,
    png,
    sheet,
    tiles_and_stranger,
    window_and_place,
)
from puzzlemill.generators.visual._sources import Source, picture

SIDE = 396  # pixels of the large picture
WINDOW = 240  # of the jigsaw's; 2, 3, 4 and 5 divide it


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of tiles
    columns: int  # of tiles
    trim: int  # pixels lost on every side of each tile
    source: Source


@dataclass(frozen=True, slots=True)
class Guest:
    source: str  # of the picture
    licence: str  # of a user's picture, where one is told
    seed: int
    rows: int
    columns: int
    trim: int
    window: tuple[int, int]  # its left and top, in pixels
    stranger: tuple[int, int]
    order: tuple[int, ...]  # the cell, from 0, that each numbered tile shows; -1 for the stranger


def generate(rng: Random, knobs: Knobs) -> Guest | None:
    guest = draft(rng, knobs)
    gold = solve(guest)
    return guest if gold and verify(guest, gold) == 1 else None


def draft(rng: Random, knobs: Knobs) -> Guest:
    count = knobs.rows * knobs.columns
    made = _sources.chosen(rng, knobs.source)
    tile = WINDOW // knobs.columns, WINDOW // knobs.rows
    window, stranger = window_and_place(rng, SIDE, WINDOW, *tile)
    order = tuple(rng.sample(range(-1, count), count + 1))
    size = knobs.rows, knobs.columns, knobs.trim
    return Guest(*made, *size, window, stranger, order)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(guest: Guest) -> int | None:
    """Reassembly by how well the tiles' sides match, with one tile too many."""
    pixels, palette = _page(guest)
    high, wide = (WINDOW // count - 2 * guest.trim for count in (guest.rows, guest.columns))
    tiles = panels(pixels, len(guest.order), _across(guest), high, wide)
    placed = reassembled(tiles, palette, guest.rows, guest.columns, guest.trim)
    if placed is None:
        return None
    (left_over,) = set(range(len(tiles))) - set(placed)
    return left_over + 1


def verify(guest: Guest, tile: int) -> float:
    return float(guest.order.index(-1) == tile - 1)


def render(guest: Guest, style: Style) -> Prompt:
    count = guest.rows * guest.columns
    grid = f"{guest.rows} rows and {guest.columns} columns"
    trimmed = _prose.trimmed(guest.trim)
    return Prompt(
        style.pick(
            f"<image>\nA picture was cut into {count} equal tiles, in {grid}. They were shuffled,"
            " without turning them, together with one tile that is not from the picture. Each tile"
            f" has its number above it.{trimmed} Which tile does not belong?",
            f"Here are {count + 1} tiles, each with its number above it. All but one make a picture"
            f" of {grid}; none is turned.{trimmed}\n<image>\nWhich tile is left over when the"
            " picture is put together?",
            f"Among the shuffled tiles of a jigsaw ({grid}, not turned, numbered above) there is"
            f" one too many: it was cut from somewhere else.{trimmed} Find it.\n<image>",
        ),
        form="the number of that tile, as one integer",
        images=(png(*_page(guest)),),
    )


def _across(guest: Guest) -> int:
    """Tiles in a row of the page."""
    return guest.columns + 1


def _tiles(guest: Guest) -> list[Pixels]:
    """The jigsaw's, row by row, and the stranger behind them."""
    pixels = picture(guest.source, guest.seed, SIDE).pixels
    size = guest.rows, guest.columns, guest.trim
    return tiles_and_stranger(pixels, WINDOW, guest.window, guest.stranger, *size)


@drawn_once
def _page(guest: Guest) -> tuple[Pixels, tuple[Colour, ...]]:
    tiles = _tiles(guest)
    palette = picture(guest.source, guest.seed, SIDE).palette
    return sheet([tiles[cell] for cell in guest.order], _across(guest)), palette


LADDER = (
    Knobs(2, 2, 0, "any"),
    Knobs(2, 3, 0, "any"),
    Knobs(3, 3, 0, "any"),
    Knobs(3, 3, 1, "any"),
    Knobs(3, 4, 1, "any"),
)
FAMILY = Family(
    Guest,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(called=("tile",)),
    hardness=lambda guest: len(guest.order) + guest.trim,
    draft=draft,
    proof="unique",
    solver="reassembly from pixels with one tile left over",
    guess_rate=0.25,
    kin=_sources.kin,
    redraws=True,
    skills=("vision", "assembly"),
    theme="jigsaws",
    version=3,
)
