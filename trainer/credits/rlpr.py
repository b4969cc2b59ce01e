"""RLPR: a reply earns how much likelier its reasoning makes the gold answer, in place of its score.

That is the value before the last line, which gives the answer, less that of the prompt alone, cut
to 0..1. A reply whose values are unknown is left out: its score is not of the same kind.
"""

from math import nan

from torch import Tensor

from puzzlemill.trainer.credits import Credit
from puzzlemill.trainer.shapings import Groups, Rewards
from puzzlemill.trainer.shapings._groups import per_conversation


def reward(values: list[float]) -> float:
    """From the values of the prompt and after each line; a lone line has no reasoning before it."""
    return min(max(values[-2] - values[0], 0.0), 1.0)


def change(rewards_PG: Tensor, groups: Groups) -> Rewards:
    weight = groups.settings.process.weight
    earned = [
        weight * reward([value for _, value in each.values]) if each.values else nan
        for group in groups.conversations
        for each in group
    ]
    earned_PG = per_conversation(groups, earned)
    return Rewards(earned_PG.masked_fill(rewards_PG.isnan(), nan))


CREDIT = Credit(change)
