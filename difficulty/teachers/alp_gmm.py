"""ALP-GMM: sample where absolute learning progress is high, by a Gaussian mixture.

The progress at a trial is the absolute difference between its reward and that of the nearest
earlier one: forgetting counts as well. A mixture is fitted to points and progress together, and its
components are sampled by their mean progress; some trials are uniform.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.teachers import Points, Teacher, TeacherSettings, Trial
from puzzlemill.difficulty.teachers._mixture import best_mixture, sampled


@dataclass(frozen=True, slots=True)
class Settings(TeacherSettings):
    anywhere: Annotated[float, Range(0, 1)] = 0.2  # the share of trials that are sampled uniformly
    first: Annotated[int, Range(4, 100_000)] = 60  # trials before the first fit
    window: Annotated[int, Range(4, 400)] = 250  # trials in a fit
    components: Annotated[int, Range(2, 100)] = 10  # of the mixture, at most


def alp_gmm(
    settings: Settings,
    trials: Sequence[Trial],
    dimensions: int,
    count: int,
    source: np.random.Generator,
) -> Points:
    anywhere = source.random((count, dimensions))
    if len(trials) < settings.first:
        return anywhere
    recent = progress(trials)[-settings.window :]
    if not recent[:, -1].any():
        return anywhere
    mixture = best_mixture(recent, settings.components, source)
    interest = np.maximum(mixture.means_KD[:, -1], 0)
    drawn = sampled(mixture, interest, dimensions, count, source)
    return np.where(source.random((count, 1)) < settings.anywhere, anywhere, drawn)


def progress(trials: Sequence[Trial]) -> Points:
    """A row a trial: its point, and how far its reward is from that of the nearest before it."""
    points = np.array([point for point, _ in trials])
    rewards = np.array([reward for _, reward in trials])
    apart = ((points[:, None] - points[None]) ** 2).sum(2)
    apart[np.triu_indices(len(points))] = np.inf  # only those before it
    # Of those equally near, the latest.
    nearest = len(points) - 1 - apart[:, ::-1].argmin(1)
    change = np.abs(rewards - rewards[nearest])
    change[0] = 0.0
    return np.column_stack([points, change])


TEACHER = Teacher(alp_gmm, Settings)
