"""CAPO: every token earns the outcome, and those of wrong steps less than that.

A reply's tokens earn `outcome` times its reward, and `weight` less in a step that is wrong; over
the tokens of a group this is normalised. With an `outcome` above `weight` a right reply with wrong
steps is still worth more than a wrong one.
"""

from torch import Tensor

from puzzlemill.trainer.credits import Credit, gains
from puzzlemill.trainer.credits._joint import StepsOf, normalised, steps_of
from puzzlemill.trainer.settings.rewards import Process
from puzzlemill.trainer.shapings import Groups, Rewards


def wrong_steps(values: list[float], source: str) -> list[bool]:
    """Steps after which the value is lower; by progress also those after which it is the same."""
    return [gain < 0 or (source == "progress" and gain == 0) for gain in gains(values)]


def rewards(reply: StepsOf, settings: Process) -> list[float]:
    """Of each token of each step."""
    whole = settings.outcome * reply.reward
    if not reply.values:
        return [whole] * len(reply.ends)
    return [whole - settings.weight * wrong for wrong in wrong_steps(reply.values, settings.values)]


def change(rewards_PG: Tensor, groups: Groups) -> Rewards:
    by_step = {}
    for replies in steps_of(rewards_PG, groups):
        earned = [rewards(each, groups.settings.process) for each in replies]
        found = normalised(earned, [each.lengths for each in replies])
        for each, some in zip(replies, found, strict=True):
            by_step[each.place] = [*zip(each.ends, some, strict=True)]
    return Rewards(rewards_PG, credits=by_step, joint=True)


READS = ("outcome",)
CREDIT = Credit(change, joint=True)
