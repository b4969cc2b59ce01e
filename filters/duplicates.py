"""Finds items that are the same puzzle: equal canonical forms, the first one stands.

It needs all rows, so it works in two passes: over keys to find the duplicates, then shard by shard.
"""

import numpy as np
import numpy.typing as npt

from puzzlemill.filters import Rule

Numbers = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.int64]


def later_copies(canons: Numbers) -> tuple[Indices, Indices]:
    """The places of all that was there before, and of each the place where it was first."""
    order = np.argsort(canons, kind="stable")
    same = np.zeros(len(order), bool)
    same[1:] = canons[order[1:]] == canons[order[:-1]]
    firsts = order[~same][np.cumsum(~same) - 1]
    copies = np.argsort(order[same], kind="stable")
    return order[same][copies], firsts[same][copies]


FILTER = Rule("apart")
