"""Labelled outline: a figure of right angles with lengths at its sides; a side, its rim, its area.

At most one upright and one level side have no length, so that all lengths follow. `verify` adds
strips from the lengths; `solve` measures the drawn figure, which is to scale, pixel by pixel.
"""

from dataclasses import dataclass
from itertools import pairwise
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import asked, blank, path, write
from puzzlemill.generators.visual._picture import INK, PAPER, Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

UNIT = 13  # pixels
EDGE = 56
ASKS = ("side", "rim", "area")


@dataclass(frozen=True, slots=True)
class Knobs:
    strips: int  # side by side that make up the figure
    factor: int  # a unit of the drawing is at most so long; 7 keeps the steps' numbers short
    asks: int  # the last two of the first so many questions may be asked


@dataclass(frozen=True, slots=True)
class Outline:
    widths: tuple[int, ...]  # of each strip, from left to right, in units
    heights: tuple[int, ...]
    factor: int  # what a unit stands for
    ask: str
    # Sides without a length, counted from the first strip's left side, clockwise, the base last.
    bare: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Outline | None:
    widths = tuple(rng.randint(6, 9) for _ in range(knobs.strips))
    heights = [rng.randint(3, 16)]
    while len(heights) < knobs.strips:
        height = rng.randint(3, 16)
        if abs(height - heights[-1]) >= 2:
            heights.append(height)
    ask = ASKS[rng.randint(max(knobs.asks - 2, 0), knobs.asks - 1)]
    sides = 2 * knobs.strips + 2
    upright = rng.randrange(0, sides - 1, 2)
    level = rng.randrange(1, sides, 2)
    bare = [rng.choice([upright, level])] if ask == "side" else [upright, level]
    return Outline(widths, tuple(heights), rng.randint(1, knobs.factor), ask, tuple(bare))


def solve(outline: Outline) -> int | None:
    """Measure the drawn figure."""
    page = _filled(outline)
    if outline.ask == "area":
        area, rest = divmod(int(page.sum()) * outline.factor**2, UNIT**2)
        return None if rest else area
    if outline.ask == "rim":
        edges = sum(int((np.diff(np.pad(page, 1).astype(np.int8), axis=axis) != 0).sum())
                    for axis in (0, 1))  # fmt: skip
        rim, rest = divmod(edges * outline.factor, UNIT)
        return None if rest else rim
    (x0, y0), (x1, y1) = list(pairwise(_corners(outline)))[outline.bare[0]]
    # Along the side, one pixel within the figure: how far the change from figure to paper goes.
    if x0 == x1:
        strip = page[min(y0, y1) : max(y0, y1), x0 - 1] != page[min(y0, y1) : max(y0, y1), x0]
    else:
        strip = page[y0 - 1, min(x0, x1) : max(x0, x1)] != page[y0, min(x0, x1) : max(x0, x1)]
    length, rest = divmod(int(strip.sum()) * outline.factor, UNIT)
    return None if rest else length


def verify(outline: Outline, number: int) -> float:
    factor = outline.factor
    wide = [width * factor for width in outline.widths]
    high = [height * factor for height in outline.heights]
    if outline.ask == "area":
        return float(number == sum(a * b for a, b in zip(wide, high)))
    if outline.ask == "rim":
        steps = high[0] + high[-1] + sum(abs(a - b) for a, b in pairwise(high))
        return float(number == 2 * sum(wide) + steps)
    side = outline.bare[0]
    if side % 2:
        length = sum(wide) if side == 2 * len(wide) + 1 else wide[side // 2]
    else:
        place = side // 2
        before, after = [0, *high][place], [*high, 0][place]
        length = max(before, after) - min(before, after)
    return float(number == length)


def render(outline: Outline, style: Style) -> Prompt:
    shown = (
        "The picture shows a figure; all its angles are right angles, and the numbers are the"
        " lengths of its sides."
    )
    question = {
        "side": "How long is the side marked X?",
        "rim": "What is the perimeter of the figure? (Two sides have no number.)",
        "area": "What is the area of the figure? (Two sides have no number.)",
    }[outline.ask]
    return Prompt(
        asked(style, shown, question), form="one integer", images=(png(_drawn(outline), PALETTE),)
    )


def hardness(outline: Outline) -> float:
    return 4 * len(outline.widths) + 3 * ASKS.index(outline.ask)


def _corners(outline: Outline) -> list[tuple[int, int]]:
    """Clockwise from the lower left corner, which comes again at the end."""
    base = EDGE + max(outline.heights) * UNIT
    x = EDGE
    corners = [(x, base)]
    for width, height in zip(outline.widths, outline.heights):
        corners += [(x, base - height * UNIT), (x + width * UNIT, base - height * UNIT)]
        x += width * UNIT
    return [*corners, (x, base), (EDGE, base)]


def _filled(outline: Outline) -> np.typing.NDArray[np.bool_]:
    """The pixels within the figure as it is drawn."""
    wide, high = sum(outline.widths) * UNIT, max(outline.heights) * UNIT
    page = blank(wide + 2 * EDGE, high + 2 * EDGE)
    _fill(page, outline)
    filled: np.typing.NDArray[np.bool_] = page != PAPER
    return filled


def _fill(page: Pixels, outline: Outline) -> None:
    x, base = EDGE, EDGE + max(outline.heights) * UNIT
    for width, height in zip(outline.widths, outline.heights):
        page[base - height * UNIT : base, x : x + width * UNIT] = INDEX["yellow"]
        x += width * UNIT


@drawn_once
def _drawn(outline: Outline) -> Pixels:
    wide, high = sum(outline.widths) * UNIT, max(outline.heights) * UNIT
    page = blank(wide + 2 * EDGE, high + 2 * EDGE)
    _fill(page, outline)
    corners = _corners(outline)
    path(page, corners, 2, INK)
    last = len(corners) - 2
    for side, ((x0, y0), (x1, y1)) in enumerate(pairwise(corners)):
        length = (abs(x1 - x0) + abs(y1 - y0)) // UNIT * outline.factor
        text = str(length)
        if side in outline.bare:
            if outline.ask != "side":
                continue
            text = "X"
        x, y = (x0 + x1) // 2, (y0 + y1) // 2
        # Level sides have their number under them, upright ones outside the figure.
        if side == last:
            y += 16
        elif y0 == y1:
            y += 14
        else:
            x += (-1 if y1 < y0 else 1) * (8 + 6 * len(text))
        write(page, text, x, y)
    return page


LADDER = (Knobs(2, 1, 1), Knobs(3, 3, 2), Knobs(4, 5, 3), Knobs(5, 6, 3), Knobs(7, 7, 3))
FAMILY = Family(
    Outline,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="the drawn figure measured in pixels",
    guess_rate=0.25,
    redraws=True,
    skills=("vision", "geometry", "arithmetic"),
    version=3,
)
