"""Observe-R1: a bonus for the shortest right reply of a group, if it is not all too short."""

import torch
from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import lengths


def shortest(scores_PG: Tensor, lengths_PG: Tensor, above: int) -> Tensor:
    """True at the shortest right reply of each group, the first of several, if it has more tokens
    than `above`."""
    right_PG = torch.where(scores_PG == 1, lengths_PG, torch.inf)
    first_P1 = right_PG.argmin(dim=1, keepdim=True)
    least_P1 = right_PG.gather(1, first_P1)
    long_P1 = (least_P1 > above) & least_P1.isfinite()
    return torch.zeros_like(right_PG).bool().scatter(1, first_P1, long_P1)


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    reward = groups.settings.reward
    chosen_PG = shortest(groups.scores_PG, lengths(groups), reward.shortest_above)
    return rewards_PG + reward.shortest_bonus * chosen_PG


def wanted(settings: Train) -> bool:
    return settings.reward.shortest_bonus > 0


SHAPING = Shaping(change, wanted, order=30)
