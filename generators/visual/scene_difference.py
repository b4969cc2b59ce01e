"""Scene difference: two pictures that are alike but for some squares; in which squares?

`verify` compares what the puzzle lists for each square; `solve` compares the two drawn pictures
pixel by pixel.
"""

from dataclasses import dataclass
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import cells
from puzzlemill.generators.visual._drawing import area, blank, write
from puzzlemill.generators.visual._marks import put
from puzzlemill.generators.visual._picture import GUTTER, Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import COLOURS, KINDS, PALETTE

SQUARE = 56  # pixels
EDGE = 30  # pixels above and to the left, for the numbers
RADII = (9, 13, 17)
CHANGES = ("recoloured", "reshaped", "resized", "moved", "missing")

Mark = tuple[str, str, int, int, int]  # kind, colour, radius, and pixels right and down of middle
NOTHING: Mark = ("", "", 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # squares, both ways
    changes: int  # at most, and half as many at least
    subtle: float  # how often a shape is only moved, or has another size
    filled: float  # share of squares with a shape


@dataclass(frozen=True, slots=True)
class Scenes:
    side: int
    first: tuple[Mark, ...]  # square by square, row by row
    second: tuple[Mark, ...]


def generate(rng: Random, knobs: Knobs) -> Scenes | None:
    first = [
        _mark(rng) if rng.random() < knobs.filled else NOTHING
        for _ in cells(knobs.side, knobs.side)
    ]
    full = [place for place, mark in enumerate(first) if mark != NOTHING]
    count = rng.randint((knobs.changes + 1) // 2, knobs.changes)
    if len(full) < count:
        return None
    second = list(first)
    for place in rng.sample(full, count):
        second[place] = _changed(rng, first[place], rng.random() < knobs.subtle)
        if second[place] == NOTHING and rng.random() < 0.5:
            first[place], second[place] = second[place], first[place]
    return Scenes(knobs.side, tuple(first), tuple(second))


def solve(scenes: Scenes) -> tuple[tuple[int, int], ...]:
    """Compare the drawn pictures."""
    unlike = _drawn(scenes.side, scenes.first) != _drawn(scenes.side, scenes.second)
    places = np.divmod(np.flatnonzero(unlike), unlike.shape[1])
    rows, columns = (((steps - EDGE) // SQUARE + 1).tolist() for steps in places)
    return tuple(sorted(set(zip(rows, columns))))


def verify(scenes: Scenes, squares: tuple[tuple[int, int], ...]) -> float:
    wrong = set()
    for place, (one, other) in enumerate(zip(scenes.first, scenes.second)):
        if one != other:
            row, column = divmod(place, scenes.side)
            wrong.add((row + 1, column + 1))
    return float(set(squares) == wrong and len(squares) == len(wrong))


def render(scenes: Scenes, style: Style) -> Prompt:
    what = (
        "In a square that differs, the shape has another colour, another form, another size or"
        " another place within the square, or there is a shape in one of the two pictures only."
    )
    images = tuple(
        png(_drawn(scenes.side, marks), PALETTE) for marks in (scenes.first, scenes.second)
    )
    return Prompt(
        style.pick(
            f"<image>\n<image>\nThe two pictures are divided into squares, whose rows and columns"
            f" are numbered at the edges. {what} All other squares are exactly the same. Which"
            " squares differ?",
            f"Spot the differences.\nFirst picture: <image>\nSecond picture: <image>\nRows and"
            f" columns of squares have their numbers at the edges. {what} In which squares are the"
            " pictures different?",
            f"Compare these two pictures square by square. {what}\n<image>\n<image>\nName every"
            " square in which they differ; its row and its column are numbered at the edges.",
        ),
        form="all squares that differ as (row, column) pairs in any order, such as (20, 31),"
        " (42, 17)",
        images=images,
    )


def hardness(scenes: Scenes) -> float:
    unlike = sum(one != other for one, other in zip(scenes.first, scenes.second))
    return unlike + sum(mark != NOTHING for mark in scenes.first) / 2


def _mark(rng: Random) -> Mark:
    radius = rng.choice(RADII)
    return (rng.choice(list(KINDS)), rng.choice(list(COLOURS)), radius,
            rng.choice([-6, 0, 6]), rng.choice([-6, 0, 6]))  # fmt: skip


def _changed(rng: Random, mark: Mark, subtle: bool) -> Mark:
    kind, colour, radius, right, down = mark
    match rng.choice(["resized", "moved"] if subtle else CHANGES):
        case "recoloured":
            return kind, rng.choice([c for c in COLOURS if c != colour]), radius, right, down
        case "reshaped":
            return rng.choice([k for k in KINDS if k != kind]), colour, radius, right, down
        case "resized":
            return kind, colour, rng.choice([r for r in RADII if r != radius]), right, down
        case "moved":
            places = [(x, y) for x in (-6, 0, 6) for y in (-6, 0, 6) if (x, y) != (right, down)]
            return kind, colour, radius, *rng.choice(places)
        case _:
            return NOTHING


@drawn_once
def _drawn(side: int, marks: tuple[Mark, ...]) -> Pixels:
    page = blank(EDGE + side * SQUARE + 4, EDGE + side * SQUARE + 4)
    for step in range(side + 1):
        line = EDGE + step * SQUARE
        area(page, line, EDGE, line + 1, EDGE + side * SQUARE, GUTTER)
        area(page, EDGE, line, EDGE + side * SQUARE, line + 1, GUTTER)
        if step < side:
            write(page, str(step + 1), line + SQUARE // 2, EDGE // 2)
            write(page, str(step + 1), EDGE // 2 - 1, line + SQUARE // 2)
    for (row, column), (kind, colour, radius, right, down) in zip(cells(side, side), marks):
        if kind:
            x, y = (EDGE + step * SQUARE + SQUARE // 2 for step in (column, row))
            put(page, kind, colour, radius, x + right, y + down)
    return page


LADDER = (
    Knobs(3, 2, 0.0, 0.7),
    Knobs(4, 3, 0.2, 0.8),
    Knobs(6, 5, 0.4, 0.8),
    Knobs(8, 7, 0.6, 0.85),
    Knobs(10, 9, 0.8, 0.9),
)
FAMILY = Family(
    Scenes,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(ordered=False),
    hardness=hardness,
    proof="unique",
    solver="comparison of the drawn pictures by pixels",
    guess_rate=0.1,
    redraws=True,
    skills=("vision", "comparison"),
    version=2,
)
