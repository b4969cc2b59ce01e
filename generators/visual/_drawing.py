"""Drawing on a page of palette indices, in whole numbers: lines, discs, areas, letters; and reading
letters back."""

import itertools
import math
import string
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from puzzlemill.core.family import Style
from puzzlemill.generators._lettering import TALL, WIDE, lettering
from puzzlemill.generators.visual._picture import INK, PAPER, Pixels, stamp

Mask = NDArray[np.bool_]
Point = tuple[int, int]  # x to the right, y down, in pixels

TURN = 3600  # directions are in tenths of a degree, clockwise from the top
SMALL = 1 << 13  # pixels of a stroke's box: masks of such are kept
_UNIT = 4096


def blank(wide: int, high: int, colour: int = PAPER) -> Pixels:
    return np.full((high, wide), colour, dtype=np.uint8)


def line(page: Pixels, start: Point, end: Point, width: int, colour: int = INK) -> None:
    """A stroke with round ends."""
    (x0, y0), (x1, y1) = start, end
    right, below, reach = x1 - x0, y1 - y0, width // 2
    stroke = _kept_stroke if abs(right * below) < SMALL else _stroke
    _put(page, stroke(right, below, width), min(y0, y1) - reach, min(x0, x1) - reach, colour)


def _stroke(right: int, below: int, width: int) -> Mask:
    """A stroke that goes so far right and down."""
    reach = width // 2
    high, wide = abs(below) + 2 * reach + 1, abs(right) + 2 * reach + 1
    x, y = reach - min(0, right), reach - min(0, below)
    if right and below:
        across = np.arange(-x, wide - x, dtype=np.int32)
        down = np.arange(-y, high - y, dtype=np.int32)[:, None]
        length = right * right + below * below
        half = math.isqrt(width * width * length // 4)
        # Unsigned, what is below 0 is beyond any length: one comparison looks at both sides.
        mask: Mask = (across * below + half - down * right).view(np.uint32) <= 2 * half
        mask &= (across * right + down * below).view(np.uint32) <= length
    else:
        mask = np.zeros((high, wide), dtype=bool)
        if below:
            mask[reach : high - reach] = True
        elif right:
            mask[:, reach : wide - reach] = True
    end = _round(width)
    for left, top in ((x, y), (x + right, y + below)):
        mask[top - reach : top + reach + 1, left - reach : left + reach + 1] |= end
    mask.setflags(write=False)
    return mask


_kept_stroke = lru_cache(maxsize=512)(_stroke)


def _put(page: Pixels, mask: Mask, top: int, left: int, colour: int) -> None:
    """Colour what of a mask lies on the page."""
    high, wide = mask.shape
    part = page[max(0, top) : max(0, top + high), max(0, left) : max(0, left + wide)]
    down, right = max(0, -top), max(0, -left)
    part[mask[down : down + part.shape[0], right : right + part.shape[1]]] = colour


def path(page: Pixels, points: Sequence[Point], width: int, colour: int = INK) -> None:
    for start, end in itertools.pairwise(points):
        line(page, start, end, width, colour)


def disc(page: Pixels, x: int, y: int, radius: int, colour: int = INK) -> None:
    _put(page, _round(2 * radius), y - radius, x - radius, colour)


@cache
def _round(width: int) -> Mask:
    across = np.arange(-(width // 2), width // 2 + 1)
    inside: Mask = 4 * (across**2 + across[:, None] ** 2) <= width**2
    inside.setflags(write=False)
    return inside


def ring(page: Pixels, x: int, y: int, radius: int, width: int, colour: int = INK) -> None:
    """A circle's outline, which lies within the radius."""
    _put(page, _hoop(radius, width), y - radius, x - radius, colour)


@lru_cache(maxsize=64)
def _hoop(radius: int, width: int) -> Mask:
    across = np.arange(-radius, radius + 1, dtype=np.int32) ** 2
    distance = across + across[:, None]
    mask: Mask = (distance <= radius**2) & (distance > (radius - width) ** 2)
    mask.setflags(write=False)
    return mask


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
    canvas = Image.fromarray(page)
    ImageDraw.Draw(canvas).polygon(corners, fill=colour)
    page[:] = np.asarray(canvas)


@lru_cache(maxsize=1 << 13)
def bearing(turn: int, length: int) -> Point:
    """How far right and down one gets by going so many pixels in a direction."""
    sines = _sines()
    right, up = sines[turn % TURN] * length, sines[(turn + TURN // 4) % TURN] * length
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


def letters_at(
    page: Pixels, xs: Sequence[int], ys: Sequence[int], scale: int = 2, colour: int = INK
) -> list[list[str]]:
    """`letter_at` wherever one of some rows crosses one of some columns."""
    places = _places(page.shape[1], tuple(xs), tuple(ys), scale)
    seen = (page.ravel().take(places) == colour).tobytes()
    size, signs = TALL * scale * WIDE * scale, _letters(scale)
    found = [signs.get(seen[at : at + size], "") for at in range(0, len(seen), size)]
    return [found[at : at + len(xs)] for at in range(0, len(found), len(xs))]


@lru_cache(maxsize=16)
def _places(
    page: int, xs: tuple[int, ...], ys: tuple[int, ...], scale: int
) -> NDArray[np.integer[Any]]:
    """The pixels of letters on a page so wide, counted row by row."""
    high, wide = TALL * scale, WIDE * scale
    rows = np.array(ys)[:, None, None, None] - high // 2 + np.arange(high)[:, None]
    columns = np.array(xs)[:, None, None] - wide // 2 + np.arange(wide)
    return rows * page + columns


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
