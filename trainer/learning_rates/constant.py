"""Constant: the same at every step."""

from puzzlemill.trainer.learning_rates import RateSchedule


def share(done: float) -> float:
    return 1.0


SCHEDULE: RateSchedule = share
