"""Seams: how well two tiles of a picture continue each other, judged by their pixels alone."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators.visual._picture import Colour, Pixels

Colours = NDArray[np.int16]  # a line of pixels in red, green and blue
Edges = Sequence[Colours] | Colours  # some lines of one length
Edge = Literal["left", "right", "above", "below"]

ROOM = 1 << 16  # pixels of pairs of lines that are compared at once
_FAR = 4000  # further than colours can be apart


def edge(tile: Pixels, palette: Sequence[Colour], which: Edge) -> Colours:
    """The outermost line of pixels on one side, from the left or from the top."""
    return table(tuple(palette))[_line(tile, which)]


def edges(tiles: Sequence[Pixels], palette: Sequence[Colour], which: Edge) -> Colours:
    """That line of each of some tiles of one size."""
    return table(tuple(palette))[np.stack([_line(tile, which) for tile in tiles])]


@lru_cache(maxsize=8)
def table(palette: tuple[Colour, ...]) -> Colours:
    """A palette to look colours up in."""
    made = np.array(palette, dtype=np.int16)
    made.setflags(write=False)
    return made


def seam_costs(ones: Edges, others: Edges, trim: int) -> NDArray[np.int64]:
    """For each edge of `ones` and each of `others`: how badly the second continues the first.

    The mean difference of a pixel from the most similar one opposite, per colour channel, 0..255,
    in hundredths. Lines that cross a trimmed seam at a slant come out shifted, so a pixel may look
    sideways about as far as the seam is wide.
    """
    first, second = (np.asarray(lines).transpose(2, 0, 1) for lines in (ones, others))
    rows = max(1, ROOM // second[0].size)
    return np.concatenate(
        [
            _seam_costs(first[:, row : row + rows], second, 2 * trim + 1)
            for row in range(0, first.shape[1], rows)
        ]
    )


def _seam_costs(first: Colours, second: Colours, reach: int) -> NDArray[np.int64]:
    length = first.shape[-1]
    shape = first.shape[1], second.shape[1], length + reach
    ones = _laid_out(first[:, :, None], shape, _FAR)
    others = _laid_out(second[:, None], shape, -_FAR)
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
    best = nearest[:, reach:].reshape(2, *shape)[..., :length].sum(axis=-1, dtype=np.int64)
    costs = best * 100 // (3 * length)
    found: NDArray[np.int64] = (costs[0] + costs[1]) // 2
    return found


def _laid_out(lines: Colours, shape: tuple[int, int, int], far: int) -> Colours:
    """The lines of all pairs in one row, channel by channel, so that it can be shifted as a whole.
    What lies between them is far from any colour."""
    gutter, length = shape[2] - lines.shape[-1], lines.shape[-1]
    row = np.zeros((3, gutter + math.prod(shape)), dtype=np.int16)
    row[0] = far
    row[:, gutter:].reshape(3, *shape)[..., :length] = lines
    return row


def _line(tile: Pixels, which: Edge) -> Pixels:
    across = tile if which in ("above", "below") else tile.T
    line: Pixels = across[0 if which in ("above", "left") else -1]
    return line
