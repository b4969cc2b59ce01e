"""Schedules: orders over items, the same for a build, an export and the trainer.

A file here is a schedule, and so is an entry point of the group puzzlemill.schedules: its module
sets SCHEDULE, a function from columns of items to their places in order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:  # a recipe names a schedule without numpy
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Columns:
    """The numbers of each item; NaN where one is unknown."""

    mean: "npt.NDArray[np.float64]"  # the pass rate
    informs: "npt.NDArray[np.float64]"  # the chance that a group of replies is mixed
    signal: "npt.NDArray[np.float64]"  # what was read off the model before any reply
    searched: "npt.NDArray[np.float64]"  # iterations of the search; 0: it found no answer
    level: "npt.NDArray[np.float64]"
    task: "npt.NDArray[np.float64]"  # the mean pass rate of all scored items of the family
    ties: "npt.NDArray[np.uint64]"  # the uid's digest: breaks ties


Schedule: TypeAlias = "Callable[[Columns], npt.NDArray[np.intp]]"

SCHEDULES = Choices("schedule", __name__, "SCHEDULE", "puzzlemill.schedules")
