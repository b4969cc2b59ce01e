"""Kinds of pictures beside paintings: drawn from a seed, each shaded so that no part is flat."""

from functools import cache
from itertools import chain
from random import Random

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators._lettering import lettering
from puzzlemill.generators.visual._painting import (
    BELOW,
    HUES,
    PALETTES,
    SHADES,
    nearest,
    shaded,
    shades,
)
from puzzlemill.generators.visual._picture import INK, RESERVED, Colour, Picture, Pixels, cover
from puzzlemill.generators.visual._waves import Field, roughness, waves

_LOOP = 240  # colours of a texture
_SITES = 22  # of a map
_SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that looks like another
_ROUNDS = 30  # of a fractal
_UNIT = 1 << 12  # of a fractal's plane
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
    for most in (1.4, 2.2, 3.2):
        height += waves(source, side, most) * 2 // 3
    stops = [(source.randrange(256), source.randrange(256), source.randrange(256))]
    while len(stops) < 5:
        stop = (source.randrange(256), source.randrange(256), source.randrange(256))
        if sum(abs(one - other) for one, other in zip(stop, stops[-1])) > 220:
            stops.append(stop)
    loop: list[Colour] = []
    for place, stop in enumerate(stops):
        loop += _ramp(stop, stops[(place + 1) % len(stops)], _LOOP // len(stops))
    pixels = _rest(height // 9, _LOOP).astype(np.uint8) + np.uint8(len(RESERVED))
    return Picture(pixels, (*RESERVED, *loop))


def terrain(source: Random, side: int) -> Picture:
    """Land and sea from above, by fractal noise, lit from one side."""
    height = roughness(source, side, side // 2, 5)
    slope = np.zeros_like(height)
    slope[1:, 1:] = height[1:, 1:] - height[:-1, :-1]
    slope[0], slope[:, 0] = slope[1], slope[:, 1]
    low, high = int(height.min()), int(height.max()) + 1
    hue = ((height - low) * len(_EARTH) // (high - low)).astype(np.uint8)
    light = waves(source, side, 0.8, 1.3) // 200 + slope // 24 + SHADES // 2
    return Picture(_lit(hue, light), _earth())


@cache
def _earth() -> tuple[Colour, ...]:
    ramps = (_ramp(dark, bright, SHADES) for dark, bright in _EARTH)
    return tuple(chain(RESERVED, *ramps))


def fractal(source: Random, side: int) -> Picture:
    """A Julia set: hues by how soon a point escapes."""
    half = -(-side // 2)
    real, imaginary = (round((part + source.uniform(-0.02, 0.02)) * _UNIT)
                       for part in source.choice(_ARMS))  # fmt: skip
    reach = source.randint(_UNIT * 7 // 10, _UNIT * 13 // 10)
    left, top = (source.randint(-_UNIT // 2, _UNIT // 2) for _ in range(2))
    steps = np.arange(half) * 2 - half
    x = np.tile((steps * reach // half + left).astype(np.int32), (half, 1))
    y = np.tile((steps * reach // half + top).astype(np.int32)[:, None], (1, half))
    inside = np.ones((half, half), dtype=bool)
    rounds = np.zeros((half, half), dtype=np.uint8)
    for _ in range(_ROUNDS):
        right, down = x * x, y * y
        # What has escaped may overflow: it is not looked at again.
        inside &= right + down <= 4 * _UNIT * _UNIT
        rounds += inside
        y *= x
        y >>= 11
        y += imaginary
        np.subtract(right, down, out=x)
        x >>= 12
        x += real
    places = np.arange(side) // 2
    return shaded(source, (rounds & np.uint8(HUES - 1))[places][:, places])


def countries(source: Random, side: int) -> Picture:
    """A map: a Voronoi diagram with inked borders."""
    sites = [(source.randrange(side), source.randrange(side), site) for site in range(_SITES)]
    country = (nearest(side, sites) & (BELOW - 1)).astype(np.uint8)
    made = shaded(source, country & np.uint8(HUES - 1))
    pixels = made.pixels.copy()
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
    down = np.arange(side, dtype=np.int32)[:, None]
    floor = np.full(side, side, dtype=np.int32)
    order = source.sample(range(HUES), HUES)
    hue = np.full((side, side), order[0], dtype=np.uint8)
    for layer in order[1:]:
        curve = _curve(source, side, side // 4)
        floor = floor - side // 14 - (curve - curve.min()) * side // 3000
        cover(hue, down < floor, layer)
    made = shaded(source, hue)
    pixels = made.pixels.copy()
    step = side // source.randint(5, 8)
    pixels[step // 2 :: step, ::3] = INK
    for _ in range(2):
        curve = side // 2 + _curve(source, side, side // 5) * side // 1500
        cover(pixels, np.abs(down - curve) < 3, source.choice((0, INK)))
    return Picture(pixels, made.palette)


def scene(source: Random, side: int) -> Picture:
    """Balls on a chequered floor under a cloudy sky, the nearer before the farther."""
    horizon = side * source.randint(25, 40) // 100
    across = np.arange(side, dtype=np.int32)
    down = across[:, None]
    sky, cloud, floor, other, *balls = source.sample(range(HUES), HUES)
    deep = np.maximum(down - horizon, 1)
    row = 6 * side // deep
    # Whole numbers are slow to divide; quotients of small ones stay on their side of a whole one.
    column = np.floor((across * 8 - side // 2 * 8).astype(np.float32) / deep.astype(np.float32))
    hue = np.full((side, side), other, dtype=np.uint8)
    cover(hue, (row + column.astype(np.int32) & 1).astype(bool), floor)
    clouds = roughness(source, side, side // 4, 4)[:horizon]
    hue[:horizon] = sky
    cover(hue[:horizon], clouds > 560, cloud)
    lean = waves(source, side, 0.7, 1.4) // 300
    light = lean.copy()
    light[:horizon] += abs(_rest(clouds, 480) - 240) // 12 + 4
    light[horizon:] += 6 + deep[horizon:] * 16 // side
    for bottom in sorted(source.randint(horizon + 10, side + 20) for _ in range(9)):
        radius = (bottom - horizon) * side // (5 * (side - horizon)) + side // 24
        x, y = source.randrange(side), bottom - radius
        box = slice(max(y - radius, 0), bottom + 1), slice(max(x - radius, 0), x + radius + 1)
        right, below = across[box[1]] - x, down[box[0]] - y
        flat = radius**2 - right**2 - below**2
        depth = np.sqrt(np.maximum(flat, 0).astype(np.float32)).astype(np.int32)
        facing = (depth * 2 - right - below) * SHADES // (5 * radius) + SHADES // 4
        ball = flat >= 0
        cover(hue[box], ball, source.choice(balls))
        light[box] += (facing + lean[box] - light[box]) * ball
    return Picture(_lit(hue, light), shades(source.randrange(PALETTES)))


def _curve(source: Random, side: int, widest: int) -> Field:
    """Hills along a line, up to about 1000 high."""
    total = np.zeros(side, dtype=np.int32)
    step, most = widest, 600
    for _ in range(3):
        knots = np.array([source.randrange(most) for _ in range(side // step + 2)], dtype=np.int32)
        place, share = np.divmod(np.arange(side, dtype=np.int32), step)
        total += (knots[place] * (step - share) + knots[place + 1] * share) // step
        step, most = step // 2, most // 2
    return total


def _rest(field: Field, divisor: int) -> Field:
    """`field % divisor`, which takes ten times as long."""
    return field - field // divisor * divisor


def _lit(hue: Pixels, light: NDArray[np.signedinteger]) -> Pixels:
    shade = np.clip(light, 0, SHADES - 1).astype(np.uint8)
    pixels: Pixels = shade + hue * np.uint8(SHADES) + np.uint8(len(RESERVED))
    return pixels


def _ramp(first: Colour, last: Colour, count: int) -> list[Colour]:
    """Colours from the first on, up to just before the last."""
    made = []
    for step in range(count):
        red, green, blue = (
            one + (other - one) * step // count for one, other in zip(first, last, strict=True)
        )
        made.append((red, green, blue))
    return made
