"""Seams: how well two tiles of a picture continue each other, judged by their pixels alone."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators.visual._picture import Colour, Pixels

Colours = NDArray[np.int16]  # a line of pixels in red, green and blue
Edge = Literal["left", "right", "above", "below"]


def edge(tile: Pixels, palette: Sequence[Colour], which: Edge) -> Colours:
    """The outermost line of pixels on one side, from the left or from the top."""
    lines: dict[Edge, Pixels] = {
        "left": tile[:, 0],
        "right": tile[:, -1],
        "above": tile[0],
        "below": tile[-1],
    }
    return table(tuple(palette))[lines[which]]


@lru_cache(maxsize=8)
def table(palette: tuple[Colour, ...]) -> Colours:
    """A palette to look colours up in."""
    made = np.array(palette, dtype=np.int16)
    made.setflags(write=False)
    return made


def seam_costs(ones: Sequence[Colours], others: Sequence[Colours], trim: int) -> NDArray[np.int64]:
    """For each edge of `ones` and each of `others`: how badly the second continues the first.

    The mean difference of a pixel from the most similar one opposite, per colour channel, 0..255,
    in hundredths. Lines that cross a trimmed seam at a slant come out shifted, so a pixel may look
    sideways about as far as the seam is wide.
    """
    # Channels first: summing over a last axis of three is slow.
    first = np.ascontiguousarray(np.stack(ones).transpose(2, 0, 1))[:, :, None]
    second = np.ascontiguousarray(np.stack(others).transpose(2, 0, 1))[:, None]
    costs = [_one_way(first, second, 2 * trim + 1), _one_way(second, first, 2 * trim + 1)]
    return (costs[0] + costs[1]) // 2


def _one_way(here: Colours, there: Colours, reach: int) -> NDArray[np.int64]:
    length = here.shape[-1]
    shape = np.broadcast_shapes(here.shape, there.shape)[1:]
    best = np.full(shape, np.iinfo(np.int16).max, dtype=np.int16)
    for shift in range(-reach, reach + 1):
        start, stop = max(0, -shift), length - max(0, shift)
        gap = np.abs(here[0, ..., start:stop] - there[0, ..., start + shift : stop + shift])
        for channel in (1, 2):
            gap += np.abs(
                here[channel, ..., start:stop] - there[channel, ..., start + shift : stop + shift]
            )
        part = best[..., start:stop]
        np.minimum(part, gap, out=part)
    cost: NDArray[np.int64] = best.sum(axis=-1, dtype=np.int64) * 100 // (3 * length)
    return cost
