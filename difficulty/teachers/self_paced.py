"""Self-paced learning: a Gaussian that moves from easy points to all points, as rewards allow.

After each batch of trials the Gaussian goes as far towards the target, which covers the whole
space, as the KL divergence from its last form allows and as the expected reward, by importance
weights, stays above a bound. Where the batch itself is below the bound, it goes towards the points
that were rewarded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.teachers import Points, Teacher, TeacherSettings, Trial

Gaussian: TypeAlias = tuple[Points, Points]  # mean, and standard deviation of each axis

START = (0.0, 0.1)  # mean and standard deviation of an axis, before any trial
TARGET = (0.5, 0.4)
LEAST = 0.03  # of a standard deviation
STEPS = 20  # of the way, that are compared
LARGEST = 10.0  # of an importance weight


@dataclass(frozen=True, slots=True)
class Settings(TeacherSettings):
    target: Annotated[float, Range(0, 1)] = 0.6  # the expected reward that is kept up
    trust: Annotated[float, Range(1e-3, 1000)] = 0.2  # KL divergence of a move, at most
    batch: Annotated[int, Range(2, 100_000)] = 40  # trials between two moves


def self_paced(
    settings: Settings,
    trials: Sequence[Trial],
    dimensions: int,
    count: int,
    source: np.random.Generator,
) -> Points:
    mean, deviation = gaussian(settings, trials, dimensions)
    drawn = mean + deviation * source.standard_normal((count, dimensions))
    inside: Points = drawn.clip(0, 1)
    return inside


def gaussian(settings: Settings, trials: Sequence[Trial], dimensions: int) -> Gaussian:
    """The Gaussian after these trials."""
    now, target = (
        (np.full(dimensions, mean), np.full(dimensions, deviation))
        for mean, deviation in (START, TARGET)
    )
    for first in range(0, len(trials) - settings.batch + 1, settings.batch):
        batch = trials[first : first + settings.batch]
        points, rewards = np.array([p for p, _ in batch]), np.array([r for _, r in batch])
        if rewards.mean() >= settings.target:
            now = _moved(settings, now, target, points, rewards, settings.target)
        elif rewards.any():
            mean = rewards @ points / rewards.sum()
            deviation = np.sqrt(rewards @ (points - mean) ** 2 / rewards.sum())
            now = _moved(settings, now, (mean, np.maximum(deviation, LEAST)), points, rewards, 0.0)
    return now


def _moved(
    settings: Settings, now: Gaussian, goal: Gaussian, points: Points, rewards: Points, least: float
) -> Gaussian:
    """The furthest of the way to the goal that is within trust and keeps up the expected reward."""
    for step in range(STEPS, 0, -1):
        share = step / STEPS
        new = (
            (1 - share) * now[0] + share * goal[0],
            (1 - share) * now[1] + share * goal[1],
        )
        if divergence(new, now) > settings.trust:
            continue
        weights = np.exp(np.minimum(_logs(points, new) - _logs(points, now), np.log(LARGEST)))
        if weights @ rewards / weights.sum() >= least:
            return new
    return now


def divergence(one: Gaussian, other: Gaussian) -> float:
    """The KL divergence of the one from the other."""
    ratio = (one[1] / other[1]) ** 2
    apart = ((one[0] - other[0]) / other[1]) ** 2
    return float(0.5 * (ratio + apart - 1 - np.log(ratio)).sum())


def _logs(points: Points, of: Gaussian) -> Points:
    logs: Points = -(((points - of[0]) / of[1]) ** 2 / 2 + np.log(of[1])).sum(1)
    return logs


TEACHER = Teacher(self_paced, Settings, kept=None)
