"""What bandits over cells share: drawing cells by weight."""

from math import exp
from random import Random
from typing import TypeVar

from puzzlemill.difficulty.curricula import Cell, Pool, State, from_cells

K = TypeVar("K")


def drawn(
    pool: Pool, state: State, count: int, weights: dict[Cell, float], source: Random
) -> tuple[list[int], State]:
    cells = source.choices(list(weights), list(weights.values()), k=count)
    return from_cells(pool, state, cells)


def softmax(values: dict[K, float], heat: float, floor: float) -> dict[K, float]:
    """Shares by value; none below its part of the floor, so that nothing is given up for good."""
    most = max(values.values())
    raised = {key: exp((value - most) / heat) for key, value in values.items()}
    total = sum(raised.values())
    return {key: (1 - floor) * value / total + floor / len(values) for key, value in raised.items()}
