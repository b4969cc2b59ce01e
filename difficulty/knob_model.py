"""Pass rate as a function of the level: what the scores of some items tell about unseen ones.

For each family a logistic curve in the level, fitted by Newton's method to all replies so far, with
a weak prior that the curve falls. It is enough to aim regeneration at a band of pass rates.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

PRIOR_MEAN = (3.0, -6.0)  # from 0.95 at level 0 to 0.05 at level 1
PRIOR_PRECISION = (0.05, 0.05)  # about as much as a reply or two


@dataclass(frozen=True, slots=True)
class Curve:
    """logit(pass rate) = start + slope * level."""

    start: float
    slope: float

    def at(self, level: float) -> float:
        logit = self.start + self.slope * level
        return 1 / (1 + exp(-max(-50.0, min(50.0, logit))))

    def level_for(self, rate: float) -> float:
        """The level, within 0..1, whose pass rate comes nearest to `rate`."""
        levels = np.linspace(0, 1, 201)
        return float(min(levels, key=lambda level: (abs(self.at(level) - rate), level)))


def fit(rows: Iterable[Mapping[str, Any]]) -> dict[str, Curve]:
    """A curve for each family among scored rows."""
    groups: dict[str, list[tuple[float, int, int]]] = {}
    for row in rows:
        if row["trials"]:
            score = (row["level"], row["trials"], row["successes"])
            groups.setdefault(row["family"], []).append(score)
    return {family: _newton(np.array(scores, float)) for family, scores in sorted(groups.items())}


def _newton(scores: "np.ndarray[Any, np.dtype[np.float64]]") -> Curve:
    levels, trials, successes = scores.T
    inputs = np.stack([np.ones_like(levels), levels], axis=1)
    precision, mean = np.diag(PRIOR_PRECISION), np.array(PRIOR_MEAN)
    weights = mean.copy()
    for _ in range(50):
        rates = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        gradient = inputs.T @ (successes - trials * rates) - precision @ (weights - mean)
        curvature = (inputs * (trials * rates * (1 - rates))[:, None]).T @ inputs + precision
        step = np.linalg.solve(curvature, gradient)
        weights += step * min(1.0, 3.0 / max(np.abs(step).max(), 1e-9))  # far steps overshoot
        if np.abs(step).max() < 1e-8:
            break
    return Curve(float(weights[0]), float(weights[1]))
