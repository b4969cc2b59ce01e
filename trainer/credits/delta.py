"""Effective RL Reward, Delta: each step earns its value less that of the next.

The rewards from a step on add up to its own value, which is 1 at most however many steps follow.
The last step is left to the score.
"""

from torch import Tensor

from puzzlemill.trainer.credits import Credit, step_credits, to_go
from puzzlemill.trainer.settings.rewards import Process
from puzzlemill.trainer.shapings import Groups, Rewards


def rewards(values: list[float]) -> list[float]:
    """Of each step, from the values after each."""
    before_last = values[:-1]
    following = [*before_last[1:], 0.0]
    differences = [value - other for value, other in zip(before_last, following, strict=False)]
    return [*differences, 0.0]


def of_steps(values: list[float], score: float, settings: Process) -> list[float]:
    return to_go(rewards(values[1:]))


def change(rewards_PG: Tensor, groups: Groups) -> Rewards:
    return Rewards(rewards_PG, credits=step_credits(groups, of_steps))


CREDIT = Credit(change)
