"""Paintings: abstract pictures whose shading runs on over every cut."""

import colorsys
from collections.abc import Sequence
from functools import cache
from random import Random

import numpy as np

from puzzlemill.generators.visual._picture import RESERVED, Colour, Picture, Pixels, cover
from puzzlemill.generators.visual._waves import TURN, Field, multiplied, waves

HUES = 8
SHADES = 28  # of each hue, dark to light
_SITES = 13
_DISCS = 6
_RIBBONS = 2
BELOW = 32  # marks of sites
PALETTES = 192


def painting(source: Random, side: int) -> Picture:
    """A square abstract painting: curved patches, discs and ribbons, each softly shaded.

    Shading and outlines run across the whole picture, so that tiles cut from it can be matched by
    what continues over their edges.
    """
    across = np.arange(side, dtype=np.int32)
    down = across[:, None]
    hue = _patches(source, side)
    for _ in range(_DISCS):
        x, y = source.randrange(side), source.randrange(side)
        radius = source.randint(side // 12, side // 5)
        box = slice(max(y - radius, 0), y + radius + 1), slice(max(x - radius, 0), x + radius + 1)
        distance = (across[box[1]] - x) ** 2 + (down[box[0]] - y) ** 2
        hollow = radius // 2 if source.random() < 0.4 else 0
        inside = (distance <= radius**2) & (distance >= hollow**2)
        cover(hue[box], inside, source.randrange(HUES))
    for _ in range(_RIBBONS):
        bend = waves(source, side, 1.7, 0.9)
        width = source.randint(120, 200)
        inside = np.abs(bend - source.randint(-600, 600)) < width
        cover(hue, inside, source.randrange(HUES))
    return shaded(source, hue)


def shaded(source: Random, hue: Pixels) -> Picture:
    """Hues, 0 to 7, as a picture under light that runs on over their borders."""
    side = len(hue)
    light = waves(source, side, 0.6, 1.1, 1.7)
    light += np.int32(97) * hue  # neighbouring patches differ in light too
    # Light goes round in two turns, and shades up and down again.
    light &= 2 * TURN - 1
    light -= TURN
    shade = np.abs(light, out=light) * (SHADES - 1) // TURN
    pixels = shade.astype(np.uint8) + (hue * np.uint8(SHADES) + np.uint8(len(RESERVED)))
    pixels.setflags(write=False)
    return Picture(pixels, shades(source.randrange(PALETTES)))


def _patches(source: Random, side: int) -> Pixels:
    """Hues of a Voronoi diagram whose borders are bent by a wave."""
    bend = waves(source, side, 3.0) * side // 16 * BELOW
    sites = [
        (source.randrange(side), source.randrange(side), site % HUES) for site in range(_SITES)
    ]
    keys = np.minimum(nearest(side, sites[::2]), nearest(side, sites[1::2]) + bend)
    hue: Pixels = (keys & (HUES - 1)).astype(np.uint8)
    return hue


def nearest(side: int, sites: Sequence[tuple[int, int, int]]) -> Field:
    """For each pixel the least key of a site: its squared distance, and below it its mark."""
    x, y, mark = np.array(sites).T[:, :, None]
    across = np.arange(side)
    # Less what all sites share, x² + y² of the pixel. Whole numbers below 2**24 are exact in these
    # floats, whose products of matrices are the quickest way to such sums.
    rows, columns = np.ones((2, len(sites), side, 2), dtype=np.float32)
    rows[..., 0] = (y * y - 2 * y * across) * BELOW
    columns[..., 1] = (x * x - 2 * x * across) * BELOW + mark
    keys = np.full((side, side), np.inf, dtype=np.float32)
    key = np.empty_like(keys)
    for row, column in zip(rows, columns):
        np.minimum(keys, multiplied(row, column.T, key), out=keys)
    return keys.astype(np.int32)


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
