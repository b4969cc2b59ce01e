"""Statistics of groups of rewards, some of which have fewer replies than others: NaN there."""

from torch import Tensor

TINY = 1e-6


def above_mean(rewards_PG: Tensor) -> Tensor:
    """Each reward above the mean of its group."""
    return rewards_PG - rewards_PG.nanmean(dim=1, keepdim=True)


def in_batch_deviations(rewards_PG: Tensor) -> Tensor:
    """Above the group's mean, in units of its root mean square over the whole batch."""
    above_PG = above_mean(rewards_PG)
    return above_PG / (above_PG.square().nanmean().sqrt() + TINY)


def rescaled(rewards_PG: Tensor) -> Tensor:
    """Between 0 and 1, as maxrl and bnpo take them: what lies there already stays as it is."""
    present = rewards_PG[~rewards_PG.isnan()]
    low, high = present.min().clamp(max=0.0), present.max().clamp(min=1.0)
    return (rewards_PG - low) / (high - low)


def sizes(rewards_PG: Tensor) -> Tensor:
    """How many replies each group has, P1."""
    return (~rewards_PG.isnan()).sum(dim=1, keepdim=True)


def deviation(values: Tensor) -> Tensor:
    """The sample standard deviation over all values but NaN (n - 1 in the denominator)."""
    present = values[~values.isnan()]
    return present.std() if len(present) > 1 else present.new_ones(())
