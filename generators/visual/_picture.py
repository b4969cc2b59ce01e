"""Pictures: arrays of palette indices, paintings made from a seed, tiles, numbered sheets, PNG.

A picture has one byte a pixel, an index into a palette: quick to draw, small as a PNG, and exact,
so that a solver can read a picture back. All drawing is in whole numbers, because numpy's sine
differs in its last bit from one processor to another, and one pixel would change an item's bytes.
"""

import colorsys
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from puzzlemill.generators._lettering import TALL, lettering

Pixels = NDArray[np.uint8]  # rows of palette indices
Field = NDArray[np.int32]
Colour = tuple[int, int, int]
T = TypeVar("T", bound=np.generic)

# Every palette begins with these.
PAPER, INK, GUTTER = range(3)
RESERVED: tuple[Colour, ...] = ((255, 255, 255), (24, 24, 28), (222, 222, 226))

GAP = 6  # pixels of gutter around each panel of a sheet
HEADER = 2 * TALL + 4  # pixels above a panel, for its number

_HUES = 8
_SHADES = 28  # of each hue, dark to light
_TURN = 1024  # units of a full turn, and of a sine's height
_SITES = 13
_DISCS = 6
_RIBBONS = 2
_PALETTES = 192


@dataclass(frozen=True, slots=True, eq=False)
class Painting:
    pixels: Pixels
    palette: tuple[Colour, ...]

    @property
    def colours(self) -> NDArray[np.int16]:
        """The picture in red, green and blue."""
        return np.array(self.palette, dtype=np.int16)[self.pixels]


def png(pixels: Pixels, palette: Sequence[Colour]) -> bytes:
    picture = Image.fromarray(pixels)
    picture.putpalette(bytes(part for colour in palette for part in colour))
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=3, optimize=False, bits=8)
    return file.getvalue()


@lru_cache(maxsize=4)  # generating, rendering and solving an item all look at one painting
def painting(seed: int, side: int) -> Painting:
    """A square abstract painting: curved patches, discs and ribbons, each softly shaded.

    Shading and outlines run across the whole picture, so that tiles cut from it can be matched by
    what continues over their edges.
    """
    source = Random(seed)
    across = np.arange(side, dtype=np.int32)
    down = across[:, None]
    hue = _patches(source, side)
    for _ in range(_DISCS):
        x, y = source.randrange(side), source.randrange(side)
        radius = source.randint(side // 12, side // 5)
        distance = (across - x) ** 2 + (down - y) ** 2
        hollow = radius // 2 if source.random() < 0.4 else 0
        inside = (distance <= radius**2) & (distance >= hollow**2)
        np.copyto(hue, source.randrange(_HUES), where=inside, casting="unsafe")
    for _ in range(_RIBBONS):
        bend = _wave(source, side, 1.7) + _wave(source, side, 0.9)
        width = source.randint(120, 200)
        inside = np.abs(bend - source.randint(-600, 600)) < width
        np.copyto(hue, source.randrange(_HUES), where=inside, casting="unsafe")
    light = np.zeros((side, side), dtype=np.intp)
    for most in (0.6, 1.1, 1.7):
        light += _wave(source, side, most)
    light += np.int16(97) * hue  # neighbouring patches differ in light too
    light &= 2 * _TURN - 1
    shade = _folded().take(light, mode="clip")
    pixels = shade + hue * np.uint8(_SHADES)
    pixels.setflags(write=False)
    return Painting(pixels, _palette(source.randrange(_PALETTES)))


def cut(pixels: NDArray[T], rows: int, columns: int, trim: int) -> list[NDArray[T]]:
    """The tiles row by row, each with `trim` pixels lost on every side."""
    high, wide = pixels.shape[0] // rows, pixels.shape[1] // columns
    return [
        pixels[
            row * high + trim : (row + 1) * high - trim,
            column * wide + trim : (column + 1) * wide - trim,
        ]
        for row in range(rows)
        for column in range(columns)
    ]


def sheet(panels: Sequence[Pixels], columns: int) -> Pixels:
    """Panels of one size row by row, each with its number, from 1, above it."""
    high, wide = panels[0].shape
    rows = -(-len(panels) // columns)
    page = np.full(
        (rows * (high + HEADER + GAP) + GAP, columns * (wide + GAP) + GAP), GUTTER, dtype=np.uint8
    )
    for place, panel in enumerate(panels):
        top, left = corner(place, columns, high, wide)
        page[top : top + high, left : left + wide] = panel
        stamp(page, lettering(str(place + 1)), left + wide // 2, top - HEADER // 2 - 1, INK)
    return page


def corner(place: int, columns: int, high: int, wide: int) -> tuple[int, int]:
    """The top and the left pixel of a sheet's panel, counted from 0."""
    row, column = divmod(place, columns)
    return GAP + HEADER + row * (high + HEADER + GAP), GAP + column * (wide + GAP)


def stamp(page: Pixels, mask: NDArray[np.bool_], x: int, y: int, colour: int) -> None:
    """Colour the page where a mask, centred at x, y, is set. The mask must lie on the page."""
    high, wide = mask.shape
    top, left = y - high // 2, x - wide // 2
    page[top : top + high, left : left + wide][mask] = colour


@cache
def _sines() -> Field:
    return np.array(
        [round(_TURN * math.sin(2 * math.pi * step / _TURN)) for step in range(_TURN)],
        dtype=np.int32,
    )


def _sine(angle: NDArray[np.intp]) -> Field:
    return _sines()[angle % _TURN]


@cache
def _folded() -> Pixels:
    """Light, going round in two turns, as shades up and down again; after the reserved colours."""
    light = np.arange(2 * _TURN)
    shade = np.abs(light - _TURN) * (_SHADES - 1) // _TURN
    return (shade + len(RESERVED)).astype(np.uint8)


def _wave(source: Random, side: int, most: float) -> Field:
    """A plane wave with up to `most` periods along each axis."""
    reach = int(most * _TURN)
    across, down = (
        np.arange(side) * source.randint(-reach, reach) // side + source.randrange(_TURN)
        for _ in range(2)
    )
    # The sine of a sum, from sines and cosines of its parts: quicker than a look-up a pixel.
    wave = np.outer(_sine(down + _TURN // 4), _sine(across))
    wave += np.outer(_sine(down), _sine(across + _TURN // 4))
    wave >>= 10  # by _TURN
    return wave


def _patches(source: Random, side: int) -> Pixels:
    """Hues of a Voronoi diagram whose borders are bent by a wave."""
    across = np.arange(side, dtype=np.int32)
    bend = (_wave(source, side, 3.0) * side // 16) * _HUES
    nearest = np.full((side, side), np.iinfo(np.int32).max, dtype=np.int32)
    for site in range(_SITES):
        x, y = source.randrange(side), source.randrange(side)
        # The squared distance less what all sites share, x² + y² of the pixel; the hue rides along
        # below it, so that the least key carries the hue of the nearest site.
        right = (x * x - 2 * x * across) * _HUES + site % _HUES
        below = (y * y - 2 * y * across) * _HUES
        key = right + below[:, None]
        if site % 2:
            key += bend
        np.minimum(nearest, key, out=nearest)
    return (nearest % _HUES).astype(np.uint8)


@cache
def _palette(number: int) -> tuple[Colour, ...]:
    """The reserved colours, then the shades of each hue; half of the hues drift as they lighten."""
    source = Random(number)
    colours = list(RESERVED)
    for step in range(_HUES):
        hue = (step / _HUES + number % 12 / 96) % 1
        drift = source.choice([0.0, 0.0, 0.06, -0.06])
        rich = source.choice([0.55, 0.8, 0.95])
        for shade in range(_SHADES):
            light = shade / (_SHADES - 1)
            red, green, blue = colorsys.hsv_to_rgb(
                (hue + drift * light) % 1, rich * (1 - 0.55 * light), 0.3 + 0.7 * light
            )
            colours.append((round(255 * red), round(255 * green), round(255 * blue)))
    return tuple(colours)
