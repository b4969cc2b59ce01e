"""BNPO: divided by a Beta density at the group's mean, fitted to the means of the batch.

Means of n replies scatter by p (1 - p) / n where all pass rates are the same: a spread below that
is chance, and would make the density as steep as one likes, and the weights nothing.
"""

from math import lgamma

import torch
from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages._groups import TINY, above_mean, rescaled, sizes
from puzzlemill.trainer.settings import Loss
from puzzlemill.trainer.shapings import Groups

STEEPEST = 1e6  # the most that a reply is weighed by


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    inside_PG = rescaled(rewards_PG)
    mean_P, replies = inside_PG.nanmean(dim=1).double(), sizes(inside_PG).double().mean()
    centre, spread = mean_P.mean(), mean_P.var(correction=0)
    size = (centre * (1 - centre) / spread.clamp(min=TINY) - 1).clamp(max=replies - 1)
    a, b = ((1 + part * size / 3).clamp(min=1.0).item() for part in (centre, 1 - centre))
    edge = 0.5 / replies.item()  # no mean of rewards of 0 and 1 that differ is nearer to an end
    inside_P = mean_P.clamp(edge, 1 - edge)
    log_P = (a - 1) * inside_P.log() + (b - 1) * (1 - inside_P).log()
    density_P = (log_P + lgamma(a + b) - lgamma(a) - lgamma(b)).exp()
    weight_P = (1 / density_P).clamp(max=STEEPEST).to(rewards_PG.dtype)
    return above_mean(inside_PG) * weight_P[:, None]


def of_replies(rewards_PG: Tensor, groups: Groups) -> Tensor:
    """Where that is asked for, of the score and of what shaping adds, each with a density of its
    own: a reward that hardly varies does not blunt the other's."""
    settings = groups.settings.loss
    if not settings.decompose:
        return formula(rewards_PG, settings)
    scores_PG = torch.where(rewards_PG.isnan(), rewards_PG, groups.scores_PG)
    return formula(scores_PG, settings) + formula(rewards_PG - scores_PG, settings)


READS = ("decompose",)
ADVANTAGE = Advantage(formula, of_replies=of_replies)
