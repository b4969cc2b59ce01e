"""A Gaussian process over the knobs: look where a group of replies is likeliest to be mixed.

The process tells at every point what share of replies to expect and how sure that is. Each proposal
draws one course from it and goes where that course comes nearest to one half (Thompson's way), so
that what is unknown is looked at for as long as it may be the best. Where what can be learned ends
at a cliff, it lingers there: ALP-GMM does not.
"""

from collections.abc import Sequence

import numpy as np

from puzzlemill.difficulty.teachers import Points, Trial

RECENT = 200  # trials that are looked at
REACH = 0.2  # how far apart points tell of one another
NOISE = 0.1  # the variance of a trial's reward around the share that holds there
SPREAD = 0.15  # the variance of shares over the space
TRIED = 100  # points that are compared


def gp(trials: Sequence[Trial], dimensions: int, count: int, source: np.random.Generator) -> Points:
    if not trials:
        return source.random((count, dimensions))
    points = np.array([point for point, _ in trials[-RECENT:]])
    rewards = np.array([reward for _, reward in trials[-RECENT:]]) - 0.5
    inverse = np.linalg.inv(_alike(points, points) + NOISE * np.eye(len(points)))
    tried = source.random((TRIED, dimensions))
    across = _alike(tried, points)
    told = across @ inverse
    mean, spread = told @ rewards, _alike(tried, tried) - told @ across.T
    values, vectors = np.linalg.eigh((spread + spread.T) / 2)
    noise = source.standard_normal((TRIED, count))
    courses = mean[:, None] + vectors @ (np.sqrt(np.maximum(values, 0))[:, None] * noise)
    nearest: Points = tried[np.abs(courses).argmin(0)]
    return nearest


def _alike(ones: Points, others: Points) -> Points:
    apart = ((ones[:, None] - others[None]) ** 2).sum(2)
    found: Points = SPREAD * np.exp(-0.5 * apart / REACH**2)
    return found


TEACHER = gp
