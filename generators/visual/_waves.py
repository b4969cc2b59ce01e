"""Waves and rough ground: fields of whole numbers that pictures are shaded by.

All is in whole numbers, because numpy's sine differs in its last bit from one processor to another.
"""

import math
from functools import cache
from random import Random

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.int32]
Floats = NDArray[np.float32]

_PART = 264  # rows of a product
TURN = 1024  # units of a full turn, and of a sine's height


@cache
def whole_sines() -> tuple[int, ...]:
    return tuple(round(TURN * math.sin(2 * math.pi * step / TURN)) for step in range(TURN))


@cache
def _circle() -> Floats:
    """Cosine and sine of each angle."""
    sines = whole_sines()
    cosines = sines[TURN // 4 :] + sines[: TURN // 4]
    return np.array([cosines, sines], dtype=np.float32).T.copy()


def waves(source: Random, side: int, *most: float) -> Field:
    """The sum of some plane waves, each with up to so many periods along each axis."""
    total = np.zeros((side, side), dtype=np.int32)
    height, product = np.empty_like(total), np.empty((side, side), dtype=np.float32)
    for reach in (int(each * TURN) for each in most):
        across, down = (
            np.arange(side) * source.randint(-reach, reach) // side + source.randrange(TURN)
            for _ in range(2)
        )
        # The sine of a sum, from sines and cosines of its parts: quicker than a look-up a pixel.
        # Whole numbers below 2**24 are exact in these floats, in whatever order they are added up.
        rows, columns = (_circle()[angle & (TURN - 1)] for angle in (down, across))
        np.copyto(height, multiplied(rows, columns[:, ::-1].T, product), casting="unsafe")
        height >>= 10  # by TURN
        total += height
    return total


def multiplied(rows: Floats, columns: Floats, product: Floats) -> Floats:
    """A product of thin matrices, by parts so small that BLAS starts no threads for them."""
    for part in range(0, len(rows), _PART):
        np.matmul(rows[part : part + _PART], columns, out=product[part : part + _PART])
    return product


def roughness(source: Random, side: int, widest: int, octaves: int) -> Field:
    """Fractal noise: hills `widest` pixels apart and up to about 600 high, then half of both, and
    so on."""
    total = np.zeros((side, side), dtype=np.int32)
    step, most = widest, 600
    for _ in range(octaves):
        points = side // step + 2
        lattice = np.frombuffer(source.randbytes(points * points), dtype=np.uint8)
        knots = lattice.reshape(points, points).astype(np.int32) * most // 256
        place, share = np.divmod(np.arange(side, dtype=np.int32), step)
        rows = knots[place] * (step - share)[:, None] + knots[place + 1] * share[:, None]
        rise = (rows[:, 1:] - rows[:, :-1]).repeat(step, axis=1)[:, :side] * share
        rise += (rows * step).repeat(step, axis=1)[:, :side]
        rise //= step * step
        total += rise
        step, most = max(step // 2, 1), most // 2
    return total
