"""MaxRL: in units of the group's mean, so that hard prompts weigh as 1 / pass rate."""

import torch
from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages._groups import TINY, above_mean, rescaled
from puzzlemill.trainer.settings.losses import Loss


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    inside_PG = rescaled(rewards_PG)
    mean_P1 = inside_PG.nanmean(dim=1, keepdim=True)
    return above_mean(inside_PG) / torch.where(mean_P1 > 0, mean_P1.clamp(min=TINY), 1.0)


ADVANTAGE = Advantage(formula)
