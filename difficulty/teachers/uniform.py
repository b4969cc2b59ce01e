"""The baseline: points sampled uniformly."""

from collections.abc import Sequence

import numpy as np

from puzzlemill.difficulty.teachers import Points, Teacher, TeacherSettings, Trial


def uniform(
    settings: TeacherSettings,
    trials: Sequence[Trial],
    dimensions: int,
    count: int,
    source: np.random.Generator,
) -> Points:
    return source.random((count, dimensions))


TEACHER = Teacher(uniform)
