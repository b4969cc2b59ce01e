"""GRPO: above the group's mean, in standard deviations of the group."""

from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages._groups import TINY, above_mean, sizes
from puzzlemill.trainer.settings.losses import Loss


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    above_PG = above_mean(rewards_PG)
    others_P1 = (sizes(rewards_PG) - 1).clamp(min=1)
    variance_P1 = above_PG.square().nansum(dim=1, keepdim=True) / others_P1
    return above_PG / (variance_P1.sqrt() + TINY)


ADVANTAGE = Advantage(formula)
