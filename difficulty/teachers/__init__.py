"""Teachers: where in a space of knobs to sample next, by the outcomes of earlier trials.

A file here is a teacher, and so is an entry point of the group puzzlemill.teachers: its module sets
TEACHER, a pure function of the trials so far: a run that resumes with them gets the same proposals.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core.choices import Choices

Points: TypeAlias = NDArray[np.float64]  # rows in the unit cube
Trial: TypeAlias = tuple[tuple[float, ...], float]  # a point, and the share of replies right there
# From the trials so far, the number of dimensions, how many points, and a source of randomness.
Teacher: TypeAlias = Callable[[Sequence[Trial], int, int, np.random.Generator], Points]

TEACHERS = Choices("teacher", __name__, "TEACHER", "puzzlemill.teachers")
