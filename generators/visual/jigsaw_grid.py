"""Jigsaw: say which numbered tile belongs where in a picture that was cut up and shuffled.

`verify` compares with the order in which the tiles were laid out, and pays a fifth of the share of
tiles in place, if the answer really names each once. `solve` never looks at that order: it puts the
picture together again from the pixels of the page, by how well the tiles continue each other, and
gives no answer unless one arrangement clearly wins.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual import _sources
from puzzlemill.generators.visual._board import is_clear, reassembled
from puzzlemill.generators.visual._picture import Colour, Pixels, cut, panels, png, sheet
from puzzlemill.generators.visual._sources import Source, picture

SIDE = 264  # pixels of the picture; 2, 3 and 4 divide it, and 5 nearly
PARTIAL = 0.2  # the score of a permutation is at most this until all tiles are in place

Asked = Literal["tiles", "places"]  # the tile in each place, or the place of each tile


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int
    columns: int
    trim: int  # pixels lost on every side of each tile
    asked: Asked
    source: Source


@dataclass(frozen=True, slots=True)
class Jigsaw:
    source: str  # of the picture
    licence: str  # of a user's picture, where one is told
    seed: int
    rows: int
    columns: int
    trim: int
    asked: Asked
    order: tuple[int, ...]  # the cell of the picture, from 0, that each numbered tile shows


def generate(rng: Random, knobs: Knobs) -> Jigsaw | None:
    cells = list(range(knobs.rows * knobs.columns))
    order = rng.sample(cells, len(cells))
    if order == cells and len(cells) > 2:  # of two tiles, one order alone would be no question
        return None
    made = _sources.chosen(rng, knobs.source)
    size = knobs.rows, knobs.columns, knobs.trim
    jigsaw = Jigsaw(*made, *size, knobs.asked, tuple(order))
    shown = picture(jigsaw.source, jigsaw.seed, SIDE)
    tiles = cut(shown.pixels, *size)
    if not is_clear(tiles, shown.palette, knobs.columns, knobs.trim):
        return None
    gold = solve(jigsaw)
    return jigsaw if gold and verify(jigsaw, gold) == 1 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(jigsaw: Jigsaw) -> tuple[int, ...] | None:
    """Reassembly: branch and bound over the costs of all seams between tiles of the page."""
    pixels, palette = _page(jigsaw)
    high, wide = (SIDE // count - 2 * jigsaw.trim for count in (jigsaw.rows, jigsaw.columns))
    tiles = panels(pixels, jigsaw.rows * jigsaw.columns, jigsaw.columns, high, wide)
    placed = reassembled(tiles, palette, jigsaw.columns, jigsaw.trim)
    if placed is None:
        return None
    if jigsaw.asked == "tiles":
        return tuple(tile + 1 for tile in placed)
    return tuple(placed.index(tile) + 1 for tile in range(len(placed)))


def verify(jigsaw: Jigsaw, said: tuple[int, ...]) -> float:
    count = len(jigsaw.order)
    if sorted(said) != list(range(1, count + 1)):
        return 0.0
    pairs = ((tile, cell + 1) for tile, cell in enumerate(jigsaw.order))
    if jigsaw.asked == "tiles":
        right = sum(said[cell - 1] == tile + 1 for tile, cell in pairs)
    else:
        right = sum(said[tile] == cell for tile, cell in pairs)
    return 1.0 if right == count else PARTIAL * right / count


def render(jigsaw: Jigsaw, style: Style) -> Prompt:
    count = len(jigsaw.order)
    grid = f"{_counted(jigsaw.rows, 'row')} and {_counted(jigsaw.columns, 'column')}"
    trimmed = " A thin strip was cut off every side of each tile." if jigsaw.trim else ""
    form = (
        f"the numbers of all {count} tiles in the order in which they stand in the original"
        " picture, row by row from the top and each row from left to right, separated by commas"
    )
    if jigsaw.asked == "places":
        form = (
            f"{count} numbers separated by commas: the place of tile 1, of tile 2, and so on, where"
            " the places of the original picture are numbered from 1, row by row from the top and"
            " each row from left to right"
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
    for place in range(len(jigsaw.order)):
        row, column = divmod(place, jigsaw.columns)
        tile = jigsaw.order.index(place) + 1
        lines.append(f"Row {row + 1}, column {column + 1} of the picture: tile {tile}.")
    return lines


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count > 1)}"


def _page(jigsaw: Jigsaw) -> tuple[Pixels, tuple[Colour, ...]]:
    shown = picture(jigsaw.source, jigsaw.seed, SIDE)
    tiles = cut(shown.pixels, jigsaw.rows, jigsaw.columns, jigsaw.trim)
    return sheet([tiles[cell] for cell in jigsaw.order], jigsaw.columns), shown.palette


LADDER = (
    Knobs(3, 1, 0, "tiles", "any"),
    Knobs(2, 3, 0, "tiles", "any"),
    Knobs(3, 3, 0, "tiles", "any"),
    Knobs(3, 4, 1, "tiles", "any"),
    Knobs(4, 4, 1, "tiles", "any"),
    Knobs(5, 5, 0, "tiles", "any"),
)
FAMILY = Family(
    Jigsaw,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the tiles' numbers in order", reorders=True, rows=True),
    hardness=lambda jigsaw: len(jigsaw.order) + jigsaw.trim,
    proof="unique",
    solver="reassembly from pixels by branch and bound over seams",
    guess_rate=0.2,
    steps=steps,
    kin=_sources.kin,
    skills=("vision", "assembly"),
    peers=("Jigsaw-R1/full", "Visual-Jigsaw/image", "KORGym/9-Jigsaw_puzzle"),
    version=2,
)
