"""Views: order pictures of pins on a turntable by how far it has turned.

It turns one way, by less than a full turn, and the first view is told, so that there is one order.
`verify` compares with the angles. `solve` sees the pictures only: a pin's head runs along an
ellipse, whose height it finds, and so the angle in every view; all pins must tell the same order.
"""

import math
from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import pvariance

import numpy as np
from PIL import Image, ImageDraw

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._picture import GUTTER, INK, PAPER, Pixels, panels, png, sheet
from puzzlemill.generators.visual._scene import INDEX, PALETTE
from puzzlemill.generators.visual._turntable import paid, stops
from puzzlemill.generators.visual._waves import TURN, sines

WIDE, HIGH = 152, 132  # pixels of a view
MIDDLE = WIDE // 2, 92  # of the table
REACH = 62  # pixels from the middle of the table to its rim
HEAD = 6  # pixels: the radius of a pin's head
TRIES = 60  # sets of pins tried
TALL = range(24, 60, 4)  # pixels of a pin

Pin = tuple[str, int, int, int]  # colour, distance from the middle, angle, height


@dataclass(frozen=True, slots=True)
class Knobs:
    views: int
    pins: int
    step: int  # the table turns at least so far between two views, in 1024ths of a turn


@dataclass(frozen=True, slots=True)
class Views:
    pins: tuple[Pin, ...]
    angles: tuple[int, ...]  # of each numbered view, in 1024ths of a turn
    first: int  # the place of the first view, from 0


def generate(rng: Random, knobs: Knobs) -> Views | None:
    angles = stops(rng, knobs.views, knobs.step)
    order = rng.sample(range(knobs.views), knobs.views)
    colours = rng.sample(list(INDEX), knobs.pins)
    for _ in range(TRIES):
        pins = tuple(
            (colour, rng.randint(26, REACH - HEAD), rng.randrange(TURN), rng.choice(TALL))
            for colour in colours
        )
        if all(_apart(pins, angle) for angle in angles):
            views = Views(pins, tuple(angles[time] for time in order), order.index(0))
            gold = solve(views)
            return views if gold and verify(views, gold) == 1 else None
    return None


def solve(views: Views) -> tuple[int, ...] | None:
    """The order of the angles of every pin's head, as read from the pictures."""
    count = len(views.angles)
    shown = panels(_page(views), count, _columns(count), HIGH, WIDE)
    orders = set()
    for colour in INDEX.values():
        if (shown[0] == colour).any():
            places = [_head(view, colour) for view in shown]
            angles = _angles(places)
            turned = [(angle - angles[views.first]) % math.tau for angle in angles]
            turned[views.first] = 0.0
            orders.add(tuple(sorted(range(count), key=turned.__getitem__)))
    return tuple(view + 1 for view in orders.pop()) if len(orders) == 1 else None


def verify(views: Views, said: tuple[int, ...]) -> float:
    return paid(views.angles, views.first, said)


def render(views: Views, style: Style) -> Prompt:
    count, first = len(views.angles), views.first + 1
    pins = f"{len(views.pins)} pins"
    turn = "clockwise, as seen from above, and by less than one full turn in all"
    return Prompt(
        style.pick(
            f"<image>\nA turntable with {pins} on it was photographed {count} times while it turned"
            f" {turn}. View {first} is the first. The views are shuffled; the number of each stands"
            " above it. In which order were they taken?",
            f"Here are {count} numbered views of the same round table with {pins}.\n<image>\nThe"
            f" camera stood still and the table turned {turn}. Put the views in order; the first"
            f" of them is {first}.",
            f"Order these views by how far the table has turned.\n<image>\nThere are {count} views"
            f" of a table with {pins}, which turns {turn}. It begins with view {first}.",
        ),
        form=f"the numbers of all {count} views from the first to the last, separated by commas",
        images=(png(_page(views), PALETTE),),
    )


def _columns(count: int) -> int:
    return min(count, 4) if count != 6 else 3


def _page(views: Views) -> Pixels:
    return sheet([_view(views.pins, angle) for angle in views.angles], _columns(len(views.angles)))


@cache
def _table() -> Image.Image:
    canvas = Image.new("L", (WIDE, HIGH), PAPER)
    pen, (x, y) = ImageDraw.Draw(canvas), MIDDLE
    half = REACH // 2
    pen.ellipse((x - REACH, y - half + 6, x + REACH, y + half + 6), fill=INK)
    pen.ellipse((x - REACH, y - half, x + REACH, y + half), fill=GUTTER, outline=INK)
    return canvas


def _view(pins: tuple[Pin, ...], angle: int) -> Pixels:
    canvas = _table().copy()
    pen = ImageDraw.Draw(canvas)
    drawn = [(*_foot(pin, angle), pin[3], pin[0]) for pin in pins]
    for x, y, high, colour in sorted(drawn, key=lambda each: each[1]):
        pen.ellipse((x - 3, y - 2, x + 3, y + 2), fill=INK)
        pen.line((x, y, x, y - high), fill=INK, width=3)
        pen.ellipse(
            (x - HEAD, y - high - HEAD, x + HEAD, y - high + HEAD), fill=INDEX[colour], outline=INK
        )
    return np.array(canvas, dtype=np.uint8)


def _foot(pin: Pin, angle: int) -> tuple[int, int]:
    """Where a pin stands in a view; nearer to the eye is lower, and angles grow clockwise."""
    _, reach, own, _ = pin
    right, down = (
        int(sines()[(own + angle + quarter) % TURN]) * reach for quarter in (TURN // 4, 0)
    )
    return (
        MIDDLE[0] + (2 * right + TURN) // (2 * TURN),
        MIDDLE[1] + (down + TURN) // (2 * TURN),
    )


def _apart(pins: tuple[Pin, ...], angle: int) -> bool:
    """Whether no pin hides another's head, nor its foot another's."""
    drawn = [(*_foot(pin, angle), pin[3]) for pin in pins]
    for place, (x, y, high) in enumerate(drawn):
        for u, v, other in drawn[:place]:
            near = abs(x - u) < 2 * HEAD + 2
            if near and abs((y - high) - (v - other)) < 2 * HEAD + 2:
                return False
            stem = abs(x - u) < HEAD + 4
            if stem and (v - other - HEAD < y - high < v or y - high - HEAD < v - other < y):
                return False
    return True


def _head(view: Pixels, colour: int) -> tuple[float, float]:
    rows, columns = np.nonzero(view == colour)
    return (int(columns.min()) + int(columns.max())) / 2, (int(rows[0]) + int(rows[-1])) / 2


def _angles(places: list[tuple[float, float]]) -> list[float]:
    """The angles of points on a circle seen aslant, at the height at which all are equally far."""

    def seen(high: int) -> list[tuple[float, float]]:
        return [(x - MIDDLE[0], 2 * (y + high - MIDDLE[1])) for x, y in places]

    best = min(range(80), key=lambda high: pvariance([math.hypot(*place) for place in seen(high)]))
    return [math.atan2(down, right) for right, down in seen(best)]


LADDER = (
    Knobs(4, 3, 150),
    Knobs(5, 3, 110),
    Knobs(6, 3, 80),
    Knobs(7, 2, 60),
    Knobs(8, 2, 44),
)
FAMILY = Family(
    Views,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the views' numbers in order", reorders=True),
    hardness=lambda views: len(views.angles),
    proof="unique",
    solver="the pins' angles, read from the pixels",
    guess_rate=0.1,
    kin=lambda views: views.pins,
    skills=("vision", "space"),
    peers=("Visual-Jigsaw/3d",),
    version=2,
)
