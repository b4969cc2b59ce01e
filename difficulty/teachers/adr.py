"""Automatic domain randomisation: the space begins as a corner, and each side moves on its own.

Some trials are made right at a side. When enough of them have succeeded it moves outwards, and when
they have failed inwards. The corner is the origin: the easiest setting of all knobs.
"""

from collections.abc import Sequence

import numpy as np

from puzzlemill.difficulty.teachers import Points, Trial

START = 0.1  # where each side begins
STEP = 0.05  # by which a side moves
AT_A_SIDE = 0.5  # the share of trials made at one
ENOUGH = 8  # trials at a side before it moves
WELL, BADLY = 0.7, 0.3  # mean rewards at a side that move it out and in


def adr(
    trials: Sequence[Trial], dimensions: int, count: int, source: np.random.Generator
) -> Points:
    ends = sides(trials, dimensions)
    points = source.random((count, dimensions)) * ends
    at_a_side = source.random(count) < AT_A_SIDE
    which = source.integers(dimensions, size=count)
    points[at_a_side, which[at_a_side]] = ends[which[at_a_side]]
    return points


def sides(trials: Sequence[Trial], dimensions: int) -> Points:
    """Where each side has come to."""
    ends = np.full(dimensions, START)
    seen: list[list[float]] = [[] for _ in range(dimensions)]
    for point, reward in trials:
        for side in range(dimensions):
            if abs(point[side] - ends[side]) > 1e-9:
                continue
            seen[side].append(reward)
            if len(seen[side]) == ENOUGH:
                mean = sum(seen[side]) / ENOUGH
                move = STEP * ((mean >= WELL) - (mean <= BADLY))
                ends[side] = round(min(max(ends[side] + move, START), 1.0), 9)
                seen[side] = []
    return ends


TEACHER = adr
