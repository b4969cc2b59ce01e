"""Kinds of pictures beside paintings: drawn from a seed, each shaded so that no part is flat."""

from collections.abc import Iterable
from functools import cache, lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators._lettering import lettering
from puzzlemill.generators.visual._painting import (
    HUES,
    PALETTES,
    SHADES,
    box,
    lit,
    marks,
    nearest,
    shaded,
    shades,
)
from puzzlemill.generators.visual._picture import INK, RESERVED, Colour, Picture, cover
from puzzlemill.generators.visual._waves import Field, hills, ranges, roughness, waves

_LOOP = 240  # colours of a texture
_SITES = 22  # of a map
_SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that looks like another
_ROUNDS = 12, 18  # of a fractal: after each lot, what has escaped is left out
_UNIT = 1 << 12  # of a fractal's plane
# Bits by which products are above it, across and down: there twice the product is wanted.
_SHIFTS = np.array([[12], [11]], dtype=np.int32)
# Near the rim of the Mandelbrot set, where Julia sets have arms.
_ARMS = ((-0.8, 0.156), (-0.4, 0.6), (0.285, 0.01), (-0.70, -0.38), (-0.12, -0.77), (0.36, 0.1))
_EARTH: tuple[tuple[Colour, Colour], ...] = (
    ((12, 32, 84), (40, 92, 170)),
    ((26, 84, 150), (92, 170, 220)),
    ((180, 150, 92), (240, 222, 160)),
    ((52, 110, 40), (140, 200, 92)),
    ((20, 66, 34), (76, 136, 66)),
    ((92, 66, 48), (176, 140, 110)),
    ((92, 92, 100), (190, 190, 196)),
    ((186, 196, 214), (252, 253, 255)),
)


def texture(source: Random, side: int) -> Picture:
    """Bands of colour that flow into one another."""
    height = waves(source, side, 0.9)
    height += waves(source, side, 1.4, 2.2, 3.2) * 2 // 3
    stops = [(source.randrange(256), source.randrange(256), source.randrange(256))]
    while len(stops) < 5:
        stop = (source.randrange(256), source.randrange(256), source.randrange(256))
        if sum(abs(one - other) for one, other in zip(stop, stops[-1])) > 220:
            stops.append(stop)
    loop = _ramps(zip(stops, stops[1:] + stops[:1]), _LOOP // len(stops))
    pixels = _rest(height // 9, _LOOP).astype(np.uint8) + np.uint8(len(RESERVED))
    return Picture(pixels, (*RESERVED, *loop))


def terrain(source: Random, side: int) -> Picture:
    """Land and sea from above, by fractal noise, lit from one side."""
    height = roughness(source, side, side // 2, 5, side)
    slope = np.zeros_like(height)
    slope[1:, 1:] = height[1:, 1:] - height[:-1, :-1]
    slope[0], slope[:, 0] = slope[1], slope[:, 1]
    low, high = int(height.min()), int(height.max()) + 1
    hue = ((height - low) * len(_EARTH) // (high - low)).astype(np.uint8)
    light = waves(source, side, 0.8, 1.3) // 200 + slope // 24 + SHADES // 2
    return Picture(lit(hue, light), _earth())


@cache
def _earth() -> tuple[Colour, ...]:
    return (*RESERVED, *_ramps(_EARTH, SHADES))


def fractal(source: Random, side: int) -> Picture:
    """A Julia set: hues by how soon a point escapes."""
    half = -(-side // 2)
    added = [round((part + source.uniform(-0.02, 0.02)) * _UNIT) for part in source.choice(_ARMS)]
    reach = source.randint(_UNIT * 7 // 10, _UNIT * 13 // 10)
    left, top = (source.randint(-_UNIT // 2, _UNIT // 2) for _ in range(2))
    steps = np.arange(half) * 2 - half
    plane = np.empty((2, half, half), dtype=np.int32)
    plane[0] = steps * reach // half + left
    plane[1] = (steps * reach // half + top)[:, None]
    points, constant = plane.reshape(2, -1), np.array(added, dtype=np.int32)[:, None]
    rounds, places = np.zeros(half * half, dtype=np.uint8), np.arange(half * half)
    for lot in _ROUNDS:
        inside, more = np.ones(len(places), dtype=bool), np.zeros(len(places), dtype=np.uint8)
        squares = np.empty_like(points)
        (x, y), (right, down) = points, squares
        for _ in range(lot):
            np.multiply(points, points, out=squares)
            y *= x
            np.subtract(right, down, out=x)
            points >>= _SHIFTS
            points += constant
            right += down
            # What has escaped may overflow: it is not looked at again.
            inside &= right <= 4 * _UNIT * _UNIT
            more += inside.view(np.uint8)
        rounds[places] += more
        left_over = np.flatnonzero(inside)
        points, places = points.take(left_over, axis=1), places.take(left_over)
    # Two equal bytes are one number of 16 bits.
    pairs = (rounds & np.uint8(HUES - 1)).reshape(half, half) * np.uint16(257)
    return shaded(source, pairs.view(np.uint8).repeat(2, axis=0)[:side, :side])


def countries(source: Random, side: int) -> Picture:
    """A map: a Voronoi diagram with inked borders."""
    sites = [(source.randrange(side), source.randrange(side), site) for site in range(_SITES)]
    country = marks(nearest(side, sites))
    made = shaded(source, country & np.uint8(HUES - 1))
    pixels = made.pixels
    border = np.zeros((side, side), dtype=bool)
    border[1:] |= country[1:] != country[:-1]
    border[:, 1:] |= country[:, 1:] != country[:, :-1]
    border[:-1] |= border[1:]
    cover(pixels, border, INK)
    return Picture(pixels, made.palette)


def glyphs(source: Random, side: int) -> Picture:
    """A page of letters and digits of several sizes on coloured ground."""
    hue = (waves(source, side, 1.0, 1.6) // 500 & 3).astype(np.uint8)
    top = 0
    while top < side:
        scale = source.choice((3, 4, 5, 6))
        text = "".join(source.choices(_SIGNS, k=side // (6 * scale) + 2))
        mask = lettering(text, scale)
        shift = source.randrange(6 * scale)
        part = hue[top : top + len(mask)]
        cover(part, mask[: len(part), shift : shift + side], source.randrange(4, HUES))
        top += len(mask) + 2 * scale
    return shaded(source, hue)


def chart(source: Random, side: int) -> Picture:
    """Areas stacked over one another, with grid lines and two curves."""
    down = np.arange(side, dtype=np.int16)[:, None]
    floor = np.full(side, side, dtype=np.int16)
    order = source.sample(range(HUES), HUES)
    hue = np.full((side, side), order[0], dtype=np.uint8)
    for layer in order[1:]:
        curve = _curve(source, side, side // 4)
        floor -= side // 14 + ((curve - curve.min()) * side // 3000).astype(np.int16)
        cover(hue, down < floor, layer)
    made = shaded(source, hue)
    pixels = made.pixels
    step = side // source.randint(5, 8)
    pixels[step // 2 :: step, ::3] = INK
    for _ in range(2):
        curve = (side // 2 + _curve(source, side, side // 5) * side // 1500).astype(np.int16)
        cover(pixels, np.abs(down - curve) < 3, source.choice((0, INK)))
    return Picture(pixels, made.palette)


def scene(source: Random, side: int) -> Picture:
    """Balls on a chequered floor under a cloudy sky, the nearer before the farther."""
    horizon = side * source.randint(25, 40) // 100
    across = np.arange(side, dtype=np.float32)
    deep = np.maximum(np.arange(-horizon, side - horizon, dtype=np.int16), 1)[:, None]
    sky, cloud, floor, other, *balls = source.sample(range(HUES), HUES)
    hue = np.full((side, side), other, dtype=np.uint8)
    # Quotients of small whole numbers stay on their side of a whole one.
    column = np.floor((across * 8 - side // 2 * 8) / deep[horizon:].astype(np.float32))
    row = 6 * side // deep[horizon:]
    cover(hue[horizon:], (column.astype(np.int16) + row & 1).astype(bool), floor)
    clouds = roughness(source, side, side // 4, 4, horizon)
    hue[:horizon] = sky
    cover(hue[:horizon], clouds > 560, cloud)
    lean = waves(source, side, 0.7, 1.4) // 300
    light = np.empty_like(lean)
    light[:horizon] = abs(_rest(clouds, 480) - 240) // 12 + 4
    light[horizon:] = 6 + deep[horizon:] * 16 // side
    for bottom in sorted(source.randint(horizon + 10, side + 20) for _ in range(9)):
        radius = (bottom - horizon) * side // (5 * (side - horizon)) + side // 24
        part, whole = box(side, source.randrange(side), bottom - radius, radius)
        ball, facing = _ball(radius)
        cover(hue[part], ball[whole], source.choice(balls))
        light[part] += (facing[whole] - light[part]) * ball[whole]
    return Picture(lit(hue, light + lean), shades(source.randrange(PALETTES)))


@lru_cache(maxsize=96)
def _ball(radius: int) -> tuple[NDArray[np.bool_], Field]:
    """Where a ball is in its square, and how light it is there."""
    across = np.arange(-radius, radius + 1)
    down = across[:, None]
    flat = radius**2 - across**2 - down**2
    depth = np.sqrt(np.maximum(flat, 0).astype(np.float32)).astype(np.int32)
    facing = (depth * 2 - across - down) * SHADES // (5 * radius) + SHADES // 4
    return flat >= 0, facing.astype(np.int16)


def _curve(source: Random, side: int, widest: int) -> NDArray[np.int32]:
    """Hills along a line, up to about 1000 high."""
    knots: list[int] = []
    for octave, hill in enumerate(hills(side, widest, 3)):
        most = 2400 >> octave
        knots += [int(source.random() * most) for _ in range(len(hill))]
    return (np.array(knots, dtype=np.float32) @ ranges(side, widest, 3)).astype(np.int32)


def _rest(field: Field, divisor: int) -> Field:
    """`field % divisor`, which takes ten times as long."""
    return field - field // divisor * divisor


def _ramps(ends: Iterable[tuple[Colour, Colour]], count: int) -> list[Colour]:
    """So many colours from the first of each two on, up to just before the last."""
    first, last = np.array(list(ends)).swapaxes(0, 1)[:, :, None]
    colours = first + (last - first) * np.arange(count)[:, None] // count
    return list(map(tuple, colours.reshape(-1, 3).tolist()))
