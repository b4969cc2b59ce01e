"""What bandits over cells share: drawing cells by weight."""

from math import exp
from random import Random

from puzzlemill.difficulty.curricula import Cell, Pool, State, from_cells


def drawn(
    pool: Pool, state: State, count: int, weights: dict[Cell, float], source: Random
) -> tuple[list[int], State]:
    cells = source.choices(list(weights), list(weights.values()), k=count)
    return from_cells(pool, state, cells)


def softmax(values: dict[Cell, float], heat: float, floor: float) -> dict[Cell, float]:
    """Shares by value; none below its part of the floor, so that nothing is given up for good."""
    most = max(values.values())
    raised = {cell: exp((value - most) / heat) for cell, value in values.items()}
    total = sum(raised.values())
    return {
        cell: (1 - floor) * value / total + floor / len(values) for cell, value in raised.items()
    }
