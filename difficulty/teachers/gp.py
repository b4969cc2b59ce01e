"""A Gaussian process over the knobs: sample where a group of replies is likeliest to be mixed.

The process gives the mean and covariance of the pass rate at every point. Each proposal samples one
function from its posterior and takes the point where that is nearest to one half (Thompson
sampling), so that uncertain points are explored. Where pass rates fall off a cliff, it lingers
there: ALP-GMM does not.
"""

from collections.abc import Sequence

import numpy as np

from puzzlemill.difficulty.teachers import Points, Trial

RECENT = 200  # trials in the fit
LENGTH_SCALE = 0.2  # of the RBF kernel
NOISE = 0.1  # variance of a trial's reward around the pass rate
VARIANCE = 0.15  # of pass rates over the space
CANDIDATES = 100  # points that are compared


def gp(trials: Sequence[Trial], dimensions: int, count: int, source: np.random.Generator) -> Points:
    if not trials:
        return source.random((count, dimensions))
    points = np.array([point for point, _ in trials[-RECENT:]])
    rewards = np.array([reward for _, reward in trials[-RECENT:]]) - 0.5
    inverse = np.linalg.inv(_kernel(points, points) + NOISE * np.eye(len(points)))
    candidates = source.random((CANDIDATES, dimensions))
    across = _kernel(candidates, points)
    gain = across @ inverse
    mean = gain @ rewards
    covariance = _kernel(candidates, candidates) - gain @ across.T
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)  # symmetric but for rounding
    noise = source.standard_normal((CANDIDATES, count))
    functions = mean[:, None] + vectors @ (np.sqrt(np.maximum(values, 0))[:, None] * noise)
    nearest: Points = candidates[np.abs(functions).argmin(0)]
    return nearest


def _kernel(ones: Points, others: Points) -> Points:
    apart = ((ones[:, None] - others[None]) ** 2).sum(2)
    kernel: Points = VARIANCE * np.exp(-0.5 * apart / LENGTH_SCALE**2)
    return kernel


TEACHER = gp
