"""VERL: GRPO's, and a bonus for hidden states that spread more than those of other replies.

ER is the effective rank of a reply's hidden states. Along the reply, velocity is its distance from
the mean of all before, and acceleration the velocity's change; ERV and ERA are their means. Each is
taken as its distance d from the mean over the step's replies, relative to that mean. With
b = sigmoid(2 d_ERA) the bonus is b tanh(d_ER) + (1 - b) tanh(d_ERV), 0 at least, and |A| / 2 at
most.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

import torch
from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages.grpo import formula
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.shapings import Groups
from puzzlemill.trainer.shapings._groups import per_conversation

GAIN = 2.0  # of the acceleration
FARTHEST = 5.0  # that a relative distance counts
MOST = 0.5  # of an advantage, its bonus
TINY = 1e-8


def of_replies(rewards_PG: Tensor, groups: Groups) -> Tensor:
    measured = [dynamics(ranks) for group in groups.ranks for ranks in group]
    columns = [list(column) for column in zip(*measured, strict=True)]
    er_PG, erv_PG, era_PG = (
        relative(per_conversation(groups, column), rewards_PG) for column in columns
    )
    return with_bonus(rewards_PG, bonus(er_PG, erv_PG, era_PG), groups.settings.loss)


def dynamics(ranks: Sequence[float]) -> tuple[float, float, float]:
    """ER, ERV and ERA of a reply; 0 where it is too short for them."""
    velocities = [ranks[at] - fmean(ranks[:at]) for at in range(1, len(ranks))]
    accelerations = [after - before for before, after in pairwise(velocities)]
    return ranks[-1], fmean(velocities or [0.0]), fmean(accelerations or [0.0])


def relative(values_PG: Tensor, rewards_PG: Tensor) -> Tensor:
    """The distance from the mean over the replies that are learned from, relative to it."""
    mean = values_PG[~rewards_PG.isnan()].mean()
    return ((values_PG - mean) / (mean.abs() + TINY)).clamp(-FARTHEST, FARTHEST)


def bonus(er_PG: Tensor, erv_PG: Tensor, era_PG: Tensor) -> Tensor:
    explore_PG = torch.sigmoid(GAIN * era_PG)
    return explore_PG * er_PG.tanh() + (1 - explore_PG) * erv_PG.tanh()


def with_bonus(rewards_PG: Tensor, bonus_PG: Tensor, settings: Loss) -> Tensor:
    advantage_PG = formula(rewards_PG, settings)
    return advantage_PG + torch.minimum(bonus_PG.clamp(min=0.0), MOST * advantage_PG.abs())


ADVANTAGE = Advantage(formula, of_replies=of_replies, reads_ranks=True)
