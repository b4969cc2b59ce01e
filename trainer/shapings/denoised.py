"""Noisy Rewards: what a verifier that errs at known rates pays, freed of its errors.

`paid_wrong` of wrong replies are paid, `refused_right` of right ones are not: by the recipe, or for
each family as its build found. Backward, the mean of the reward is that of a verifier that never
errs. Forward, with the advantage `raw`, what is paid weighs refused_right and all else
refused_right - 1: on average that is nothing for a right reply, and below 0 for a wrong one.
"""

import torch
from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping

RATES = "error_rates"  # of a row: its family's own, where they are asked for


def denoised(
    scores_PG: Tensor, paid_wrong: float | Tensor, refused_right: float | Tensor
) -> Tensor:
    return (scores_PG - paid_wrong) / (1 - paid_wrong - refused_right)


def forward(scores_PG: Tensor, refused_right: float | Tensor) -> Tensor:
    """The rewards of which `raw`, 2 r - 1, makes those weights."""
    return (scores_PG + refused_right) / 2


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    reward = groups.settings.reward
    default = (reward.paid_wrong, reward.refused_right)
    known = [row.get(RATES, default) for row in groups.rows]
    rates = torch.tensor(known or [default])  # where no rows are known, one for all
    paid_P1, refused_P1 = rates[:, :1], rates[:, 1:]
    if reward.noise == "forward":
        return forward(rewards_PG, refused_P1)
    return denoised(rewards_PG, paid_P1, refused_P1)


def wanted(settings: Train) -> bool:
    reward = settings.reward
    by_hand = reward.paid_wrong > 0 or reward.refused_right > 0
    return by_hand or reward.error_rates == "families"


SHAPING = Shaping(change, wanted, order=10)  # of the score itself, before anything is added to it
