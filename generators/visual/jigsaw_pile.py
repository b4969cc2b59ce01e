"""A pile of tiles: they are shuffled and turned too; say which belongs where, and how far each is
turned.

One tile is told to lie the right way up, or else the whole picture could be turned. `verify`
compares with what was done to the tiles, and pays a fifth of the share of places told right, if the
answer really names each tile once. `solve` sees the page only: it puts the picture together from
all tiles in all positions, and gives no answer unless one arrangement clearly wins.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Annotated

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.knobs import Within
from puzzlemill.generators.visual import _prose, _sources
from puzzlemill.generators.visual._board import turned_and_reassembled
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
from puzzlemill.generators.visual._sources import Source, picture

SIDE = 264  # pixels of the picture

Said = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    cells: int  # the picture is cut into cells x cells tiles
    trim: int  # pixels lost on every side of each tile
    partial: Annotated[float, Within(0.0, 1.0)]  # a wrong answer scores this times its right share
    source: Source


@dataclass(frozen=True, slots=True)
class Pile:
    source: str  # of the picture
    licence: str  # of a user's picture, where one is told
    seed: int
    cells: int
    trim: int
    order: tuple[int, ...]  # the cell of the picture, from 0, that each numbered tile shows
    turns: tuple[int, ...]  # quarters of a turn clockwise, by numbered tile
    upright: int  # the number of a tile that is told not to be turned
    partial: float


def generate(rng: Random, knobs: Knobs) -> Pile | None:
    pile = draft(rng, knobs)
    gold = solve(pile)
    return pile if gold and verify(pile, gold) == 1 else None


def draft(rng: Random, knobs: Knobs) -> Pile:
    count = knobs.cells**2
    made = _sources.chosen(rng, knobs.source)
    order = tuple(rng.sample(range(count), count))
    turns = [rng.randrange(4) for _ in order]
    upright = rng.randrange(count)
    turns[upright] = 0
    return Pile(*made, knobs.cells, knobs.trim, order, tuple(turns), upright + 1, knobs.partial)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(pile: Pile) -> Said | None:
    """Reassembly of all tiles in all positions, by how well their sides match."""
    pixels, palette = _page(pile)
    cells, side = pile.cells, SIDE // pile.cells - 2 * pile.trim
    shown = panels(pixels, cells**2, cells, side, side)
    positions = [
        (tile, turn)
        for tile in range(cells**2)
        for turn in range(1 if tile + 1 == pile.upright else 4)
    ]
    placed = turned_and_reassembled(shown, positions, palette, cells, pile.trim)
    if placed is None:
        return None
    return tuple((tile + 1, 90 * turn) for tile, turn in map(positions.__getitem__, placed))


def verify(pile: Pile, said: Said) -> float:
    count = len(pile.order)
    if sorted(number for number, _ in said) != list(range(1, count + 1)):
        return 0.0
    if any(degrees not in (0, 90, 180, 270) for _, degrees in said):
        return 0.0
    right = sum(
        pile.order[number - 1] == cell and 90 * pile.turns[number - 1] == degrees
        for cell, (number, degrees) in enumerate(said)
    )
    return 1.0 if right == count else pile.partial * right / count


def render(pile: Pile, style: Style) -> Prompt:
    cells, count = pile.cells, len(pile.order)
    grid = f"{cells} rows and {cells} columns"
    told = f"{_prose.trimmed(pile.trim)} Tile {pile.upright} is shown the right way up."
    return Prompt(
        style.pick(
            f"<image>\nA picture was cut into {count} square tiles, in {grid}. The tiles were"
            " shuffled and turned, each clockwise by 0, 90, 180 or 270 degrees, and laid out as"
            f" shown, each with its number above it.{told} Put the picture together again.",
            f"These {count} numbered tiles are a jigsaw puzzle of {grid}. They lie in the wrong"
            " places, and each may have been turned clockwise by a quarter, a half or three"
            f" quarters of a turn.{told}\n<image>\nWhich tile belongs where, and how far was it"
            " turned?",
            f"Rebuild a picture of {grid} from its {count} square tiles. They are mixed up, and"
            f" turned clockwise by 0, 90, 180 or 270 degrees; the number above each is its name."
            f"{told}\n<image>",
        ),
        form=f"{count} pairs such as (0, 45), separated by commas: for each place of the original"
        " picture, row by row from the top and each row from left to right, the number of the tile"
        " that belongs there and the degrees by which it has been turned clockwise",
        images=(png(*_page(pile)),),
    )


def steps(pile: Pile) -> list[str]:
    lines = []
    for cell, tile in enumerate(map(pile.order.index, range(len(pile.order)))):
        row, column = divmod(cell, pile.cells)
        turn = 90 * pile.turns[tile]
        told = f"turned by {turn} degrees" if turn else "the right way up"
        lines.append(f"Row {row + 1}, column {column + 1} of the picture: tile {tile + 1}, {told}.")
    return lines


@drawn_once
def _page(pile: Pile) -> tuple[Pixels, tuple[Colour, ...]]:
    shown = picture(pile.source, pile.seed, SIDE)
    tiles = cut(shown.pixels, pile.cells, pile.cells, pile.trim)
    moved = [
        clockwise(tiles[cell], turn) for cell, turn in zip(pile.order, pile.turns, strict=True)
    ]
    return sheet(moved, pile.cells), shown.palette


LADDER = (
    Knobs(2, 0, 0.2, "any"),
    Knobs(2, 1, 0.2, "any"),
    Knobs(3, 0, 0.2, "any"),
    Knobs(3, 1, 0.2, "any"),
    Knobs(4, 0, 0.2, "any"),
)
FAMILY = Family(
    Pile,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(form="each place's tile and its turn in degrees"),
    hardness=lambda pile: 4 * len(pile.order) + pile.trim,
    draft=draft,
    proof="unique",
    solver="reassembly from pixels of all tiles in all positions",
    guess_rate=0.05,
    steps=steps,
    kin=_sources.kin,
    redraws=True,
    skills=("vision", "assembly"),
    peers=("Jigsaw-R1/full",),
    theme="jigsaws",
    version=4,
)
