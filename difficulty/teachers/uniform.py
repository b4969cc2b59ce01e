"""The baseline: points sampled uniformly."""

from collections.abc import Sequence

import numpy as np

from puzzlemill.difficulty.teachers import Points, Trial


def uniform(
    trials: Sequence[Trial], dimensions: int, count: int, source: np.random.Generator
) -> Points:
    return source.random((count, dimensions))


TEACHER = uniform
