"""A Gaussian process over the knobs: sample where a group of replies is likeliest to be mixed.

The process gives the mean and covariance of the pass rate at every point. Each proposal samples one
function from its posterior and takes the point where that is nearest to the target (Thompson
sampling), so that uncertain points are explored. Where pass rates fall off a cliff, it lingers
there: ALP-GMM does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.teachers import Points, Teacher, TeacherSettings, Trial

VARIANCE = 0.15  # of pass rates over the space
CANDIDATES = 100  # points that are compared


@dataclass(frozen=True, slots=True)
class Settings(TeacherSettings):
    target: Annotated[float, Range(0, 1)] = 0.5  # the pass rate that is looked for
    window: Annotated[int, Range(1, 400)] = 200  # trials in the fit
    length: Annotated[float, Range(1e-3, 1000)] = 0.2  # of the RBF kernel
    # The variance of a trial's reward around the pass rate.
    noise: Annotated[float, Range(1e-6, 1)] = 0.1


def gp(
    settings: Settings,
    trials: Sequence[Trial],
    dimensions: int,
    count: int,
    source: np.random.Generator,
) -> Points:
    if not trials:
        return source.random((count, dimensions))
    points = np.array([point for point, _ in trials[-settings.window :]])
    rewards = np.array([reward for _, reward in trials[-settings.window :]]) - settings.target
    inverse = np.linalg.inv(
        _kernel(settings, points, points) + settings.noise * np.eye(len(points))
    )
    candidates = source.random((CANDIDATES, dimensions))
    across = _kernel(settings, candidates, points)
    gain = across @ inverse
    mean = gain @ rewards
    covariance = _kernel(settings, candidates, candidates) - gain @ across.T
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)  # symmetric but for rounding
    noise = source.standard_normal((CANDIDATES, count))
    functions = mean[:, None] + vectors @ (np.sqrt(np.maximum(values, 0))[:, None] * noise)
    nearest: Points = candidates[np.abs(functions).argmin(0)]
    return nearest


def _kernel(settings: Settings, ones: Points, others: Points) -> Points:
    apart = ((ones[:, None] - others[None]) ** 2).sum(2)
    kernel: Points = VARIANCE * np.exp(-0.5 * apart / settings.length**2)
    return kernel


TEACHER = Teacher(gp, Settings)
