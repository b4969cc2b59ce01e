"""Jigsaw: say which numbered tile belongs where in a picture that was cut up and shuffled.

A tile may be missing, or one too many that was cut from elsewhere. `verify` compares with the order
in which the tiles were laid out, and pays a part of the share of tiles in place, or of neighbours
that belong together, if the answer really names each once. `solve` never looks at that order: it
puts the picture together again from the pixels of the page, by how well the tiles continue each
other, and gives no answer unless one arrangement clearly wins.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Annotated, Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.knobs import Within
from puzzlemill.generators.visual import _prose, _sources
from puzzlemill.generators.visual._board import clear_share, reassembled
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
    tiles_and_stranger,
    window_and_place,
)
from puzzlemill.generators.visual._sources import Source, picture

SIDE = 264  # pixels of the picture; 2, 3 and 4 divide it, and 5 nearly
DRAWN = 300  # of the one around it,
LARGE = 396  # or where a tile is cut from elsewhere
WINDOWS = 12  # places of the picture in it that are tried
ENOUGH = 0.75  # of the seams are clear, or the picture is given up
TRIMMED = 36  # trim by tiles: what can be cut off so that seams are still found
STRANGER = -1  # the cell of a tile from elsewhere

# the tile in each place, or the place of each tile
Asked = Literal["tiles", "places"]
# a tile left out, or one from elsewhere put in
Spare = Literal["none", "missing", "stranger"]
# what of a wrong arrangement is paid for
Paid = Literal["places", "neighbours"]


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of tiles
    columns: int  # of tiles
    trim: int  # pixels lost on every side of each tile, at most: many tiles lose fewer
    asked: Asked  # in which form the arrangement is to be told
    spare: Spare  # a tile is only missing from two rows and columns or more
    mask: Annotated[float, Within(0.0, 0.1)]  # share of a side blacked out at each border, at most
    paid: Paid
    partial: Annotated[float, Within(0.0, 1.0)]  # a wrong answer scores this times its right share
    source: Source


@dataclass(frozen=True, slots=True)
class Jigsaw:
    source: str  # of the picture
    licence: str  # of a user's picture, where one is told
    seed: int
    rows: int
    columns: int
    trim: int
    mask: int  # pixels of a shown tile that are black at each border
    asked: Asked
    paid: Paid
    partial: float
    order: tuple[int, ...]  # the cell of the picture, from 0, that each numbered tile shows
    window: tuple[int, ...]  # left and top of the picture, and then of the stranger if there is one


def generate(rng: Random, knobs: Knobs) -> Jigsaw | None:
    count = knobs.rows * knobs.columns
    cells = list(range(count))
    if knobs.spare == "missing" and min(knobs.rows, knobs.columns) > 1:
        cells.remove(rng.randrange(count))
    elif knobs.spare == "stranger":
        cells.append(STRANGER)
    order = rng.sample(cells, len(cells))
    if order == cells and len(cells) > 2:  # of two tiles, one order alone would be no question
        return None
    made = _sources.chosen(rng, knobs.source)
    trim = min(knobs.trim, TRIMMED // count)
    mask = min(round(knobs.mask * SIDE / max(knobs.rows, knobs.columns)), TRIMMED // count - trim)
    size, paid = (knobs.rows, knobs.columns, trim, mask), (knobs.paid, knobs.partial)
    for _ in range(WINDOWS):  # a picture takes longer to draw than to cut once more
        window = _window(rng, knobs)
        jigsaw = Jigsaw(*made, *size, knobs.asked, *paid, tuple(order), window)
        clear = _clear(jigsaw)
        if clear == 1 and (gold := solve(jigsaw)) and verify(jigsaw, gold) == 1:
            return jigsaw
        if clear < ENOUGH:
            break
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(jigsaw: Jigsaw) -> tuple[int, ...] | None:
    """Reassembly of the tiles of the page, by how well their sides match."""
    pixels, palette = _page(jigsaw)
    shown = len(jigsaw.order)
    high, wide = (SIDE // each - 2 * jigsaw.trim for each in (jigsaw.rows, jigsaw.columns))
    tiles = [
        bared(tile, jigsaw.mask) for tile in panels(pixels, shown, _across(jigsaw), high, wide)
    ]
    lost = jigsaw.trim + jigsaw.mask
    placed = reassembled(tiles, palette, jigsaw.rows, jigsaw.columns, lost)
    if placed is None:
        return None
    if jigsaw.asked == "tiles":
        return tuple(tile + 1 for tile in placed)
    return tuple(placed.index(tile) + 1 if tile in placed else 0 for tile in range(shown))


def verify(jigsaw: Jigsaw, said: tuple[int, ...]) -> float:
    true = _true(jigsaw)
    if sorted(said) != sorted(true):
        return 0.0
    if said == true:
        return 1.0
    if jigsaw.paid == "places":
        return jigsaw.partial * sum(one == other for one, other in zip(said, true)) / len(true)
    pairs = _neighbours(jigsaw, true)
    return jigsaw.partial * len(pairs & _neighbours(jigsaw, said)) / len(pairs)


def render(jigsaw: Jigsaw, style: Style) -> Prompt:
    count, shown = jigsaw.rows * jigsaw.columns, len(jigsaw.order)
    grid = f"{_counted(jigsaw.rows, 'row')} and {_counted(jigsaw.columns, 'column')}"
    trimmed = _prose.trimmed(jigsaw.trim, mask=jigsaw.mask)
    if shown < count:
        trimmed += f" One of the {count} tiles is missing: only {shown} are shown."
    elif shown > count:
        trimmed += f" One of the {shown} tiles shown is not from this picture."
    nobody = ", with 0 for the place of the missing tile" if shown < count else ""
    form = (
        f"the numbers of all {min(count, shown)} tiles in the order in which they stand in the"
        " original picture, row by row from the top and each row from left to right, separated by"
        f" commas{nobody}"
    )
    if shown > count:
        form = (
            f"the numbers of the {count} tiles of the picture in the order in which they stand in"
            " it, row by row from the top and each row from left to right, separated by commas"
        )
    if jigsaw.asked == "places":
        nowhere = "; the place of the tile that is not from the picture is 0"
        form = (
            f"{shown} numbers separated by commas: the place of tile 1, of tile 2, and so on, where"
            " the places of the original picture are numbered from 1, row by row from the top and"
            f" each row from left to right{nowhere if shown > count else ''}"
        )
    return Prompt(
        style.pick(
            f"<image>\nA picture was cut into {count} equal tiles, in {grid}. The tiles were then"
            " shuffled, without turning them, and laid out as shown, each with its number above"
            f" it.{trimmed} Put the picture together again.",
            "Here are the pieces of a jigsaw puzzle, the tiles, each with its number above it."
            f"\n<image>\nThe finished picture has {grid} of tiles. They may be in the wrong places,"
            f" but none is turned.{trimmed} Which tile belongs where?",
            f"Rebuild a picture from its {count} tiles. It had {grid}; here its tiles are mixed up"
            f" (not turned), and the number above each tile is its name.{trimmed}\n<image>",
        ),
        form=form,
        images=(png(*_page(jigsaw)),),
    )


def steps(jigsaw: Jigsaw) -> list[str]:
    lines = []
    for place in range(jigsaw.rows * jigsaw.columns):
        row, column = divmod(place, jigsaw.columns)
        tile = f"tile {jigsaw.order.index(place) + 1}" if place in jigsaw.order else "no tile"
        lines.append(f"Row {row + 1}, column {column + 1} of the picture: {tile}.")
    if STRANGER in jigsaw.order:
        lines.append(f"Tile {jigsaw.order.index(STRANGER) + 1} is not from the picture.")
    return lines


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count > 1)}"


def _true(jigsaw: Jigsaw) -> tuple[int, ...]:
    order = jigsaw.order
    if jigsaw.asked == "places":
        return tuple(cell + 1 for cell in order)
    cells = range(jigsaw.rows * jigsaw.columns)
    return tuple(order.index(cell) + 1 if cell in order else 0 for cell in cells)


def _neighbours(jigsaw: Jigsaw, said: tuple[int, ...]) -> set[tuple[int, int, bool]]:
    """Which tile has which one to its right, or below it, in a picture put together as said."""
    columns, placed = jigsaw.columns, list(said)
    if jigsaw.asked == "places":
        placed = [said.index(cell + 1) + 1 if cell + 1 in said else 0
                  for cell in range(jigsaw.rows * columns)]  # fmt: skip
    found = set()
    for cell, tile in enumerate(placed):
        if (cell + 1) % columns:
            found.add((tile, placed[cell + 1], True))
        if cell + columns < len(placed):
            found.add((tile, placed[cell + columns], False))
    return found


def _window(rng: Random, knobs: Knobs) -> tuple[int, ...]:
    if knobs.spare == "stranger":
        tile = SIDE // knobs.columns, SIDE // knobs.rows
        corner, place = window_and_place(rng, LARGE, SIDE, *tile)
        return *corner, *place
    return rng.randint(0, DRAWN - SIDE), rng.randint(0, DRAWN - SIDE)


def _clear(jigsaw: Jigsaw) -> float:
    """The share of seams that are clear enough."""
    tiles, palette = _tiles(jigsaw)
    bare = [bared(tile, jigsaw.mask) for tile in tiles]
    return clear_share(bare, palette, jigsaw.rows, jigsaw.columns, jigsaw.trim + jigsaw.mask)


def _across(jigsaw: Jigsaw) -> int:
    """Tiles in a row of the page."""
    return jigsaw.columns + (STRANGER in jigsaw.order)


def _tiles(jigsaw: Jigsaw) -> tuple[list[Pixels], tuple[Colour, ...]]:
    """The picture's tiles row by row, the missing one too, and the stranger behind them."""
    size = jigsaw.rows, jigsaw.columns, jigsaw.trim
    left, top, *place = jigsaw.window
    shown = picture(jigsaw.source, jigsaw.seed, LARGE if place else DRAWN)
    if place:
        x, y = place
        return tiles_and_stranger(shown.pixels, SIDE, (left, top), (x, y), *size), shown.palette
    return cut(shown.pixels[top : top + SIDE, left : left + SIDE], *size), shown.palette


@drawn_once
def _page(jigsaw: Jigsaw) -> tuple[Pixels, tuple[Colour, ...]]:
    tiles, palette = _tiles(jigsaw)
    shown = [masked(tiles[cell], jigsaw.mask) for cell in jigsaw.order]
    return sheet(shown, _across(jigsaw)), palette


LADDER = (
    Knobs(3, 1, 0, "tiles", "none", 0.0, "places", 0.2, "any"),
    Knobs(2, 3, 0, "tiles", "none", 0.0, "places", 0.2, "any"),
    Knobs(3, 3, 0, "tiles", "none", 0.0, "places", 0.2, "any"),
    Knobs(3, 4, 6, "tiles", "none", 0.0, "places", 0.2, "any"),
    Knobs(4, 4, 2, "tiles", "none", 0.0, "places", 0.2, "any"),
    Knobs(5, 5, 0, "tiles", "none", 0.0, "places", 0.2, "any"),
)
FAMILY = Family(
    Jigsaw,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the tiles' numbers in order", reorders=True, rows=True),
    hardness=lambda jigsaw: len(jigsaw.order) + jigsaw.trim + jigsaw.mask,
    proof="unique",
    solver="reassembly from pixels by how well sides match",
    guess_rate=0.2,
    steps=steps,
    kin=_sources.kin,
    redraws=True,
    skills=("vision", "assembly"),
    peers=("Jigsaw-R1/full", "Visual-Jigsaw/image", "KORGym/9-Jigsaw_puzzle"),
    theme="jigsaws",
    version=7,
)
