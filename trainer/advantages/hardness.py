"""Batch deviations, weighed up to 1.51 times for what is hardly ever solved (PSHW's slope)."""

from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages._groups import in_batch_deviations
from puzzlemill.trainer.settings.losses import Loss


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    mean_P1 = rewards_PG.nanmean(dim=1, keepdim=True)
    return in_batch_deviations(rewards_PG) * (1.256 - 0.256 * (2 * mean_P1 - 1))


ADVANTAGE = Advantage(formula)
