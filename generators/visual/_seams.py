"""Seams: how well two tiles of a picture continue each other, judged by their pixels alone."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.int16]  # rows of pixels in red, green, blue
Edge = Literal["left", "right", "above", "below"]


def edge(tile: Colours, which: Edge) -> Colours:
    """The outermost line of pixels on one side, from the left or from the top."""
    lines: dict[Edge, Colours] = {
        "left": tile[:, 0],
        "right": tile[:, -1],
        "above": tile[0],
        "below": tile[-1],
    }
    return lines[which]


def seam_costs(ones: Sequence[Colours], others: Sequence[Colours], trim: int) -> NDArray[np.int64]:
    """For each edge of `ones` and each of `others`: how badly the second continues the first.

    The mean difference of a pixel from the most similar one opposite, per colour channel, 0..255.
    Lines that cross a trimmed seam at a slant come out shifted, so a pixel may look sideways
    about as far as the seam is wide.
    """
    first, second = np.stack(ones)[:, None], np.stack(others)[None]
    costs = [_one_way(first, second, 2 * trim + 1), _one_way(second, first, 2 * trim + 1)]
    return (costs[0] + costs[1].astype(np.int64)) // 2


def _one_way(here: Colours, there: Colours, reach: int) -> NDArray[np.int64]:
    length = here.shape[-2]
    best = np.full(
        (max(here.shape[0], there.shape[0]), max(here.shape[1], there.shape[1]), length),
        np.iinfo(np.int16).max,
        dtype=np.int16,
    )
    for shift in range(-reach, reach + 1):
        start, stop = max(0, -shift), length - max(0, shift)
        gap = np.abs(here[..., start:stop, :] - there[..., start + shift : stop + shift, :])
        part = best[..., start:stop]
        np.minimum(part, gap.sum(axis=-1, dtype=np.int16), out=part)
    # In hundredths, so that whole numbers are fine enough.
    cost: NDArray[np.int64] = best.sum(axis=-1, dtype=np.int64) * 100 // (3 * length)
    return cost
