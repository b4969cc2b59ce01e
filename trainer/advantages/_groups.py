"""Statistics of groups of rewards, some of which have fewer replies than others: NaN there."""

from torch import Tensor

TINY = 1e-6


def above_mean(rewards_PG: Tensor) -> Tensor:
    """Each reward above the mean of its group."""
    return rewards_PG - rewards_PG.nanmean(dim=1, keepdim=True)


def in_batch_deviations(rewards_PG: Tensor) -> Tensor:
    """Above the group's mean, in standard deviations of that over the whole batch."""
    above_PG = above_mean(rewards_PG)
    return above_PG / (above_PG.square().nanmean().sqrt() + TINY)


def rescaled(rewards_PG: Tensor) -> Tensor:
    """Between 0 and 1, as maxrl and bnpo take them: what lies there already stays as it is."""
    there = rewards_PG[~rewards_PG.isnan()]
    low, high = there.min().clamp(max=0.0), there.max().clamp(min=1.0)
    return (rewards_PG - low) / (high - low)


def sizes(rewards_PG: Tensor) -> Tensor:
    """How many replies each group has, P1."""
    return (~rewards_PG.isnan()).sum(dim=1, keepdim=True)


def deviation(values: Tensor) -> Tensor:
    """Over all that is there, with one less in the denominator."""
    there = values[~values.isnan()]
    return there.std() if len(there) > 1 else there.new_ones(())
