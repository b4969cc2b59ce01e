"""Four tiers of tasks by the share of their items that a policy solves (G1)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from puzzlemill.difficulty.knob_model import Floats

TIERS = ("easy", "medium", "hard", "challenging")
# Halfway between the mean accuracies that the paper's 7B base model has in its tiers: 0.57, 0.43,
# 0.19 and 0.03.
CUTS = (0.5, 0.31, 0.11)


def tier_of(rate: float) -> str:
    return TIERS[sum(rate < cut for cut in CUTS)]


def task_rates(families: Sequence[str] | npt.NDArray[Any], means: Floats) -> Floats:
    """For each item the mean pass rate of the scored items of its family; NaN if there is none."""
    if not len(families):
        return np.array([], float)
    _, places = np.unique(families, return_inverse=True)
    scored = ~np.isnan(means)
    totals = np.bincount(places, np.where(scored, means, 0.0))
    counts = np.bincount(places, scored.astype(float))
    rates: Floats = np.divide(totals, counts, out=np.full(len(totals), np.nan), where=counts > 0)
    return rates[places]
