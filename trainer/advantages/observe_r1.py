"""Observe-R1: GRPO's, times 4 sigma d (1 - d) for a share d of right replies: most at one half."""

from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages.grpo import formula as grpo
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.shapings import Groups


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    return weighed(rewards_PG, rewards_PG.clamp(0, 1), settings)


def of_replies(rewards_PG: Tensor, groups: Groups) -> Tensor:
    return weighed(rewards_PG, groups.scores_PG, groups.settings.loss)


def weighed(rewards_PG: Tensor, scores_PG: Tensor, settings: Loss) -> Tensor:
    solved_P1 = scores_PG.nanmean(dim=1, keepdim=True)
    return grpo(rewards_PG, settings) * 4 * settings.sigma * solved_P1 * (1 - solved_P1)


READS = ("sigma",)
ADVANTAGE = Advantage(formula, of_replies=of_replies)
