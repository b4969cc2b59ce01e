"""ReNorm (PPR): a step's value, plus the reply's score, minus 1.

Steps of a right reply earn 0 to 1 and those of a wrong one -1 to 0, so that steps never outvote the
outcome. Each is for its own tokens: a sum over steps would pay for further steps.
"""

from torch import Tensor

from puzzlemill.trainer.credits import Credit, step_credits
from puzzlemill.trainer.settings.rewards import Process
from puzzlemill.trainer.shapings import Groups, Rewards


def of_steps(values: list[float], score: float, settings: Process) -> list[float]:
    return [value + score - 1 for value in values[1:]]


def change(rewards_PG: Tensor, groups: Groups) -> Rewards:
    return Rewards(rewards_PG, credits=step_credits(groups, of_steps))


CREDIT = Credit(change)
