"""Views: order pictures of pins on a turntable by how far it has turned.

It turns one way, by less than a full turn, and the first view is told, so that there is one order.
`verify` compares with the angles. `solve` sees the pictures only: a pin's head runs along an
ellipse, whose height it finds, and so the angle in every view; all pins must tell the same order.
"""

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random

import numpy as np
from PIL import Image, ImageDraw

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual import _turntable
from puzzlemill.generators.visual._picture import (
    GUTTER,
    INK,
    PAPER,
    Pixels,
    drawn_once,
    extents,
    stamp,
)
from puzzlemill.generators.visual._scene import INDEX, Mask
from puzzlemill.generators.visual._turntable import WIDE
from puzzlemill.generators.visual._waves import TURN

HIGH = 132  # pixels of a view
MIDDLE = WIDE // 2, 92  # of the table
REACH = 62  # pixels from the middle of the table to its rim
FLAT = 2  # how much flatter a level circle looks
HEAD = 6  # pixels: the radius of a pin's head
TRIES = 60  # sets of pins tried
TALL = range(24, 60, 4)  # pixels of a pin

Pin = tuple[str, int, int, int]  # colour, distance from the middle, angle, height


@dataclass(frozen=True, slots=True)
class Knobs:
    views: int  # to be put in order
    pins: int  # on the turntable
    step: int  # the table turns at least so far between two views, in 1024ths of a turn


@dataclass(frozen=True, slots=True)
class Views:
    pins: tuple[Pin, ...]
    angles: tuple[int, ...]  # of each numbered view, in 1024ths of a turn
    first: int  # the place of the first view, from 0


def generate(rng: Random, knobs: Knobs) -> Views | None:
    angles, first = _turntable.shuffled_stops(rng, knobs.views, knobs.step)
    colours = rng.sample(list(INDEX), knobs.pins)
    for _ in range(TRIES):
        pins = tuple(
            (colour, rng.randint(26, REACH - HEAD), rng.randrange(TURN), rng.choice(TALL))
            for colour in colours
        )
        if all(_apart(pins, angle) for angle in angles):
            views = Views(pins, angles, first)
            gold = solve(views)
            return views if gold and verify(views, gold) == 1 else None
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(views: Views) -> tuple[int, ...] | None:
    """The order of the angles of every pin's head, as read from the pictures."""
    count = len(views.angles)
    shown = _turntable.views(_page(views), count, HIGH)
    seen = [extents(view, INDEX.values()) for view in shown]
    orders = set()
    for colour in INDEX.values():
        heads = [view[colour] for view in seen if colour in view]
        if len(heads) == count:
            angles = _angles(heads)
            turned = {
                view: (angle - angles[views.first]) % math.tau for view, angle in enumerate(angles)
            }
            orders.add(_turntable.numbered(turned))
    return orders.pop() if len(orders) == 1 else None


def verify(views: Views, said: tuple[int, ...]) -> float:
    return _turntable.paid(views, said)


def render(views: Views, style: Style) -> Prompt:
    pins = f"with {len(views.pins)} pins"
    return _turntable.question(
        views,
        style,
        _page(views),
        name="table",
        whole=f"a table {pins}",
        known=f"the same round table {pins}",
        shown="the table",
        taken=f"A turntable {pins} on it was photographed {len(views.angles)} times while it"
        " turned",
    )


@drawn_once
def _page(views: Views) -> Pixels:
    return _turntable.laid_out([_view(views.pins, angle) for angle in views.angles])


@cache
def _table() -> Pixels:
    canvas = Image.new("L", (WIDE, HIGH), PAPER)
    pen, (x, y) = ImageDraw.Draw(canvas), MIDDLE
    half = REACH // FLAT
    pen.ellipse((x - REACH, y - half + 6, x + REACH, y + half + 6), fill=INK)
    pen.ellipse((x - REACH, y - half, x + REACH, y + half), fill=GUTTER, outline=INK)
    pixels = np.array(canvas, dtype=np.uint8)
    pixels.setflags(write=False)
    return pixels


def _view(pins: tuple[Pin, ...], angle: int) -> Pixels:
    pixels = _table().copy()
    drawn = [(*_foot(pin, angle), pin[3], pin[0]) for pin in pins]
    for x, y, high, colour in sorted(drawn, key=lambda each: each[1]):
        stamp(pixels, _disc(3, 2), x, y, INK)
        pixels[y - high : y + 1, x - 1 : x + 2] = INK
        stamp(pixels, _disc(HEAD, HEAD), x, y - high, INK)
        stamp(pixels, _disc(HEAD, HEAD, bare=True), x, y - high, INDEX[colour])
    return pixels


@cache
def _disc(wide: int, high: int, bare: bool = False) -> Mask:
    """An ellipse with its outline, or bare of it."""
    canvas = Image.new("L", (2 * wide + 1, 2 * high + 1))
    ImageDraw.Draw(canvas).ellipse((0, 0, 2 * wide, 2 * high), fill=2, outline=1)
    return np.array(canvas) > bare


def _foot(pin: Pin, angle: int) -> tuple[int, int]:
    """Where a pin stands in a view."""
    _, reach, own, _ = pin
    return _turntable.on_ellipse(MIDDLE, reach, FLAT, own + angle)


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


def _angles(heads: list[tuple[int, int, int, int]]) -> list[float]:
    """The angles of discs on a circle seen aslant, at the height at which all are equally far."""
    top, bottom, left, right = np.array(heads).T
    across = (left + right) / 2 - MIDDLE[0]
    down = FLAT * ((top + bottom) / 2 + np.arange(80)[:, None] - MIDDLE[1])  # by the height
    best = np.hypot(across, down).var(axis=1).argmin()
    return list(map(math.atan2, down[best].tolist(), across.tolist()))


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
    redraws=True,
    skills=("vision", "space"),
    peers=("Visual-Jigsaw/3d",),
    theme="views_in_order",
    version=2,
)
