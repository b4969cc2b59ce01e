"""Effective RL Reward, Clip: a value above eta earns nothing, and one below costs the difference.

So no reply earns anything by steps. The last step is left to the score.
"""

from torch import Tensor

from puzzlemill.trainer.credits import Credit, step_credits, to_go
from puzzlemill.trainer.settings.rewards import Process
from puzzlemill.trainer.shapings import Groups, Rewards


def rewards(values: list[float], eta: float) -> list[float]:
    """Of each step, from the values after each."""
    return [*(min(value - eta, 0.0) for value in values[:-1]), 0.0]


def of_steps(values: list[float], score: float, settings: Process) -> list[float]:
    return to_go(rewards(values[1:], settings.eta))


def change(rewards_PG: Tensor, groups: Groups) -> Rewards:
    return Rewards(rewards_PG, credits=step_credits(groups, of_steps))


READS = ("eta",)
CREDIT = Credit(change)
