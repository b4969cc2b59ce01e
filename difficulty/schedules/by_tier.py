"""The easiest of G1's four tiers of tasks first, by measured pass rates; in a tier by the level."""

import numpy as np
import numpy.typing as npt

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.schedules import Columns
from puzzlemill.difficulty.tiers import CUTS


def by_tier(items: Columns) -> npt.NDArray[np.intp]:
    """Tasks of which nothing was scored come last."""
    if len(items.task) and np.isnan(items.task).all():
        raise UserError(
            '[order] schedule = "by_tier": no item was scored: set a [policy] that replies, or'
            " another schedule"
        )
    tier = np.sum([items.task < cut for cut in CUTS], axis=0)
    tier = np.where(np.isnan(items.task), len(CUTS) + 1, tier)
    return np.lexsort((items.ties, items.level, tier))


SCHEDULE = by_tier
