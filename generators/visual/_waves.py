"""Waves and rough ground: fields of whole numbers that pictures are shaded by.

All is in whole numbers, because numpy's sine differs in its last bit from one processor to another.
"""

import math
from functools import cache
from random import Random

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.int32]

TURN = 1024  # units of a full turn, and of a sine's height


@cache
def sines() -> Field:
    return np.array(
        [round(TURN * math.sin(2 * math.pi * step / TURN)) for step in range(TURN)],
        dtype=np.int32,
    )


@cache
def whole_sines() -> tuple[int, ...]:
    """The same, for a point here and there."""
    return tuple(sines().tolist())


def sine(angle: NDArray[np.intp]) -> Field:
    return sines()[angle % TURN]


def wave(source: Random, side: int, most: float) -> Field:
    """A plane wave with up to `most` periods along each axis."""
    reach = int(most * TURN)
    across, down = (
        np.arange(side) * source.randint(-reach, reach) // side + source.randrange(TURN)
        for _ in range(2)
    )
    # The sine of a sum, from sines and cosines of its parts: quicker than a look-up a pixel. Whole
    # numbers below 2**24 are exact in these floats, in whatever order they are added up.
    rows = np.stack([sine(down + TURN // 4), sine(down)], axis=1).astype(np.float32)
    columns = np.stack([sine(across), sine(across + TURN // 4)]).astype(np.float32)
    height: Field = (rows @ columns).astype(np.int32)
    height >>= 10  # by TURN
    return height


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
        total += (rows[:, place] * (step - share) + rows[:, place + 1] * share) // (step * step)
        step, most = max(step // 2, 1), most // 2
    return total
