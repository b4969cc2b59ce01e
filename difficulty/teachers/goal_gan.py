"""GoalGAN without its network: sample near points of intermediate difficulty.

Of the latest trials, those whose reward lies between two bounds are goals. A proposal is a goal
with Gaussian noise, where the paper's generator would imitate them; some trials are uniform.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.teachers import Points, Teacher, TeacherSettings, Trial


@dataclass(frozen=True, slots=True)
class Settings(TeacherSettings):
    low: Annotated[float, Range(0, 1)] = 0.1  # the least reward of a goal
    high: Annotated[float, Range(0, 1)] = 0.9  # the largest reward of a goal
    noise: Annotated[float, Range(0, 1)] = 0.05  # standard deviation around a goal
    anywhere: Annotated[float, Range(0, 1)] = 0.33  # the share of trials that are sampled uniformly
    window: Annotated[int, Range(1, 400)] = 200  # trials that goals are taken from


def goal_gan(
    settings: Settings,
    trials: Sequence[Trial],
    dimensions: int,
    count: int,
    source: np.random.Generator,
) -> Points:
    anywhere = source.random((count, dimensions))
    recent = trials[-settings.window :]
    goals = [point for point, reward in recent if settings.low <= reward <= settings.high]
    if not goals:
        return anywhere
    chosen = np.array(goals)[source.integers(len(goals), size=count)]
    near = (chosen + settings.noise * source.standard_normal((count, dimensions))).clip(0, 1)
    return np.where(source.random((count, 1)) < settings.anywhere, anywhere, near)


TEACHER = Teacher(goal_gan, Settings)
