"""Scenes: flat coloured shapes with a dark outline on white, drawn in order, later ones on top."""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from puzzlemill.generators.visual._picture import INK, PAPER, RESERVED, Colour, Pixels, stamp

Mask = NDArray[np.bool_]
Shape = tuple[str, str, int, int, int]  # kind, colour, radius and centre (x, y) in pixels

OUTLINE = 2  # pixels

# By name, with the plural that a question uses.
KINDS = {
    "circle": "circles",
    "square": "squares",
    "triangle": "triangles",
    "diamond": "diamonds",
    "star": "stars",
    "cross": "crosses",
}
# Far apart for colour-blind eyes too.
COLOURS: dict[str, Colour] = {
    "red": (194, 13, 0),
    "orange": (238, 107, 7),
    "yellow": (230, 221, 34),
    "green": (34, 138, 82),
    "blue": (32, 75, 151),
    "purple": (170, 25, 230),
    "pink": (255, 138, 167),
}
PALETTE: tuple[Colour, ...] = (*RESERVED, *COLOURS.values())
INDEX = {name: len(RESERVED) + place for place, name in enumerate(COLOURS)}


def draw(shapes: Sequence[Shape], wide: int, high: int) -> Pixels:
    """A picture in the colours of PALETTE. Every shape must lie wholly inside."""
    pixels = np.full((high, wide), PAPER, dtype=np.uint8)
    for kind, colour, radius, x, y in shapes:
        stamp(pixels, silhouette(kind, radius), x, y, INK)
        stamp(pixels, inside(kind, radius), x, y, INDEX[colour])
    return pixels


@cache
def silhouette(kind: str, radius: int) -> Mask:
    """All that a shape covers, in a square of 2 radius + 1 pixels."""
    canvas = Image.new("L", (2 * radius + 1, 2 * radius + 1))
    pen = ImageDraw.Draw(canvas)
    if kind == "circle":
        pen.ellipse((0, 0, 2 * radius, 2 * radius), fill=1)
    else:
        corners = _corners(kind)
        pen.polygon([(_at(x, radius), _at(y, radius)) for x, y in corners], fill=1)
    mask = np.array(canvas, dtype=bool)
    mask.setflags(write=False)
    return mask


@cache
def inside(kind: str, radius: int) -> Mask:
    """What a shape covers without its outline."""
    mask = np.pad(silhouette(kind, radius), 1)
    for _ in range(OUTLINE):
        inner = mask.copy()
        for axis in (0, 1):
            inner &= np.roll(mask, 1, axis) & np.roll(mask, -1, axis)
        mask = inner
    mask = mask[1:-1, 1:-1]
    mask.setflags(write=False)
    return mask


def fits(shape: Shape, wide: int, high: int) -> bool:
    """Whether a shape lies inside a picture, a pixel or more from its border."""
    _, _, radius, x, y = shape
    return radius < x < wide - radius - 1 and radius < y < high - radius - 1


def apart(one: Shape, other: Shape, gap: int) -> bool:
    """Whether the squares around two shapes are at least `gap` pixels apart."""
    reach = one[2] + other[2] + gap
    return abs(one[3] - other[3]) > reach or abs(one[4] - other[4]) > reach


def _at(share: float, radius: int) -> int:
    return radius + round(share * radius)


def _corners(kind: str) -> list[tuple[float, float]]:
    """Corners in a square from -1 to 1, y downwards."""
    match kind:
        case "square":
            return [(-0.86, -0.86), (0.86, -0.86), (0.86, 0.86), (-0.86, 0.86)]
        case "triangle":
            return [(0.0, -1.0), (1.0, 0.8), (-1.0, 0.8)]
        case "diamond":
            return [(0.0, -1.0), (0.7, 0.0), (0.0, 1.0), (-0.7, 0.0)]
        case "cross":
            thin = 0.38
            arm = [(-thin, -1.0), (thin, -1.0), (thin, -thin)]
            corners = []
            for _ in range(4):
                corners += arm
                arm = [(-y, x) for x, y in arm]
            return corners
        case _:
            turns = [math.pi * (step / 5 - 0.5) for step in range(10)]
            return [
                (math.cos(turn) * length, math.sin(turn) * length)
                for turn, length in zip(turns, [1.0, 0.5] * 5, strict=True)
            ]
