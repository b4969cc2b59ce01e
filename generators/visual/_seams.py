"""Seams: how well two tiles of a picture continue each other, judged by their pixels alone."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators.visual._picture import Colour, Pixels

Colours = NDArray[np.int16]  # lines of pixels: of all red, then green, then blue
Edge = Literal["left", "right", "above", "below"]

ROOM = 1 << 16  # pixels of pairs of lines that are compared at once
_FAR = 4000  # further than colours can be apart


def edges(tiles: Pixels, colours: Colours, which: Edge) -> Colours:
    """Of each of some tiles of one size the outermost line of pixels on one side, from the left or
    from the top."""
    lines: dict[Edge, Pixels] = {
        "left": tiles[:, :, 0],
        "right": tiles[:, :, -1],
        "above": tiles[:, 0],
        "below": tiles[:, -1],
    }
    return colours.take(lines[which], axis=1)


def rims(tiles: Pixels, colours: Colours) -> Colours:
    """Of each of some square tiles of one size all four sides, read clockwise: from above to the
    right, below and the left. A tile that is turned anticlockwise has them one place earlier."""
    sides = tiles[:, 0], tiles[:, :, -1], tiles[:, -1, ::-1], tiles[:, ::-1, 0]
    return colours.take(np.stack(sides, axis=1), axis=1)


@lru_cache(maxsize=256)
def table(palette: tuple[Colour, ...]) -> Colours:
    """A palette to look colours up in, channel by channel."""
    made = np.array(palette, dtype=np.int16).T.copy()
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
    count, *others_of = _paired(ones, others)
    step = max(1, ROOM // (ones.shape[-1] * math.prod(others_of)))
    return np.concatenate(
        [
            _seam_costs(_part(ones, rows), _part(others, rows), 2 * trim + 1)
            for rows in (slice(row, row + step) for row in range(0, count, step))
        ]
    )


def _paired(ones: Colours, others: Colours) -> list[int]:
    """The shape of all pairs of edges."""
    return list(map(max, ones.shape[1:-1], others.shape[1:-1]))


def _part(lines: Colours, rows: slice) -> Colours:
    """Some rows of edges; a single one stands for all."""
    return lines[:, rows] if lines.shape[1] > 1 else lines


def _seam_costs(first: Colours, second: Colours, reach: int) -> NDArray[np.int64]:
    pairs, length = _paired(first, second), first.shape[-1]
    ones = _laid_out(first, pairs, reach, _FAR)
    others = _laid_out(second, pairs, reach, -_FAR)
    ones = ones[:, reach:-reach]
    compared = ones.shape[1]
    nearest = np.full((2, others.shape[1]), 3 * _FAR, dtype=np.int16)
    here, there = nearest[0, reach:-reach], nearest[1]
    gaps = np.empty(ones.shape, dtype=np.int16)
    gap, *further = gaps
    for shift in range(2 * reach + 1):
        # One pixel of the first and one of the second, so far apart: both look at it once.
        beside = slice(shift, shift + compared)
        np.abs(np.subtract(ones, others[:, beside], out=gaps), out=gaps)
        for more in further:
            gap += more
        for least in (here, there[beside]):
            np.minimum(least, gap, out=least)
    best = nearest[:, reach:].reshape(2, *pairs, length + reach)
    # Sums are below 2**24, and exact in floats, whose products of matrices are the quickest way.
    sums = (best[..., :length].astype(np.float32) @ _ones(length)).astype(np.int64)
    costs = sums * 100 // (3 * length)
    found: NDArray[np.int64] = (costs[0] + costs[1]) // 2
    return found


@lru_cache(maxsize=64)
def _ones(count: int) -> NDArray[np.float32]:
    return np.ones(count, dtype=np.float32)


def _laid_out(lines: Colours, shape: Sequence[int], gutter: int, far: int) -> Colours:
    """The lines of so many pairs in one row, channel by channel, so that it can be shifted as a
    whole. What lies between them is far from any colour."""
    channels, *_, length = lines.shape
    row = np.zeros((channels, gutter + math.prod(shape) * (length + gutter)), dtype=np.int16)
    row[0] = far
    row[:, gutter:].reshape(channels, *shape, length + gutter)[..., :length] = lines
    return row
