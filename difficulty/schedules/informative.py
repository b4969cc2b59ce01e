"""Highest probability of a mixed group first."""

import numpy as np
import numpy.typing as npt

from puzzlemill.difficulty.schedules import Columns


def informative(items: Columns) -> npt.NDArray[np.intp]:
    return np.lexsort((items.ties, items.level, -np.nan_to_num(items.informs)))


SCHEDULE = informative
