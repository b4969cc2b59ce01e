"""Solid views: order pictures of a coloured solid by how far it has turned on its foot.

It turns one way, by less than a full turn, and the first view is told, so that there is one order.
`verify` compares with the angles. `solve` sees the pictures only: where two colours meet is an edge
of the solid, whose place tells its angle, and edges seen in several views tie these together.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np
from PIL import Image, ImageDraw

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual import _turntable
from puzzlemill.generators.visual._picture import GUTTER, INK, PAPER, Pixels, drawn_once
from puzzlemill.generators.visual._scene import INDEX
from puzzlemill.generators.visual._turntable import WIDE
from puzzlemill.generators.visual._waves import TURN

HIGH = 140  # pixels of a view
MIDDLE = WIDE // 2, 44  # of the solid's top
REACH = 60  # pixels from the middle to each edge of the solid
TALL = 66  # pixels
FLAT = 3  # how much flatter a level circle looks
ROW = MIDDLE[1] + (REACH // FLAT + TALL) // 2  # that all sides in front cross
LEAST, WIDEST = TURN // 12, TURN * 2 // 5  # between two edges of the solid
TRIES = 20  # solids, each with its views
LOOSE = 0.15  # radians: what two readings of one angle may differ by
HUES = list(INDEX)

_SEEN = frozenset(INDEX.values())

Edge = tuple[int, int]  # the colours to the left and to the right of it


@dataclass(frozen=True, slots=True)
class Knobs:
    views: int  # to be put in order
    sides: int  # of the solid
    step: int  # the solid turns at least so far between two views, in 1024ths of a turn


@dataclass(frozen=True, slots=True)
class Solid:
    sides: tuple[tuple[str, int], ...]  # colour, and the angle of the edge before it, clockwise
    angles: tuple[int, ...]  # of each numbered view, in 1024ths of a turn
    first: int  # the place of the first view, from 0


def generate(rng: Random, knobs: Knobs) -> Solid | None:
    for _ in range(TRIES):
        solid = _solid(rng, knobs)
        gold = solid and solve(solid)
        if solid and gold and verify(solid, gold) == 1:
            return solid
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(solid: Solid) -> tuple[int, ...] | None:
    """How far each view is turned against the first, by the edges that views have in common."""
    count = len(solid.angles)
    seen = [_edges(view) for view in _turntable.views(_page(solid), count, HIGH)]
    turned: dict[int, float] = {solid.first: 0.0}
    placed: dict[Edge, float] = {}
    queue = [solid.first]
    for view in queue:
        for edge, angle in seen[view].items():
            own = placed.setdefault(edge, angle - turned[view])
            if _apart(angle - turned[view], own) > LOOSE:
                return None
            for other in range(count):
                if other not in turned and edge in seen[other]:
                    turned[other] = (seen[other][edge] - own) % math.tau
                    queue.append(other)
    return _turntable.numbered(turned) if len(turned) == count else None


def verify(solid: Solid, said: tuple[int, ...]) -> float:
    return _turntable.paid(solid, said)


def render(solid: Solid, style: Style) -> Prompt:
    told = f"a solid with {len(solid.sides)} sides, each of a different colour"
    return _turntable.question(
        solid,
        style,
        _page(solid),
        name="solid",
        whole=told,
        known=told,
        shown="the solid in them",
        taken=f"{told.capitalize()}, was photographed {len(solid.angles)} times while it turned on"
        " its base",
    )


def _solid(rng: Random, knobs: Knobs) -> Solid | None:
    views = _turntable.shuffled_stops(rng, knobs.views, knobs.step)
    cuts = sorted(rng.randint(0, TURN - LEAST * knobs.sides) for _ in range(knobs.sides))
    edges = [LEAST * place + extra for place, extra in enumerate(cuts)]
    ends = [*edges[1:], edges[0] + TURN]
    if max(end - start for start, end in zip(edges, ends, strict=True)) > WIDEST:
        return None
    hues = rng.sample(HUES, knobs.sides)
    sides = tuple(zip(hues, edges, strict=True))
    return Solid(sides, *views)


@drawn_once
def _page(solid: Solid) -> Pixels:
    return _turntable.laid_out([_view(solid.sides, angle) for angle in solid.angles])


def _view(sides: tuple[tuple[str, int], ...], angle: int) -> Pixels:
    canvas = Image.new("L", (WIDE, HIGH), PAPER)
    pen = ImageDraw.Draw(canvas)
    top = [_turntable.on_ellipse(MIDDLE, REACH, FLAT, edge + angle) for _, edge in sides]
    for place, (hue, _) in enumerate(sides):
        (x, y), (u, v) = top[place], top[(place + 1) % len(top)]
        # Clockwise around the top, what is in front goes from right to left.
        if x > u:
            pen.polygon([(x, y), (u, v), (u, v + TALL), (x, y + TALL)], INDEX[hue], INK)
    pen.polygon(top, GUTTER, INK)
    return np.array(canvas, dtype=np.uint8)


def _edges(view: Pixels) -> dict[Edge, float]:
    """The edges between two sides that are seen, each with its angle."""
    found = {}
    last, colour = 0, 0
    for x, here in enumerate(view[ROW].tolist()):
        if here not in _SEEN:
            continue
        if colour and here != colour:
            found[colour, here] = math.acos(((x + last) / 2 - MIDDLE[0]) / REACH)
        last, colour = x, here
    return found


def _apart(one: float, other: float) -> float:
    gap = (one - other) % math.tau
    return min(gap, math.tau - gap)


LADDER = (
    Knobs(4, 5, 150),
    Knobs(5, 5, 110),
    Knobs(6, 6, 80),
    Knobs(7, 6, 60),
    Knobs(8, 7, 44),
)
FAMILY = Family(
    Solid,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the views' numbers in order", reorders=True),
    hardness=lambda solid: len(solid.angles),
    proof="unique",
    solver="the angles of edges between colours, read from the pixels",
    guess_rate=0.1,
    kin=lambda solid: solid.sides,
    skills=("vision", "space"),
    peers=("Visual-Jigsaw/3d",),
    theme="views_in_order",
    version=2,
)
