"""Advantages: how much better each reply did than its group. A function here is a choice by name.

Suffixes: P prompts, G replies to each. Groups may be of any reward, 0 to 1 unless told otherwise;
where a group has fewer replies than others, the rest of it is NaN, here and in what comes out.
"""

from collections.abc import Callable
from math import comb, lgamma, nan
from typing import TypeAlias

import torch
from torch import Tensor

from puzzlemill.core.recipe import Advantage

TINY = 1e-6
STEEPEST = 1e6  # the most that a reply is weighed by where a normalisation would be without bounds

Of: TypeAlias = Callable[[Tensor], Tensor]


def advantages(rewards_PG: Tensor, choice: Advantage, k: int = 4) -> Tensor:
    """By the recipe's choice; `k` is that of pass@k."""
    if choice == "passk":
        return passk(rewards_PG, k)
    return CHOICES[choice](rewards_PG)


def batch_std(rewards_PG: Tensor) -> Tensor:
    """The reward above its group's mean, in standard deviations over the whole batch.

    Scaling by each group's own deviation would blow up groups that barely differ.
    """
    above_PG = dr_grpo(rewards_PG)
    return above_PG / (above_PG.square().nanmean().sqrt() + TINY)


def grpo(rewards_PG: Tensor) -> Tensor:
    """In standard deviations of its own group."""
    above_PG = dr_grpo(rewards_PG)
    others_P1 = (sizes(rewards_PG) - 1).clamp(min=1)
    variance_P1 = above_PG.square().nansum(dim=1, keepdim=True) / others_P1
    return above_PG / (variance_P1.sqrt() + TINY)


def dr_grpo(rewards_PG: Tensor) -> Tensor:
    """Above the group's mean, and nothing else."""
    return rewards_PG - rewards_PG.nanmean(dim=1, keepdim=True)


def rloo(rewards_PG: Tensor) -> Tensor:
    """Above the mean of the others of its group."""
    size_P1 = sizes(rewards_PG)
    return dr_grpo(rewards_PG) * size_P1 / (size_P1 - 1).clamp(min=1)


def reinforce(rewards_PG: Tensor) -> Tensor:
    """REINFORCE++ with the group's mean as baseline, whitened over the batch."""
    above_PG = dr_grpo(rewards_PG)
    return (above_PG - above_PG.nanmean()) / (deviation(above_PG) + TINY)


def maxrl(rewards_PG: Tensor) -> Tensor:
    """In units of the group's mean, so that hard prompts weigh as 1 / pass rate."""
    mean_P1 = rewards_PG.nanmean(dim=1, keepdim=True)
    return dr_grpo(rewards_PG) / torch.where(mean_P1 > 0, mean_P1.clamp(min=TINY), 1.0)


def bnpo(rewards_PG: Tensor) -> Tensor:
    """Divided by a Beta density at the group's mean, fitted to the means of the batch."""
    mean_P = rewards_PG.nanmean(dim=1).double()
    centre, spread = mean_P.mean(), mean_P.var(correction=0)
    size = centre * (1 - centre) / spread.clamp(min=TINY) - 1
    a, b = ((1 + part * size / 3).clamp(min=1.0).item() for part in (centre, 1 - centre))
    inside_P = mean_P.clamp(TINY, 1 - TINY)
    log_P = (a - 1) * inside_P.log() + (b - 1) * (1 - inside_P).log()
    density_P = (log_P + lgamma(a + b) - lgamma(a) - lgamma(b)).exp()
    weight_P = (1 / density_P).clamp(max=STEEPEST).to(rewards_PG.dtype)
    return dr_grpo(rewards_PG) * weight_P[:, None]


def passk(rewards_PG: Tensor, k: int) -> Tensor:
    """How good the best of k replies is with this one among them, above the group's mean of that.

    Exact over all groups of k that can be drawn, for rewards of any size.
    """
    found_PG = torch.full_like(rewards_PG, nan)
    for size in {*sizes(rewards_PG)[:, 0].tolist()}:
        alike = sizes(rewards_PG)[:, 0] == size
        found_PG[alike, :size] = _best_of(rewards_PG[alike, :size], k)
    return found_PG


def _best_of(rewards_PG: Tensor, k: int) -> Tensor:
    size = rewards_PG.shape[1]
    k = min(k, size)
    order_PG = rewards_PG.argsort(dim=1)
    sorted_PG = rewards_PG.gather(1, order_PG)
    with_it = rewards_PG.new_zeros(sorted_PG.shape)
    for place in range(size):
        # Of the others in a group of k: all below it, or the best of them is at a place above.
        best = sorted_PG[:, place] * comb(place, k - 1)
        for above in range(place + 1, size):
            best = best + sorted_PG[:, above] * comb(above - 1, k - 2) if k > 1 else best
        with_it[:, place] = best / comb(size - 1, k - 1)
    baseline_P1 = with_it.mean(dim=1, keepdim=True)
    found_PG = torch.empty_like(with_it)
    return found_PG.scatter(1, order_PG, with_it - baseline_P1)


def hardness(rewards_PG: Tensor) -> Tensor:
    """Batch deviations, weighed up to twice for what is hardly ever solved (PSHW's slope)."""
    mean_P1 = rewards_PG.nanmean(dim=1, keepdim=True)
    return batch_std(rewards_PG) * (1.256 - 0.256 * (2 * mean_P1 - 1))


def copo(rewards_PG: Tensor) -> Tensor:
    """One-sided groups are judged by the batch: above the mean of all, in its deviations."""
    whole = (rewards_PG - rewards_PG.nanmean()) / (deviation(rewards_PG) + TINY)
    return torch.where(mixed_groups(rewards_PG)[:, None], batch_std(rewards_PG), whole)


CHOICES: dict[str, Of] = {
    each.__name__: each
    for each in (batch_std, grpo, dr_grpo, rloo, reinforce, maxrl, bnpo, hardness, copo)
}


def mixed_groups(rewards_PG: Tensor) -> Tensor:
    """Which groups say anything: by exact comparison, since a deviation of 0 comes out as noise."""
    return ((rewards_PG != rewards_PG[:, :1]) & ~rewards_PG.isnan()).any(dim=1)


def sizes(rewards_PG: Tensor) -> Tensor:
    """How many replies each group has, P1."""
    return (~rewards_PG.isnan()).sum(dim=1, keepdim=True)


def deviation(values: Tensor) -> Tensor:
    """Over all that is there, with one less in the denominator."""
    there = values[~values.isnan()]
    return there.std() if len(there) > 1 else there.new_ones(())
