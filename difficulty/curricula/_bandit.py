"""What bandits over cells share: softmax weights, and sampling cells by them."""

from math import exp
from random import Random
from typing import TypeVar

from puzzlemill.difficulty.curricula import Cell, Pool, State, next_items

K = TypeVar("K")


def sample_cells(
    pool: Pool, state: State, count: int, weights: dict[Cell, float], rng: Random
) -> tuple[list[int], State]:
    cells = rng.choices(list(weights), list(weights.values()), k=count)
    return next_items(pool, state, cells)


def softmax(values: dict[K, float], temperature: float, floor: float) -> dict[K, float]:
    """Probabilities by value. The floor is shared by all, so that no cell is abandoned for good."""
    largest = max(values.values())
    raised = {key: exp((value - largest) / temperature) for key, value in values.items()}
    total = sum(raised.values())
    return {key: (1 - floor) * value / total + floor / len(values) for key, value in raised.items()}
