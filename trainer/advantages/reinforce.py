"""REINFORCE++ with the group's mean as baseline, whitened over the batch."""

from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages._groups import TINY, above_mean, deviation
from puzzlemill.trainer.settings.losses import Loss


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    above_PG = above_mean(rewards_PG)
    return (above_PG - above_PG.nanmean()) / (deviation(above_PG) + TINY)


ADVANTAGE = Advantage(formula)
