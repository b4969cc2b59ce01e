"""Automatic domain randomisation: a box of knobs whose sides move one by one.

It begins at the origin, the easiest setting of all knobs. Some trials are sampled right at a side:
when enough of them have succeeded it moves outwards, when they have failed inwards.
"""

from collections.abc import Sequence

import numpy as np

from puzzlemill.difficulty.teachers import Points, Trial

START = 0.1  # where each side begins
STEP = 0.05  # by which a side moves
AT_A_SIDE = 0.5  # the share of trials sampled at one
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
    """Where each side is, after these trials."""
    ends = np.full(dimensions, START)
    rewards: list[list[float]] = [[] for _ in range(dimensions)]
    for point, reward in trials:
        for side in range(dimensions):
            if abs(point[side] - ends[side]) > 1e-9:
                continue
            rewards[side].append(reward)
            if len(rewards[side]) == ENOUGH:
                mean = sum(rewards[side]) / ENOUGH
                move = STEP * ((mean >= WELL) - (mean <= BADLY))
                ends[side] = round(min(max(ends[side] + move, START), 1.0), 9)
                rewards[side] = []
    return ends


TEACHER = adr
