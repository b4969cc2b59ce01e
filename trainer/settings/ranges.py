"""Ranges and types that several tables of [train] share."""

from typing import Annotated

from puzzlemill.core.settings import Range

Temperature = Annotated[float, Range(0.01, 10, "temperature")]  # at which replies differ
GroupSize = Annotated[int, Range(2, 65_536, "group")]
SMALLEST, LARGEST = 1e-12, 1e9  # of what must be above 0, and of what may be anything above
