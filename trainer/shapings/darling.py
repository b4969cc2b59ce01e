"""DARLING: a reply's reward, times the share of its group's other replies that answer otherwise.

At least a tenth of it stays. Answers are compared as the family reads them.
"""

from collections import Counter

from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import answers, per_conversation

LEAST = 0.1


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    shares = []
    for group in answers(groups):
        counts = Counter(group)
        others = max(len(group) - 1, 1)
        shares += [max((len(group) - counts[each]) / others, LEAST) for each in group]
    return rewards_PG * per_conversation(groups, shares)


def wanted(settings: Train) -> bool:
    return settings.reward.darling


SHAPING = Shaping(change, wanted, order=15)  # of the score, before anything is added to it
