"""ALP-GMM: sample where absolute learning progress is high, by a Gaussian mixture.

The progress at a trial is the absolute difference between its reward and that of the nearest
earlier one: forgetting counts as well. A mixture is fitted to points and progress together, and its
components are sampled by their mean progress; some trials are uniform.
"""

from collections.abc import Sequence

import numpy as np

from puzzlemill.difficulty.teachers import Points, Trial

UNIFORM = 0.2  # the share of trials that are sampled uniformly
FIRST = 60  # trials before the first fit
RECENT = 250  # trials in a fit
COMPONENTS = 5  # of the mixture, at most
ROUNDS = 15  # of EM
FLOOR = 1e-3  # of a variance


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
        (_fitted(recent, parts, source) for parts in range(2, COMPONENTS + 1)),
        key=lambda fit: _criterion(recent, *fit),
    )
    promise = weights * np.maximum(means[:, -1], 0)
    chosen = source.choice(len(means), count, p=promise / promise.sum())
    drawn = source.normal(means[chosen, :-1], np.sqrt(variances[chosen, :-1]))
    inside = drawn.clip(0, 1)
    return np.where(source.random((count, 1)) < UNIFORM, anywhere, inside)


def progress(trials: Sequence[Trial]) -> Points:
    """A row a trial: its point, and how far its reward is from that of the nearest before it."""
    points = np.array([point for point, _ in trials])
    rewards = np.array([reward for _, reward in trials])
    change = np.zeros(len(points))
    for place in range(max(1, len(points) - RECENT), len(points)):
        # Of those equally near, the latest.
        apart = ((points[:place] - points[place]) ** 2).sum(1)[::-1]
        change[place] = abs(rewards[place] - rewards[place - 1 - apart.argmin()])
    return np.column_stack([points, change])


def _fitted(rows: Points, parts: int, source: np.random.Generator) -> tuple[Points, Points, Points]:
    """Weights, means and diagonal covariances, by expectation maximisation."""
    means = rows[source.choice(len(rows), parts, replace=False)]
    variances = np.tile(rows.var(0) + FLOOR, (parts, 1))
    weights = np.full(parts, 1 / parts)
    for _ in range(ROUNDS):
        logs = _logs(rows, weights, means, variances)
        responsibilities = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
        total = responsibilities.sum(0) + 1e-9
        weights = total / total.sum()
        means = (responsibilities.T @ rows) / total[:, None]
        variances = (responsibilities.T @ rows**2) / total[:, None] - means**2
        variances = np.maximum(variances, 0) + FLOOR
    return weights, means, variances


def _logs(rows: Points, weights: Points, means: Points, variances: Points) -> Points:
    apart = (rows[:, None] - means[None]) ** 2 / variances[None]
    logs: Points = np.log(weights) - 0.5 * (apart + np.log(2 * np.pi * variances)[None]).sum(2)
    return logs


def _criterion(rows: Points, weights: Points, means: Points, variances: Points) -> float:
    """Akaike's information criterion with its sign turned: higher is better."""
    log_likelihood = np.logaddexp.reduce(_logs(rows, weights, means, variances), axis=1).sum()
    return float(log_likelihood) - (means.size + variances.size + len(weights))


TEACHER = alp_gmm
