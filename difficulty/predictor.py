"""A learned predictor of pass rates: logistic regression on family, level and signal, calibrated.

Its logit can stand in the place of the signal as the covariate of the knob model.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from puzzlemill.difficulty.budget import Tally
from puzzlemill.difficulty.knob_model import Covariates, Floats, z_scores

SHRINK = 1.0  # of all weights but a family's intercept, in units of a standard deviation
SLIGHT = 0.1  # of an intercept
STEPS = 30  # of Newton's method


def covariates_by_regression(
    rows: Sequence[Mapping[str, Any]], tallies: Sequence[Tally]
) -> list[Covariates]:
    """Family and level of each row, and for its signal the regression's logit as a z-score of its
    family."""
    levels = [(row["family"], row["level"]) for row in rows]
    signals = [row["signal"] for row in rows]
    values: Sequence[float | None] = signals
    if any(trials for trials, _ in tallies) and any(each is not None for each in signals):
        values = regression_logits(levels, signals, tallies).tolist()
    scores = z_scores(levels, values)
    return [(*level, score) for level, score in zip(levels, scores, strict=True)]


def regression_logits(
    levels: Sequence[tuple[str, float]],
    signals: Sequence[float | None],
    tallies: Sequence[Tally],
) -> Floats:
    """The logit of each item's pass rate, after a line through them is fitted to the replies
    (Platt)."""
    families = [family for family, _ in levels]
    values = [level for _, level in levels]
    raw = np.array([np.nan if each is None else each for each in signals], float)
    x = design(families, np.stack([np.array(values, float), raw], axis=1))
    penalty = np.full(x.shape[1], SHRINK)
    penalty[: len(set(families))] = SLIGHT
    logits = x @ logistic(x, tallies, penalty)
    line = np.stack([np.ones(len(logits)), logits], axis=1)
    calibrated: Floats = line @ logistic(line, tallies, np.full(2, SLIGHT))
    return calibrated


def design(families: Sequence[str], features: Floats) -> Floats:
    """An intercept for each family, slopes that all share, and each family's own ones. Features are
    standardised within the family; an unknown one is the family's mean."""
    names = sorted(set(families))
    member = np.array([[family == name for name in names] for family in families], float)
    scaled = np.empty_like(features)
    for column in member.T.astype(bool):
        own = np.ma.masked_invalid(features[column])
        standard = (own - own.mean(0)) / np.maximum(own.std(0), 1e-9)
        scaled[column] = np.ma.filled(standard, 0.0)
    slopes = [member * scaled[:, [place]] for place in range(features.shape[1])]
    return np.concatenate([member, scaled, *slopes], axis=1)


def logistic(x: Floats, tallies: Sequence[Tally], penalty: Floats) -> Floats:
    """The weights of a ridge logistic regression on binomial counts, by Newton's method."""
    trials, right = np.array(tallies, float).T
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        rates = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (right - trials * rates) - penalty * weights
        curvature = (x * (trials * rates * (1 - rates))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights = weights + step
        if np.abs(step).max() < 1e-9:
            break
    return weights
