"""IGPO: each step earns what it adds to the value, and the last one the reply's reward.

Each step's tokens get its reward and those after it. As published, the rewards of a group are
normalised before they are added up: where steps lose on average, a further step gains. With
`bounded` what is added up is compared with the whole replies of the group, in the same unit.
"""

from statistics import fmean

from torch import Tensor

from puzzlemill.trainer.credits import Credit, gains, to_go
from puzzlemill.trainer.credits._joint import StepsOf, mean_and_deviation, normalised, steps_of
from puzzlemill.trainer.settings.rewards import Process
from puzzlemill.trainer.shapings import Groups, Rewards


def rewards(reply: StepsOf, settings: Process) -> list[float]:
    before_last = gains(reply.values[:-1])
    return [*(settings.weight * gain for gain in before_last), reply.reward]


def advantages(earned: list[list[float]], bounded: bool) -> list[list[float]]:
    """Of each step, from the rewards of each reply's steps."""
    once = [[1] * len(some) for some in earned]
    if not bounded:
        return [to_go(some) for some in normalised(earned, once)]
    returns = [to_go(some) for some in earned]
    mean = fmean(some[0] for some in returns) if returns else 0.0
    _, spread = mean_and_deviation(earned, once)
    return [[(each - mean) / spread if spread else 0.0 for each in some] for some in returns]


def change(rewards_PG: Tensor, groups: Groups) -> Rewards:
    by_step = {}
    for replies in steps_of(rewards_PG, groups):
        earned = [rewards(each, groups.settings.process) for each in replies]
        found = advantages(earned, groups.settings.process.bounded)
        for each, some in zip(replies, found, strict=True):
            by_step[each.place] = [*zip(each.ends, some, strict=True)]
    return Rewards(rewards_PG, credits=by_step, joint=True)


READS = ("bounded",)
CREDIT = Credit(change, joint=True)
