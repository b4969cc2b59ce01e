"""Linear: down to 0 in a line."""

from puzzlemill.trainer.learning_rates import RateSchedule


def share(done: float) -> float:
    return 1 - done


SCHEDULE: RateSchedule = share
