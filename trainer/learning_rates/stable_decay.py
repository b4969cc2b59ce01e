"""Warmup–stable–decay (WSD): constant, then down to 0 in a line over the last fifth."""

from puzzlemill.trainer.learning_rates import RateSchedule

DECAY = 0.2  # share of the steps


def share(done: float) -> float:
    return min(1.0, (1 - done) / DECAY)


SCHEDULE: RateSchedule = share
