"""A window that slides over the ranks as the policy gets better (GAIN-RL).

Items are drawn by a bell around a rank. It moves on when more than half of the replies are right,
and back when fewer are.
"""

from collections.abc import Sequence
from math import exp, tanh
from random import Random
from statistics import fmean

from puzzlemill.difficulty.curricula import Curriculum, Pool, Seen, State, drawn_apart

WIDE = 0.12  # of the bell, of all ranks
STRIDE = 0.06  # of all ranks, that it moves at most
AIM = 0.5


def start(pool: Pool) -> State:
    return {"middle": 0.0}


def pick(
    pool: Pool, state: State, count: int, done: float, source: Random
) -> tuple[list[int], State]:
    size = len(pool)
    weights = [
        exp(-0.5 * ((place / size - state["middle"]) / WIDE) ** 2) + 1e-9 for place in range(size)
    ]
    return drawn_apart(weights, count, source), state


def told(pool: Pool, state: State, seen: Sequence[Seen]) -> State:
    right = fmean(each.mean for each in seen)
    middle = state["middle"] + STRIDE * tanh(2 * (right - AIM))
    return {"middle": min(max(middle, 0.0), 1.0)}


CURRICULUM = Curriculum(pick, start, told)
