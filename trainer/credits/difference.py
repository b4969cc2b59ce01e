"""What a step adds to the value, for its own tokens: PAV, and RL on Incorrect Synthetic Data.

With the values of a prover this is its advantage A(s, a) = V(s, a) - V(s), beside the policy's own
for the whole reply. The differences of a reply add up to its last value less the first, so that
repetition earns nothing.
"""

from torch import Tensor

from puzzlemill.trainer.credits import Credit, gains, step_credits
from puzzlemill.trainer.settings.rewards import Process
from puzzlemill.trainer.shapings import Groups, Rewards


def of_steps(values: list[float], score: float, settings: Process) -> list[float]:
    return gains(values)


def change(rewards_PG: Tensor, groups: Groups) -> Rewards:
    return Rewards(rewards_PG, credits=step_credits(groups, of_steps))


CREDIT = Credit(change)
