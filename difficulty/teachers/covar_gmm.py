"""Covar-GMM: sample where rewards rise with time, by a Gaussian mixture.

A mixture is fitted to points, times and rewards together. A component's interest is the covariance
of time and reward in it, if that is above 0; some trials are uniform.
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


def covar_gmm(
    settings: Settings,
    trials: Sequence[Trial],
    dimensions: int,
    count: int,
    source: np.random.Generator,
) -> Points:
    anywhere = source.random((count, dimensions))
    if len(trials) < settings.first:
        return anywhere
    recent = trials[-settings.window :]
    times = np.linspace(0, 1, len(recent))
    rows = np.column_stack(
        [[point for point, _ in recent], times, [reward for _, reward in recent]]
    )
    mixture = best_mixture(rows, settings.components, source)
    interest = np.maximum(mixture.covariances_KDD[:, -2, -1], 0)
    if interest.sum() < 1e-9:
        return anywhere
    drawn = sampled(mixture, interest, dimensions, count, source)
    return np.where(source.random((count, 1)) < settings.anywhere, anywhere, drawn)


TEACHER = Teacher(covar_gmm, Settings)
