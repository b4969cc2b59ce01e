"""Advantages: how much better each reply did than its group.

Suffixes: P prompts, G replies to each.
"""

from torch import Tensor

TINY = 1e-6


def group_mean_batch_std(scores_PG: Tensor) -> Tensor:
    """The score above its group's mean, in standard deviations over the whole batch.

    Scaling by each group's own deviation would blow up groups that barely differ.
    """
    above_PG = scores_PG - scores_PG.mean(dim=1, keepdim=True)
    return above_PG / (above_PG.square().mean().sqrt() + TINY)


def mixed_groups(scores_PG: Tensor) -> Tensor:
    """Which groups say anything: by exact comparison, since a deviation of 0 comes out as noise."""
    return (scores_PG != scores_PG[:, :1]).any(dim=1)
