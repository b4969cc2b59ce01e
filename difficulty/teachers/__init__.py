"""Teachers: where in a space of knobs to sample next, by the outcomes of earlier trials.

A file here is a teacher, and so is an entry point of the group puzzlemill.teachers: its module sets
TEACHER. It proposes by a pure function of the trials so far: a run that resumes with them gets the
same proposals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core.choices import Choices

Points: TypeAlias = NDArray[np.float64]  # rows in the unit cube
Trial: TypeAlias = tuple[tuple[float, ...], float]  # a point, and the share of replies right there


@dataclass(frozen=True, slots=True)
class TeacherSettings:
    """What every teacher is told; those with constants extend it."""

    # What a family's space is made of: its level alone, or each of its numeric knobs, from the
    # ladder's first rung to its last.
    axes: Literal["level", "knobs"] = "level"


@dataclass(frozen=True, slots=True)
class Teacher:
    """What a teacher's file sets."""

    # From settings, the trials so far, the number of dimensions, how many points, and a source of
    # randomness.
    propose: Callable[[Any, Sequence[Trial], int, int, np.random.Generator], Points]
    settings: type[TeacherSettings] = TeacherSettings  # fields with defaults
    kept: int | None = 400  # of a family's latest trials, that it needs; None: all


TEACHERS = Choices("teacher", __name__, "TEACHER", "puzzlemill.teachers")
