"""Waves and rough ground: fields of whole numbers that pictures are shaded by.

All is in whole numbers, because numpy's sine differs in its last bit from one processor to another.
Sums are products of matrices, the quickest way to them: whole numbers below 2**24 are exact in
their floats, in whatever order they are added up.
"""

import math
from functools import cache, lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.int16]
Floats = NDArray[np.float32]

TURN = 1024  # units of a full turn, and of a sine's height
_SHARE = 256  # units of a hill's height at its knot
_FEW = 1 << 18  # products of two numbers, for which BLAS starts no threads


@cache
def whole_sines() -> tuple[int, ...]:
    return tuple(round(TURN * math.sin(2 * math.pi * step / TURN)) for step in range(TURN))


@cache
def _sines() -> tuple[Floats, Floats]:
    """Sines and cosines, and then cosines and sines as shares of one."""
    sines = np.array(whole_sines(), dtype=np.float32)
    both = np.stack((sines, np.roll(sines, -TURN // 4)))
    return both, both[::-1] / np.float32(TURN)


def waves(source: Random, side: int, *most: float) -> Field:
    """The sum of some plane waves, each with up to so many periods along each axis."""
    paces, starts = [], []
    for reach in (int(each * TURN) for each in most):
        for _ in range(2):
            paces.append([source.randint(-reach, reach)])
            starts.append([source.randrange(TURN)])
    angles = np.arange(side) * np.array(paces) // side + np.array(starts) & (TURN - 1)
    # The sine of a sum, from sines and cosines of its parts: quicker than a look-up a pixel.
    whole, shares = _sines()
    rows = whole.take(angles[1::2], axis=1).reshape(-1, side)
    columns = shares.take(angles[::2], axis=1).reshape(-1, side)
    return multiplied(rows.T, columns).astype(np.int16)


def multiplied(rows: Floats, columns: Floats, product: Floats | None = None) -> Floats:
    """A product of matrices, by parts so small that BLAS starts no threads for them."""
    if product is None:
        product = np.empty((len(rows), columns.shape[1]), dtype=np.float32)
    step = max(1, _FEW // columns.size)
    for part in range(0, len(rows), step):
        np.matmul(rows[part : part + step], columns, out=product[part : part + step])
    return product


def roughness(source: Random, side: int, widest: int, octaves: int, high: int) -> Field:
    """The upper rows of a square of fractal noise: hills `widest` pixels apart and up to about 600
    high, then half of both, and so on."""
    rows, most = [], 600
    for hill in hills(side, widest, octaves):
        points = len(hill)
        lattice = np.frombuffer(source.randbytes(points * points), dtype=np.uint8)
        knots = (lattice.astype(np.int32) * most // 64).astype(np.float32).reshape(points, points)
        rows.append(hill[:, :high].T @ knots)
        most //= 2
    # In quarters, and then in whole ones.
    lines = np.floor(np.concatenate(rows, axis=1) / _SHARE)
    return multiplied(lines, ranges(side, widest, octaves)).astype(np.int16)


@lru_cache(maxsize=16)
def hills(side: int, widest: int, octaves: int) -> tuple[Floats, ...]:
    """How high each knot of a line lifts each pixel, by octave: the hills of the first are `widest`
    pixels apart, those of the others half as far each time."""
    found = []
    for octave in range(octaves):
        step = max(widest >> octave, 1)
        place, rest = np.divmod(np.arange(side), step)
        hill = np.zeros((side // step + 2, side), dtype=np.float32)
        share = rest * _SHARE // step
        hill[place, np.arange(side)] = _SHARE - share
        hill[place + 1, np.arange(side)] = share
        found.append(hill)
    return tuple(found)


@lru_cache(maxsize=16)
def ranges(side: int, widest: int, octaves: int) -> Floats:
    """The hills of all octaves, one behind another, for knots in quarters."""
    return np.concatenate(hills(side, widest, octaves)) / np.float32(4 * _SHARE)
