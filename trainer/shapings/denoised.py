"""The reward whose mean is that of a verifier that never errs.

By two rates: `paid_wrong` of wrong replies are paid, `refused_right` of right ones are not.
"""

from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping


def denoised(scores_PG: Tensor, paid_wrong: float, refused_right: float) -> Tensor:
    return (scores_PG - paid_wrong) / (1 - paid_wrong - refused_right)


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    reward = groups.settings.reward
    return denoised(rewards_PG, reward.paid_wrong, reward.refused_right)


def wanted(settings: Train) -> bool:
    return settings.reward.paid_wrong > 0 or settings.reward.refused_right > 0


SHAPING = Shaping(change, wanted, order=10)  # of the score itself, before anything is added to it
