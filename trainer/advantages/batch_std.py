"""The reward above its group's mean, in standard deviations over the whole batch.

Scaling by each group's own deviation would blow up groups that barely differ.
"""

from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages._groups import in_batch_deviations
from puzzlemill.trainer.settings.losses import Loss


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    return in_batch_deviations(rewards_PG)


ADVANTAGE = Advantage(formula)
