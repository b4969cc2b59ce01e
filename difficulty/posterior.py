"""What some replies tell of a pass rate: the Beta posterior, its mean and interval."""

from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, log

PRIOR = 0.5  # Jeffreys: both parameters of the Beta prior
MASS = 0.9  # of the interval


@dataclass(frozen=True, slots=True)
class Belief:
    """What is known of one item's pass rate under one policy."""

    trials: int
    successes: int

    @property
    def mean(self) -> float:
        return (self.successes + PRIOR) / (self.trials + 2 * PRIOR)

    @property
    def low(self) -> float:
        return self._bound((1 - MASS) / 2)

    @property
    def high(self) -> float:
        return self._bound((1 + MASS) / 2)

    @property
    def mixed(self) -> bool:
        """Whether both outcomes have been seen."""
        return 0 < self.successes < self.trials

    def _bound(self, mass: float) -> float:
        return quantile(mass, self.successes + PRIOR, self.trials - self.successes + PRIOR)

    def with_more(self, trials: int, successes: int) -> "Belief":
        return Belief(self.trials + trials, self.successes + successes)


@lru_cache(maxsize=4096)
def quantile(mass: float, a: float, b: float) -> float:
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
