"""W-REINFORCE: right replies count 1 and wrong ones -1, with no baseline; `positives` is lambda.

With `positives = 0` only what is wrong is learned from (NSR).
"""

from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.settings.losses import Loss


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    return 2 * rewards_PG - 1


ADVANTAGE = Advantage(formula, one_sided=True)
