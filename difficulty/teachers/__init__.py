"""Teachers: where in a space of knobs to look next, by what came of looking before.

A file here is a teacher, and its name is the name of its function. A teacher is a pure function of
the trials so far: whoever keeps these can stop and go on, and gets the same proposals.
"""

import pkgutil
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core.errors import unknown

Points: TypeAlias = NDArray[np.float64]  # rows in the unit cube
Trial: TypeAlias = tuple[tuple[float, ...], float]  # a point, and the share of replies right there
# From the trials so far, the dimensions, how many points are wanted, and what is drawn from.
Teacher: TypeAlias = Callable[[Sequence[Trial], int, int, np.random.Generator], Points]


def names() -> list[str]:
    return sorted(each.name for each in pkgutil.iter_modules(__path__))


def teacher(name: str) -> Teacher:
    if name not in names():
        raise unknown("teacher", name, names())
    found: Teacher = getattr(import_module(f"{__name__}.{name}"), name)
    return found
