"""COPO: where a group's answers agree, its mean is judged beside those of the batch's other groups.

Each group's mean, in deviations of the means of the batch, is blended with GRPO's advantage, by the
entropy of the group's answers: w = sigmoid(slope (H - middle)) of GRPO's, which counts nothing
where it is 0. The paper blends losses; without a clipped ratio that is the same.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from math import log2

import torch
from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages._groups import TINY, deviation, sizes
from puzzlemill.trainer.advantages.grpo import formula as grpo
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.shapings import Groups
from puzzlemill.trainer.shapings._groups import answers


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    """Where no answers are known, replies of one reward count as one answer."""
    rows = [[value for value in row if value == value] for row in rewards_PG.tolist()]
    return blended(rewards_PG, rewards_PG.new_tensor([entropy(row) for row in rows]), settings)


def of_replies(rewards_PG: Tensor, groups: Groups) -> Tensor:
    entropies = [entropy(group) for group in answers(groups)]
    return blended(rewards_PG, rewards_PG.new_tensor(entropies), groups.settings.loss)


def blended(rewards_PG: Tensor, entropy_P: Tensor, settings: Loss) -> Tensor:
    mean_P = rewards_PG.nanmean(dim=1)
    if settings.copo_consistent:
        replies_P = sizes(rewards_PG)[:, 0].clamp(min=2)
        mean_P = mean_P * (1 - (1 - 1 / replies_P) / replies_P.log2() * entropy_P)
    batch_P = (mean_P - mean_P.mean()) / (deviation(mean_P) + TINY)
    group_PG = grpo(rewards_PG, settings)
    weight_P = torch.sigmoid(settings.copo_slope * (entropy_P - settings.copo_middle))
    weight_PG = torch.where(group_PG == 0, 0.0, weight_P[:, None])
    return (1 - weight_PG) * batch_P[:, None] + weight_PG * group_PG


def entropy(labels: Sequence[Hashable]) -> float:
    """Of the shares of equal ones, in bits."""
    shares = [count / len(labels) for count in Counter(labels).values()]
    return -sum(share * log2(share) for share in shares)


READS = ("copo_slope", "copo_middle", "copo_consistent")
ADVANTAGE = Advantage(formula, one_sided=True, of_replies=of_replies)
