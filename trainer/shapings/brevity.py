"""Brevity: of the right replies of a group the shorter earn more, the longest nothing.

Only where at least a share `brief_from` of the group is right: being right comes first.
"""

import torch
from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import lengths, share_right


def brevity(scores_PG: Tensor, lengths_PG: Tensor, weight: float, least: float) -> Tensor:
    right_PG = scores_PG == 1
    far = torch.full_like(lengths_PG, torch.inf)
    shortest_P1 = torch.where(right_PG, lengths_PG, far).amin(dim=1, keepdim=True)
    longest_P1 = torch.where(right_PG, lengths_PG, -far).amax(dim=1, keepdim=True)
    span_P1 = (longest_P1 - shortest_P1).clamp(min=1.0)
    often_P1 = share_right(scores_PG) >= least
    return torch.where(right_PG & often_P1, weight * (longest_P1 - lengths_PG) / span_P1, 0.0)


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    reward = groups.settings.reward
    shorter_PG = brevity(groups.scores_PG, lengths(groups), reward.brevity, reward.brief_from)
    return rewards_PG + shorter_PG


def wanted(settings: Train) -> bool:
    return settings.reward.brevity > 0


SHAPING = Shaping(change, wanted, order=30)
