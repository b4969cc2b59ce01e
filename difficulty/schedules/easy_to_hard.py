"""Highest pass rate first; ties by the level."""

import numpy as np
import numpy.typing as npt

from puzzlemill.difficulty.schedules import Columns


def easy_to_hard(items: Columns) -> npt.NDArray[np.intp]:
    return np.lexsort((items.ties, items.level, -np.nan_to_num(items.mean)))


SCHEDULE = easy_to_hard
