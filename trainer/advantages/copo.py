"""COPO: groups that are all right or all wrong are judged by the batch.

These are above the mean of all rewards, in deviations of them; other groups are as in batch_std.
"""

import torch
from torch import Tensor

from puzzlemill.trainer.advantages import Advantage, mixed_groups
from puzzlemill.trainer.advantages._groups import TINY, deviation, in_batch_deviations
from puzzlemill.trainer.settings import Loss


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    whole_PG = (rewards_PG - rewards_PG.nanmean()) / (deviation(rewards_PG) + TINY)
    mixed_P1 = mixed_groups(rewards_PG)[:, None]
    return torch.where(mixed_P1, in_batch_deviations(rewards_PG), whole_PG)


ADVANTAGE = Advantage(formula, one_sided=True)
