"""Paintings: abstract pictures whose shading runs on over every cut."""

import colorsys
from collections.abc import Sequence
from functools import cache, lru_cache
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators.visual._picture import RESERVED, Colour, Picture, Pixels, cover
from puzzlemill.generators.visual._waves import TURN, Field, Floats, multiplied, waves

HUES = 8
SHADES = 28  # of each hue, dark to light
_SITES = 13
_DISCS = 6
_RIBBONS = 2
BELOW = 32  # marks of sites
PALETTES = 192

Box: TypeAlias = tuple[slice, slice]


def painting(source: Random, side: int) -> Picture:
    """A square abstract painting: curved patches, discs and ribbons, each softly shaded.

    Shading and outlines run across the whole picture, so that tiles cut from it can be matched by
    what continues over their edges.
    """
    hue = _patches(source, side)
    for _ in range(_DISCS):
        x, y = source.randrange(side), source.randrange(side)
        radius = source.randint(side // 12, side // 5)
        hollow = radius // 2 if source.random() < 0.4 else 0
        part, whole = box(side, x, y, radius)
        cover(hue[part], _disc(radius, hollow)[whole], source.randrange(HUES))
    for _ in range(_RIBBONS):
        bend = waves(source, side, 1.7, 0.9)
        width = source.randint(120, 200)
        bend -= np.int16(source.randint(-600, 600))
        cover(hue, np.abs(bend, out=bend) < width, source.randrange(HUES))
    return shaded(source, hue)


def box(side: int, x: int, y: int, radius: int) -> tuple[Box, Box]:
    """The part of a square picture that a disc lies in, and the part of the disc's own square that
    lies in the picture."""
    left, top = max(x - radius, 0), max(y - radius, 0)
    right, bottom = min(x + radius + 1, side), min(y + radius + 1, side)
    x, y = x - radius, y - radius
    return (
        (slice(top, bottom), slice(left, right)),
        (slice(top - y, bottom - y), slice(left - x, right - x)),
    )


@lru_cache(maxsize=96)
def _disc(radius: int, hollow: int) -> NDArray[np.bool_]:
    distance = np.arange(-radius, radius + 1) ** 2
    distances = distance[:, None] + distance
    disc: NDArray[np.bool_] = (distances <= radius**2) & (distances >= hollow**2)
    return disc


def shaded(source: Random, hue: Pixels) -> Picture:
    """Hues, 0 to 7, as a picture under light that runs on over their borders."""
    light = waves(source, len(hue), 0.6, 1.1, 1.7)
    light += hue * np.int16(97)  # neighbouring patches differ in light too
    # Light goes round in two turns, and shades up and down again.
    light &= 2 * TURN - 1
    light -= TURN
    np.abs(light, out=light)
    light *= SHADES - 1
    light >>= 10  # by TURN
    return Picture(_coloured(hue, light), shades(source.randrange(PALETTES)))


def lit(hue: Pixels, light: Field) -> Pixels:
    """Hues under light that is told in shades; there is no darker than the darkest."""
    return _coloured(hue, np.minimum(np.maximum(light, 0), SHADES - 1))


def _coloured(hue: Pixels, shade: Field) -> Pixels:
    pixels = hue * np.uint8(SHADES)
    pixels += np.uint8(len(RESERVED))
    pixels += shade.astype(np.uint8)
    return pixels


def _patches(source: Random, side: int) -> Pixels:
    """Hues of a Voronoi diagram whose borders are bent by a wave."""
    bend = waves(source, side, 3.0) * np.float32(side // 16 * BELOW)
    sites = [
        (source.randrange(side), source.randrange(side), site % HUES) for site in range(_SITES)
    ]
    bend += nearest(side, sites[1::2])
    return marks(np.minimum(nearest(side, sites[::2]), bend, out=bend)) & np.uint8(HUES - 1)


def nearest(side: int, sites: Sequence[tuple[int, int, int]]) -> Floats:
    """For each pixel the least key of a site: its squared distance, and below it its mark."""
    x, y, mark = np.array(sites, dtype=np.float32).T[:, :, None]
    across = np.arange(side, dtype=np.float32)
    # Less what all sites share, x² + y² of the pixel. Whole numbers below 2**24 are exact in these
    # floats, whose products of matrices are the quickest way to such sums.
    rows = np.ones((len(sites), side, 2), dtype=np.float32)
    columns = np.ones((len(sites), 2, side), dtype=np.float32)
    rows[..., 0] = (y * y - 2 * y * across) * BELOW
    columns[:, 1] = (x * x - 2 * x * across) * BELOW + mark
    keys = multiplied(rows[0], columns[0])
    key = np.empty_like(keys)
    for row, column in zip(rows[1:], columns[1:]):
        np.minimum(keys, multiplied(row, column, key), out=keys)
    return keys


def marks(keys: Floats) -> Pixels:
    """Of keys their sites' marks."""
    found: Pixels = keys.astype(np.int32).astype(np.uint8) & np.uint8(BELOW - 1)
    return found


@cache
def shades(number: int) -> tuple[Colour, ...]:
    """The reserved colours, then the shades of each hue; half of the hues drift as they lighten."""
    source = Random(number)
    colours = list(RESERVED)
    for step in range(HUES):
        hue = (step / HUES + number % 12 / 96) % 1
        drift = source.choice([0.0, 0.0, 0.06, -0.06])
        rich = source.choice([0.55, 0.8, 0.95])
        for shade in range(SHADES):
            light = shade / (SHADES - 1)
            red, green, blue = colorsys.hsv_to_rgb(
                (hue + drift * light) % 1, rich * (1 - 0.55 * light), 0.3 + 0.7 * light
            )
            colours.append((round(255 * red), round(255 * green), round(255 * blue)))
    return tuple(colours)
