"""IGPO: each step earns what it adds to the value, and the last one the reply's reward.

These rewards are normalised together over a group; each step's tokens get its own and those after.
"""

from torch import Tensor

from puzzlemill.trainer.credits import Credit, gains, to_go
from puzzlemill.trainer.credits._joint import StepsOf, normalised, steps_of
from puzzlemill.trainer.settings import Process
from puzzlemill.trainer.shapings import Groups, Rewards


def rewards(reply: StepsOf, settings: Process) -> list[float]:
    before_last = gains(reply.values[:-1])
    return [*(settings.weight * gain for gain in before_last), reply.reward]


def change(rewards_PG: Tensor, groups: Groups) -> Rewards:
    by_step = {}
    for replies in steps_of(rewards_PG, groups):
        earned = [rewards(each, groups.settings.process) for each in replies]
        found = normalised(earned, [[1] * len(some) for some in earned])
        for each, some in zip(replies, found, strict=True):
            by_step[each.place] = [*zip(each.ends, to_go(some), strict=True)]
    return Rewards(rewards_PG, credits=by_step, joint=True)


CREDIT = Credit(change, joint=True)
