"""ALP-GMM: look where absolute learning progress is, as a mixture of Gaussians tells it.

The progress at a trial is how far its reward lies from that of the nearest earlier one, up or down:
a student that forgets is taught again. Gaussians are fitted to points and progress together, and
those where progress is high are drawn from; some trials are made anywhere.
"""

from collections.abc import Sequence

import numpy as np

from puzzlemill.difficulty.teachers import Points, Trial

ANYWHERE = 0.2  # the share of trials made at random
FIRST = 60  # trials before anything is fitted
RECENT = 250  # trials that the fit looks at
MOST = 5  # Gaussians
ROUNDS = 15  # of a fit
LEAST = 1e-3  # of a variance


def alp_gmm(
    trials: Sequence[Trial], dimensions: int, count: int, source: np.random.Generator
) -> Points:
    anywhere = source.random((count, dimensions))
    if len(trials) < FIRST:
        return anywhere
    recent = progress(trials)[-RECENT:]
    if not recent[:, -1].any():
        return anywhere
    weights, means, variances = max(
        (_fitted(recent, parts, source) for parts in range(2, MOST + 1)),
        key=lambda fit: _score(recent, *fit),
    )
    promise = weights * np.maximum(means[:, -1], 0)
    chosen = source.choice(len(means), count, p=promise / promise.sum())
    drawn = source.normal(means[chosen, :-1], np.sqrt(variances[chosen, :-1]))
    inside = drawn.clip(0, 1)
    return np.where(source.random((count, 1)) < ANYWHERE, anywhere, inside)


def progress(trials: Sequence[Trial]) -> Points:
    """A row a trial: its point, and how far its reward is from that of the nearest before it."""
    points = np.array([point for point, _ in trials])
    rewards = np.array([reward for _, reward in trials])
    found = np.zeros(len(points))
    for place in range(max(1, len(points) - RECENT), len(points)):
        # Of those equally near, the latest.
        apart = ((points[:place] - points[place]) ** 2).sum(1)[::-1]
        found[place] = abs(rewards[place] - rewards[place - 1 - apart.argmin()])
    return np.column_stack([points, found])


def _fitted(rows: Points, parts: int, source: np.random.Generator) -> tuple[Points, Points, Points]:
    """Weights, means and variances, by expectation and maximisation; variances along the axes."""
    means = rows[source.choice(len(rows), parts, replace=False)]
    variances = np.tile(rows.var(0) + LEAST, (parts, 1))
    weights = np.full(parts, 1 / parts)
    for _ in range(ROUNDS):
        logs = _logs(rows, weights, means, variances)
        shares = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
        total = shares.sum(0) + 1e-9
        weights = total / total.sum()
        means = (shares.T @ rows) / total[:, None]
        variances = (shares.T @ rows**2) / total[:, None] - means**2
        variances = np.maximum(variances, 0) + LEAST
    return weights, means, variances


def _logs(rows: Points, weights: Points, means: Points, variances: Points) -> Points:
    apart = (rows[:, None] - means[None]) ** 2 / variances[None]
    found: Points = np.log(weights) - 0.5 * (apart + np.log(2 * np.pi * variances)[None]).sum(2)
    return found


def _score(rows: Points, weights: Points, means: Points, variances: Points) -> float:
    """Akaike's criterion, turned round: fit, less what each Gaussian costs."""
    likely = np.logaddexp.reduce(_logs(rows, weights, means, variances), axis=1).sum()
    return float(likely) - (means.size + variances.size + len(weights))


TEACHER = alp_gmm
