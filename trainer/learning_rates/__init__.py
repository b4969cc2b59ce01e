"""Schedules of the learning rate: which share of it a step has, after the warm-up.

A file here is a choice by its name.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:
    from puzzlemill.trainer.settings import Training

# From the share of the steps after the warm-up that are done, below 1, the share of the rate.
RateSchedule: TypeAlias = Callable[[float], float]

RATE_SCHEDULES = Choices("schedule of the learning rate", __name__, "SCHEDULE")


def learning_rate(settings: "Training", step: int) -> float:
    """Of a step, by the recipe's choice; the first is step 0. The step alone decides, so that a run
    that is begun again goes on as it would have."""
    if step < settings.warmup_steps:
        return settings.learning_rate * (step + 1) / settings.warmup_steps
    chosen: RateSchedule = RATE_SCHEDULES.load(settings.learning_rate_schedule)
    done = (step - settings.warmup_steps) / max(settings.steps - settings.warmup_steps, 1)
    return settings.learning_rate * chosen(done)
