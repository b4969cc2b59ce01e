"""BNPO: divided by a Beta density at the group's mean, fitted to the means of the batch.

Means of n replies scatter by p (1 - p) / n where all pass rates are the same: a spread below that
is chance, and would make the density as steep as one likes, and the weights nothing.
"""

from math import lgamma

import torch
from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages._groups import TINY, above_mean, rescaled, sizes
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.shapings import Groups, reward_parts

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
    """Decomposed: the sum over the score and what each shaping adds, each with a density of its
    own, so that a reward that hardly varies does not blunt the others."""
    settings = groups.settings.loss
    if not settings.decompose:
        return formula(rewards_PG, settings)
    parts = reward_parts(groups)
    if settings.kl and settings.kl_in == "reward":
        parts.append(rewards_PG - sum(parts))
    left_out_PG = rewards_PG.isnan()
    whole_PG = torch.zeros_like(rewards_PG)
    for part_PG in parts:
        whole_PG += formula(torch.where(left_out_PG, torch.nan, part_PG), settings)
    return whole_PG


READS = ("decompose",)
ADVANTAGE = Advantage(formula, of_replies=of_replies)
