"""Drawing on a page of palette indices, in whole numbers: lines, discs, areas, letters; and reading
letters back."""

import itertools
import math
import string
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from puzzlemill.core.family import Style
from puzzlemill.generators._lettering import TALL, WIDE, lettering
from puzzlemill.generators.visual._picture import INK, PAPER, Pixels, stamp

Point = tuple[int, int]  # x to the right, y down, in pixels

TURN = 3600  # directions are in tenths of a degree, clockwise from the top
_UNIT = 4096


def blank(wide: int, high: int, colour: int = PAPER) -> Pixels:
    return np.full((high, wide), colour, dtype=np.uint8)


def line(page: Pixels, start: Point, end: Point, width: int, colour: int = INK) -> None:
    """A stroke with round ends."""
    (x0, y0), (x1, y1) = start, end
    reach = width // 2 + 1
    top, left = max(0, min(y0, y1) - reach), max(0, min(x0, x1) - reach)
    part = page[top : max(y0, y1) + reach + 1, left : max(x0, x1) + reach + 1]
    across = np.arange(left, left + part.shape[1], dtype=np.int64) - x0
    down = (np.arange(top, top + part.shape[0], dtype=np.int64) - y0)[:, None]
    right, below = x1 - x0, y1 - y0
    length = max(right * right + below * below, 1)
    along = np.minimum(np.maximum(across * right + down * below, 0), length)
    apart = (across * length - along * right) ** 2 + (down * length - along * below) ** 2
    part[4 * apart <= (width * length) ** 2] = colour


def path(page: Pixels, points: Sequence[Point], width: int, colour: int = INK) -> None:
    for start, end in itertools.pairwise(points):
        line(page, start, end, width, colour)


def disc(page: Pixels, x: int, y: int, radius: int, colour: int = INK) -> None:
    top, left = max(0, y - radius), max(0, x - radius)
    part = page[top : y + radius + 1, left : x + radius + 1]
    down, right = top - y + radius, left - x + radius
    part[_round(radius)[down : down + part.shape[0], right : right + part.shape[1]]] = colour


@cache
def _round(radius: int) -> NDArray[np.bool_]:
    across = np.arange(-radius, radius + 1)
    inside: NDArray[np.bool_] = across**2 + across[:, None] ** 2 <= radius**2
    inside.setflags(write=False)
    return inside


def ring(page: Pixels, x: int, y: int, radius: int, width: int, colour: int = INK) -> None:
    """A circle's outline, which lies within the radius."""
    top, left = max(0, y - radius), max(0, x - radius)
    part = page[top : y + radius + 1, left : x + radius + 1]
    across = np.arange(left, left + part.shape[1]) - x
    down = (np.arange(top, top + part.shape[0]) - y)[:, None]
    distance = across**2 + down**2
    part[(distance <= radius**2) & (distance > (radius - width) ** 2)] = colour


def area(page: Pixels, left: int, top: int, right: int, bottom: int, colour: int = INK) -> None:
    """A filled rectangle; right and bottom are the first pixels outside."""
    page[top:bottom, left:right] = colour


def frame(
    page: Pixels, left: int, top: int, right: int, bottom: int, width: int = 1, colour: int = INK
) -> None:
    """A rectangle's outline, inside it."""
    for x0, y0, x1, y1 in (
        (left, top, right, top + width),
        (left, bottom - width, right, bottom),
        (left, top, left + width, bottom),
        (right - width, top, right, bottom),
    ):
        area(page, x0, y0, x1, y1, colour)


def polygon(page: Pixels, corners: Sequence[Point], colour: int = INK) -> None:
    canvas = Image.new("L", (page.shape[1], page.shape[0]))
    ImageDraw.Draw(canvas).polygon(list(corners), fill=1)
    page[np.array(canvas, dtype=bool)] = colour


def bearing(turn: int, length: int) -> Point:
    """How far right and down one gets by going so many pixels in a direction."""
    right = _sines()[turn % TURN] * length
    up = _sines()[(turn + TURN // 4) % TURN] * length
    return (right + _UNIT // 2) // _UNIT, -((up + _UNIT // 2) // _UNIT)


@cache
def _sines() -> tuple[int, ...]:
    return tuple(round(_UNIT * math.sin(2 * math.pi * step / TURN)) for step in range(TURN))


def write(page: Pixels, text: str, x: int, y: int, scale: int = 2, colour: int = INK) -> None:
    """Words of capital letters and digits, centred at x, y."""
    words = text.split(" ")
    step = (WIDE + 1) * scale
    left = x - (step * len(text) - scale) // 2
    for word in words:
        mask = lettering(word, scale)
        stamp(page, mask, left + mask.shape[1] // 2, y, colour)
        left += step * (len(word) + 1)


def letter_at(page: Pixels, x: int, y: int, scale: int = 2, colour: int = INK) -> str:
    """The letter or digit that is written at a place, or nothing."""
    high, wide = TALL * scale, WIDE * scale
    top, left = y - high // 2, x - (wide // 2)
    seen = page[top : top + high, left : left + wide] == colour
    return _letters(scale).get(seen.tobytes(), "")


@cache
def _letters(scale: int) -> dict[bytes, str]:
    """Digits and letters by their pixels."""
    signs = string.ascii_uppercase[::-1] + string.digits[::-1]  # of two alike the first one counts
    return {lettering(sign, scale).astype(bool).tobytes(): sign for sign in signs}


def asked(style: Style, shown: str, question: str) -> str:
    """Three ways to put what one picture shows and what is asked about it."""
    return style.pick(
        f"<image>\n{shown} {question}",
        f"Look at the picture.\n<image>\n{shown}\n{question}",
        f"{shown}\n<image>\n{question}",
    )
