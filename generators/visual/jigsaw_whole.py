"""The whole picture: one of some panels shows it, the others with some tiles in wrong places.

`verify` knows which panel has its tiles in order. `solve` looks at the seams in each panel as
drawn: one must have clearly the best.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual import _sources
from puzzlemill.generators.visual._board import SEEN
from puzzlemill.generators.visual._picture import (
    Colour,
    Pixels,
    cut,
    drawn_once,
    panels,
    png,
    sheet,
)
from puzzlemill.generators.visual._seams import seam_costs, table
from puzzlemill.generators.visual._sources import Source, picture

SIDE = 180  # pixels of a panel; 2, 3, 4 and 5 divide it
CLEAR = 1.2  # the seams of any other panel cost at least this many times those of the right one


@dataclass(frozen=True, slots=True)
class Knobs:
    options: int  # panels to choose from
    cells: int  # the picture is cut into cells x cells tiles
    moved: int  # tiles in wrong places, in a panel that is not whole
    source: Source


@dataclass(frozen=True, slots=True)
class Copies:
    source: str  # of the picture
    licence: str  # of a user's picture, where one is told
    seed: int
    cells: int
    orders: tuple[tuple[int, ...], ...]  # of each panel: the cell of the picture at each place


def generate(rng: Random, knobs: Knobs) -> Copies | None:
    copies = draft(rng, knobs)
    gold = solve(copies)
    return copies if gold and verify(copies, gold) == 1 else None


def draft(rng: Random, knobs: Knobs) -> Copies:
    made = _sources.chosen(rng, knobs.source)
    cells = range(knobs.cells**2)
    orders = [tuple(cells)]
    while len(orders) < knobs.options:
        places = rng.sample(cells, min(knobs.moved, len(cells)))
        order = list(cells)
        for place, after in zip(places, places[1:] + places[:1], strict=True):
            order[place] = after
        if tuple(order) not in orders:
            orders.append(tuple(order))
    rng.shuffle(orders)
    return Copies(*made, knobs.cells, tuple(orders))


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(copies: Copies) -> int | None:
    """The panel whose seams are clearly the best."""
    pixels, palette = _page(copies)
    wide = SIDE // copies.cells
    shown = np.stack(panels(pixels, len(copies.orders), _columns(copies), SIDE, SIDE))
    lines = np.arange(wide, SIDE, wide)
    before, after = (
        table(palette).take(np.concatenate(seams, axis=1), axis=1)
        for seams in ((shown[:, at], shown[:, :, at].swapaxes(1, 2)) for at in (lines - 1, lines))
    )
    costs = seam_costs(before, after, 0).sum(axis=1)
    found = [(cost, number) for number, cost in enumerate(costs.tolist(), start=1)]
    (best, number), (second, _), *_ = sorted(found)
    return number if second > max(best * CLEAR, best + SEEN) else None


def verify(copies: Copies, number: int) -> float:
    if not 1 <= number <= len(copies.orders):
        return 0.0
    return float(list(copies.orders[number - 1]) == list(range(copies.cells**2)))


def render(copies: Copies, style: Style) -> Prompt:
    count, cells = len(copies.orders), copies.cells
    grid = f"{cells} rows and {cells} columns of square tiles"
    return Prompt(
        style.pick(
            f"<image>\nA picture was cut into {grid} and put together {count} times. Only one of"
            f" these {count} panels has every tile in its right place. Which one? Its number stands"
            " above it.",
            f"Here is one picture {count} times, each with its number above it. In all but one,"
            f" some of its tiles ({grid}) have changed places.\n<image>\nWhich panel shows the"
            " picture as it was?",
            f"All panels are made from the tiles of one picture ({grid}); a panel's number is above"
            f" it.\n<image>\nIn which one of the {count} is the picture put together without a"
            " mistake?",
        ),
        form="the number of that panel, as one integer",
        images=(png(*_page(copies)),),
    )


def _columns(copies: Copies) -> int:
    return 2 if len(copies.orders) <= 4 else 3


@drawn_once
def _page(copies: Copies) -> tuple[Pixels, tuple[Colour, ...]]:
    shown = picture(copies.source, copies.seed, SIDE)
    tiles = cut(shown.pixels, copies.cells, copies.cells, 0)
    wide = SIDE // copies.cells
    drawn = []
    for order in copies.orders:
        panel = shown.pixels.copy()
        for place, cell in enumerate(order):
            row, column = (wide * part for part in divmod(place, copies.cells))
            panel[row : row + wide, column : column + wide] = tiles[cell]
        drawn.append(panel)
    return sheet(drawn, _columns(copies)), shown.palette


LADDER = (
    Knobs(4, 2, 4, "any"),
    Knobs(4, 3, 4, "any"),
    Knobs(6, 3, 2, "any"),
    Knobs(6, 4, 2, "any"),
    Knobs(6, 5, 2, "any"),
)
FAMILY = Family(
    Copies,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(called=("panel",)),
    hardness=lambda copies: len(copies.orders) * copies.cells,
    draft=draft,
    proof="unique",
    solver="the seams of every panel compared by pixels",
    guess_rate=0.25,
    kin=_sources.kin,
    redraws=True,
    skills=("vision", "assembly"),
    peers=("Jigsaw-R1/multiple",),
    theme="jigsaws",
    version=3,
)
