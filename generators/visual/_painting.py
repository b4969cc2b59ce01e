"""Paintings: abstract pictures whose shading runs on over every cut."""

import colorsys
from functools import cache
from random import Random

import numpy as np

from puzzlemill.generators.visual._picture import RESERVED, Colour, Picture, Pixels
from puzzlemill.generators.visual._waves import TURN, wave

HUES = 8
SHADES = 28  # of each hue, dark to light
_SITES = 13
_DISCS = 6
_RIBBONS = 2
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
        np.copyto(hue[box], source.randrange(HUES), where=inside, casting="unsafe")
    for _ in range(_RIBBONS):
        bend = wave(source, side, 1.7) + wave(source, side, 0.9)
        width = source.randint(120, 200)
        inside = np.abs(bend - source.randint(-600, 600)) < width
        np.copyto(hue, source.randrange(HUES), where=inside, casting="unsafe")
    return shaded(source, hue)


def shaded(source: Random, hue: Pixels) -> Picture:
    """Hues, 0 to 7, as a picture under light that runs on over their borders."""
    side = len(hue)
    light = np.zeros((side, side), dtype=np.intp)
    for most in (0.6, 1.1, 1.7):
        light += wave(source, side, most)
    light += np.int16(97) * hue  # neighbouring patches differ in light too
    light &= 2 * TURN - 1
    pixels = _folded().take(light, mode="clip") + hue * np.uint8(SHADES)
    pixels.setflags(write=False)
    return Picture(pixels, shades(source.randrange(PALETTES)))


@cache
def _folded() -> Pixels:
    """Light, going round in two turns, as shades up and down again; after the reserved colours."""
    light = np.arange(2 * TURN)
    shade = np.abs(light - TURN) * (SHADES - 1) // TURN
    return (shade + len(RESERVED)).astype(np.uint8)


def _patches(source: Random, side: int) -> Pixels:
    """Hues of a Voronoi diagram whose borders are bent by a wave."""
    across = np.arange(side, dtype=np.int32)
    bend = (wave(source, side, 3.0) * side // 16) * HUES
    nearest = np.full((side, side), np.iinfo(np.int32).max, dtype=np.int32)
    for site in range(_SITES):
        x, y = source.randrange(side), source.randrange(side)
        # The squared distance less what all sites share, x² + y² of the pixel; the hue rides along
        # below it, so that the least key carries the hue of the nearest site.
        right = (x * x - 2 * x * across) * HUES + site % HUES
        below = (y * y - 2 * y * across) * HUES
        key = right + below[:, None]
        if site % 2:
            key += bend
        np.minimum(nearest, key, out=nearest)
    return (nearest % HUES).astype(np.uint8)


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
