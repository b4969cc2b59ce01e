"""Posteriors of pass rates: mean, credible interval, and whether the item teaches."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, log

import numpy as np
from numpy.typing import NDArray

from puzzlemill.difficulty.knob_model import LOGITS, RATES, Floats

JEFFREYS = 0.5  # both parameters of the Beta prior
MASS = 0.9  # of a credible interval
ENDS = 0.01  # an interval's end this near to 0 or 1 is reported as 0 or 1


@dataclass(frozen=True, slots=True)
class Posterior:
    """The posterior of one item's pass rate under one policy, in a few numbers."""

    trials: int
    successes: int
    mean: float
    low: float
    high: float
    within: float  # the probability that the rate lies in the band that teaches
    informs: float  # the probability that a group of replies is neither all right nor all wrong


def summaries(
    tallies: Sequence[tuple[int, int]], densities: Floats, band: tuple[float, float], group: int
) -> list[Posterior]:
    """From (trials, successes) and the posterior density of each item over the grid of rates."""
    means, within = densities @ RATES, densities[:, inside(band)].sum(1)
    informs = densities @ (1 - RATES**group - (1 - RATES) ** group)
    lows, highs = (quantiles(densities, mass) for mass in ((1 - MASS) / 2, (1 + MASS) / 2))
    # Rounded: the last digits depend on the machine.
    columns = np.stack([means, lows, highs, within, informs], axis=1).round(6).tolist()
    return [Posterior(*tally, *column) for tally, column in zip(tallies, columns, strict=True)]


def inside(band: tuple[float, float]) -> NDArray[np.bool_]:
    """Which rates of the grid lie in a band."""
    return (band[0] < RATES) & (band[1] > RATES)


def quantiles(densities: Floats, mass: float) -> Floats:
    """The rates below which this much of each density lies."""
    half = (LOGITS[1] - LOGITS[0]) / 2
    edges = np.append(LOGITS - half, LOGITS[-1] + half)
    cumulative = np.concatenate([np.zeros((len(densities), 1)), densities.cumsum(1)], axis=1)
    logits = np.array([np.interp(mass, row, edges) for row in cumulative])
    rates: Floats = 1 / (1 + np.exp(-logits))
    rates[rates < ENDS] = 0.0
    rates[rates > 1 - ENDS] = 1.0
    return rates


def jeffreys(trials: float, successes: float) -> tuple[float, float]:
    """The credible interval of a rate by its own replies alone, under the Jeffreys prior."""
    a, b = successes + JEFFREYS, trials - successes + JEFFREYS
    return beta_quantile((1 - MASS) / 2, a, b), beta_quantile((1 + MASS) / 2, a, b)


@lru_cache(maxsize=4096)
def beta_quantile(mass: float, a: float, b: float) -> float:
    """The point below which a Beta(a, b) variable falls with the given probability."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if beta_cdf(middle, a, b) < mass else (low, middle)
    return (low + high) / 2


def beta_cdf(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by Lentz's continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side only
        return 1 - beta_cdf(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    tiny = 1e-300
    total, c, d = 1.0, 1.0, 0.0
    for step in range(400):
        half = step // 2
        if step == 0:
            term = 1.0
        elif step % 2:
            term = -((a + half) * (a + b + half) * x) / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        d = 1 / _away_from_zero(1 + term * d, tiny)
        c = _away_from_zero(1 + term / c, tiny)
        total *= c * d
        if step and abs(c * d - 1) < 1e-12:
            break
    return front * (total - 1)


def _away_from_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
