"""Dr. GRPO: above the group's mean, and nothing else."""

from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages._groups import above_mean
from puzzlemill.trainer.settings.losses import Loss


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    return above_mean(rewards_PG)


ADVANTAGE = Advantage(formula)
