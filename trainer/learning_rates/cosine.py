"""Cosine: down to 0 in half a wave, slowly at either end."""

from math import cos, pi

from puzzlemill.trainer.learning_rates import RateSchedule


def share(done: float) -> float:
    return (1 + cos(pi * done)) / 2


SCHEDULE: RateSchedule = share
