"""Seams: how well two tiles of a picture continue each other, judged by their pixels alone."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators.visual._picture import Colour, Pixels

Colours = NDArray[np.int16]  # lines of pixels in red, green and blue
Edge = Literal["left", "right", "above", "below"]

ROOM = 1 << 16  # pixels of pairs of lines that are compared at once
_FAR = 4000  # further than colours can be apart


def edges(tiles: Sequence[Pixels], palette: Sequence[Colour], which: Edge) -> Colours:
    """Of each of some tiles of one size the outermost line of pixels on one side, from the left or
    from the top."""
    lines = np.concatenate([_line(tile, which) for tile in tiles]).reshape(len(tiles), -1)
    return table(tuple(palette)).take(lines, axis=0)


def rims(tiles: Sequence[Pixels], palette: Sequence[Colour]) -> Colours:
    """Of each of some square tiles of one size all four sides, read clockwise: from above to the
    right, below and the left. A tile that is turned anticlockwise has them one place earlier."""
    shown = np.stack(tiles)
    sides = shown[:, 0], shown[:, :, -1], shown[:, -1, ::-1], shown[:, ::-1, 0]
    return table(tuple(palette)).take(np.stack(sides, axis=1), axis=0)


@lru_cache(maxsize=256)
def table(palette: tuple[Colour, ...]) -> Colours:
    """A palette to look colours up in."""
    made = np.array(palette, dtype=np.int16)
    made.setflags(write=False)
    return made


def seam_costs(ones: Colours, others: Colours, trim: int) -> NDArray[np.int64]:
    """For each edge of `ones`, and that of `others` in the same place: how badly the second
    continues the first. As always in numpy, one edge may stand for many.

    The mean difference of a pixel from the most similar one opposite, per colour channel, 0..255,
    in hundredths. Lines that cross a trimmed seam at a slant come out shifted, so a pixel may look
    sideways about as far as the seam is wide. Which of the two is first does not matter, nor from
    which end both are read.
    """
    *shape, length, _ = np.broadcast_shapes(ones.shape, others.shape)
    rows = max(1, ROOM // (length * math.prod(shape[1:])))
    # The channels lie apart, and in front.
    first, second = (
        np.moveaxis(np.broadcast_to(lines, (*shape, length, 3)), -1, 0) for lines in (ones, others)
    )
    return np.concatenate(
        [
            _seam_costs(first[:, row : row + rows], second[:, row : row + rows], 2 * trim + 1)
            for row in range(0, shape[0], rows)
        ]
    )


def _seam_costs(first: Colours, second: Colours, reach: int) -> NDArray[np.int64]:
    _, *pairs, length = first.shape
    ones, others = _laid_out(first, reach, _FAR), _laid_out(second, reach, -_FAR)
    ones = ones[:, reach:-reach]
    compared = ones.shape[1]
    nearest = np.full((2, others.shape[1]), 3 * _FAR, dtype=np.int16)
    here, there = nearest[0, reach:-reach], nearest[1]
    gaps = np.empty(ones.shape, dtype=np.int16)
    gap = gaps[0]
    for shift in range(2 * reach + 1):
        # One pixel of the first and one of the second, so far apart: both look at it once.
        beside = slice(shift, shift + compared)
        np.abs(np.subtract(ones, others[:, beside], out=gaps), out=gaps)
        gap += gaps[1]
        gap += gaps[2]
        np.minimum(here, gap, out=here)
        np.minimum(there[beside], gap, out=there[beside])
    best = nearest[:, reach:].reshape(2, *pairs, length + reach)
    costs = best[..., :length].sum(axis=-1, dtype=np.int64) * 100 // (3 * length)
    found: NDArray[np.int64] = (costs[0] + costs[1]) // 2
    return found


def _laid_out(lines: Colours, gutter: int, far: int) -> Colours:
    """The lines in one row, channel by channel, so that it can be shifted as a whole. What lies
    between them is far from any colour."""
    channels, *shape, length = lines.shape
    row = np.zeros((channels, gutter + math.prod(shape) * (length + gutter)), dtype=np.int16)
    row[0] = far
    row[:, gutter:].reshape(channels, *shape, length + gutter)[..., :length] = lines
    return row


def _line(tile: Pixels, which: Edge) -> Pixels:
    across = tile if which in ("above", "below") else tile.T
    line: Pixels = across[0 if which in ("above", "left") else -1]
    return line
