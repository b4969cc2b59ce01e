"""A window that slides over the ranks as the policy gets better (GAIN-RL).

Items are sampled by a Gaussian around a rank, which moves on when more than the target's share of
replies is right, and back when less is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, tanh
from random import Random
from statistics import fmean
from typing import Annotated

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.curricula import (
    Curriculum,
    Outcome,
    Pool,
    State,
    adjustable,
    sample_distinct,
)


@dataclass(frozen=True, slots=True)
class Settings:
    # The standard deviation of the window, as a share of all ranks.
    width: Annotated[float, Range(1e-3, 10)] = 0.12
    # The largest move after a step, as a share of all ranks.
    stride: Annotated[float, Range(0, 1)] = 0.06
    # The share of right replies at which the window stays where it is.
    target: Annotated[float, Range(0, 1)] = 0.5


def start(pool: Pool) -> State:
    return {"middle": 0.0}


def pick(
    settings: Settings, pool: Pool, state: State, count: int, progress: float, rng: Random
) -> tuple[list[int], State]:
    size = len(pool)
    weights = [
        exp(-0.5 * ((place / size - state["middle"]) / settings.width) ** 2) + 1e-9
        for place in range(size)
    ]
    return sample_distinct(weights, count, rng), state


def update(settings: Settings, pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    right = fmean(each.mean for each in outcomes)
    middle = state["middle"] + settings.stride * tanh(2 * (right - settings.target))
    return {"middle": min(max(middle, 0.0), 1.0)}


def curriculum(settings: Settings) -> Curriculum:
    return Curriculum(partial(pick, settings), start, partial(update, settings))


CURRICULUM = adjustable(Settings, curriculum)
