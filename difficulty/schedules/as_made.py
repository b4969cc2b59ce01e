"""In the order in which items were generated."""

import numpy as np
import numpy.typing as npt

from puzzlemill.difficulty.schedules import Columns


def as_made(items: Columns) -> npt.NDArray[np.intp]:
    return np.arange(len(items.level))


SCHEDULE = as_made
