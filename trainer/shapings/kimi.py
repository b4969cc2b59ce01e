"""Kimi k1.5: the shortest reply of a group earns one half, the longest loses one half.

Where a reply is wrong it earns nothing for being short.
"""

import torch
from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import lengths


def length_reward(scores_PG: Tensor, lengths_PG: Tensor) -> Tensor:
    present_PG = ~scores_PG.isnan()
    shortest_P1 = torch.where(present_PG, lengths_PG, torch.inf).amin(dim=1, keepdim=True)
    longest_P1 = torch.where(present_PG, lengths_PG, -torch.inf).amax(dim=1, keepdim=True)
    span_P1 = longest_P1 - shortest_P1
    linear_PG = 0.5 - (lengths_PG - shortest_P1) / span_P1.clamp(min=1.0)
    linear_PG = torch.where(span_P1 > 0, linear_PG, 0.0)
    return torch.where(scores_PG == 1, linear_PG, linear_PG.clamp(max=0.0))


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    weight = groups.settings.reward.kimi_length
    return rewards_PG + weight * length_reward(groups.scores_PG, lengths(groups))


def wanted(settings: Train) -> bool:
    return settings.reward.kimi_length > 0


SHAPING = Shaping(change, wanted, order=30)
