"""A window that slides over the ranks as the policy gets better (GAIN-RL).

Items are sampled by a Gaussian around a rank, which moves on when more than half of the replies are
right, and back when fewer are.
"""

from collections.abc import Sequence
from math import exp, tanh
from random import Random
from statistics import fmean

from puzzlemill.difficulty.curricula import Curriculum, Outcome, Pool, State, sample_distinct

WIDTH = 0.12  # standard deviation, as a share of all ranks
STRIDE = 0.06  # the largest move, as a share of all ranks
AIM = 0.5


def start(pool: Pool) -> State:
    return {"middle": 0.0}


def pick(
    pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    size = len(pool)
    weights = [
        exp(-0.5 * ((place / size - state["middle"]) / WIDTH) ** 2) + 1e-9 for place in range(size)
    ]
    return sample_distinct(weights, count, rng), state


def update(pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    right = fmean(each.mean for each in outcomes)
    middle = state["middle"] + STRIDE * tanh(2 * (right - AIM))
    return {"middle": min(max(middle, 0.0), 1.0)}


CURRICULUM = Curriculum(pick, start, update)
