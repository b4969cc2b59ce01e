"""GRPO-λ: in the groups of the batch that are right most often, length costs right replies.

By a sigmoid of the reply's length, in standard deviations from the mean of the group's right ones.
Other groups keep their rewards: being right comes first.
"""

from math import ceil

import torch
from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import lengths, share_right


def costs(scores_PG: Tensor, lengths_PG: Tensor, weight: float, share: float) -> Tensor:
    right_PG = torch.where(scores_PG == 1, lengths_PG, torch.nan)
    above_PG = right_PG - right_PG.nanmean(dim=1, keepdim=True)
    spread_P1 = above_PG.square().nanmean(dim=1, keepdim=True).sqrt()
    deviations_PG = torch.where(spread_P1 > 0, above_PG / spread_P1, 0.0)
    chosen_PG = (scores_PG == 1) & _top(share_right(scores_PG), share)
    return torch.where(chosen_PG, weight * torch.sigmoid(deviations_PG), 0.0)


def _top(right_P1: Tensor, share: float) -> Tensor:
    """The groups of the largest shares of right replies; with all that are right as often."""
    count = ceil(share * len(right_P1))
    if not count:
        return torch.zeros_like(right_P1).bool()
    least = right_P1[:, 0].sort(descending=True).values[count - 1]
    return right_P1 >= least


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    reward = groups.settings.reward
    lengths_PG = lengths(groups)
    return rewards_PG - costs(groups.scores_PG, lengths_PG, reward.grpo_lambda, reward.lambda_share)


def wanted(settings: Train) -> bool:
    return settings.reward.grpo_lambda > 0


SHAPING = Shaping(change, wanted, order=30)
