"""Seams: how well two tiles of a picture continue each other, judged by their pixels alone."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators.visual._picture import Colour, Pixels

Colours = NDArray[np.int16]  # a line of pixels in red, green and blue
Edges = Sequence[Colours] | Colours  # some lines of one length
Edge = Literal["left", "right", "above", "below"]


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
    # Channels first: summing over a last axis of three is slow.
    first = np.ascontiguousarray(np.asarray(ones).transpose(2, 0, 1))[:, :, None]
    second = np.ascontiguousarray(np.asarray(others).transpose(2, 0, 1))[:, None]
    length, reach = first.shape[-1], 2 * trim + 1
    shape = np.broadcast_shapes(first.shape, second.shape)[1:]
    nearest = [np.full(shape, np.iinfo(np.int16).max, dtype=np.int16) for _ in range(2)]
    for shift in range(-reach, reach + 1):
        # One pixel of the first and one of the second, so far apart: both look at it once.
        here = slice(max(0, -shift), length - max(0, shift))
        there = slice(max(0, shift), length - max(0, -shift))
        gap = np.abs(first[0, ..., here] - second[0, ..., there])
        for channel in (1, 2):
            gap += np.abs(first[channel, ..., here] - second[channel, ..., there])
        for best, place in zip(nearest, (here, there), strict=True):
            np.minimum(best[..., place], gap, out=best[..., place])
    costs: list[NDArray[np.int64]] = [
        best.sum(axis=-1, dtype=np.int64) * 100 // (3 * length) for best in nearest
    ]
    return (costs[0] + costs[1]) // 2


def _line(tile: Pixels, which: Edge) -> Pixels:
    across = tile if which in ("above", "below") else tile.T
    line: Pixels = across[0 if which in ("above", "left") else -1]
    return line
