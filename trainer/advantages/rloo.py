"""RLOO: above the mean of the other replies of the group."""

from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages._groups import above_mean, sizes
from puzzlemill.trainer.settings.losses import Loss


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    size_P1 = sizes(rewards_PG)
    return above_mean(rewards_PG) * size_P1 / (size_P1 - 1).clamp(min=1)


ADVANTAGE = Advantage(formula)
