"""Automatic domain randomisation: a box of knobs whose sides move one by one.

It begins at the origin, the easiest setting of all knobs. Some trials are sampled right at a side:
when enough of them have succeeded it moves outwards, when they have failed inwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.teachers import Points, Teacher, TeacherSettings, Trial


@dataclass(frozen=True, slots=True)
class Settings(TeacherSettings):
    start: Annotated[float, Range(0, 1)] = 0.1  # where each side begins
    step: Annotated[float, Range(1e-3, 1)] = 0.05  # by which a side moves
    edge: Annotated[float, Range(0, 1)] = 0.5  # the share of trials sampled at a side
    enough: Annotated[int, Range(1, 10_000)] = 8  # trials at a side before it moves
    rise: Annotated[float, Range(0, 1)] = 0.7  # the mean reward at which a side moves out
    fall: Annotated[float, Range(0, 1)] = 0.3  # the mean reward at which a side moves in


def adr(
    settings: Settings,
    trials: Sequence[Trial],
    dimensions: int,
    count: int,
    source: np.random.Generator,
) -> Points:
    ends = sides(settings, trials, dimensions)
    points = source.random((count, dimensions)) * ends
    at_a_side = source.random(count) < settings.edge
    which = source.integers(dimensions, size=count)
    points[at_a_side, which[at_a_side]] = ends[which[at_a_side]]
    return points


def sides(settings: Settings, trials: Sequence[Trial], dimensions: int) -> Points:
    """Where each side is, after these trials."""
    ends = np.full(dimensions, settings.start)
    rewards: list[list[float]] = [[] for _ in range(dimensions)]
    for point, reward in trials:
        for side in range(dimensions):
            if abs(point[side] - ends[side]) > 1e-9:
                continue
            rewards[side].append(reward)
            if len(rewards[side]) == settings.enough:
                mean = sum(rewards[side]) / settings.enough
                move = settings.step * ((mean >= settings.rise) - (mean <= settings.fall))
                ends[side] = round(min(max(ends[side] + move, settings.start), 1.0), 9)
                rewards[side] = []
    return ends


TEACHER = Teacher(adr, Settings, kept=None)
