"""Pass@k: how good the best of k replies is with this one among them, above the group's mean.

Exact over all groups of k that can be drawn, for rewards of any size.
"""

from math import comb, nan

import torch
from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages._groups import sizes
from puzzlemill.trainer.settings.losses import Loss


def formula(rewards_PG: Tensor, settings: Loss) -> Tensor:
    advantages_PG = torch.full_like(rewards_PG, nan)
    for size in {*sizes(rewards_PG)[:, 0].tolist()}:
        alike = sizes(rewards_PG)[:, 0] == size
        advantages_PG[alike, :size] = _best_of(rewards_PG[alike, :size], settings.k)
    return advantages_PG


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
    unsorted_PG = torch.empty_like(with_it)
    return unsorted_PG.scatter(1, order_PG, with_it - baseline_P1)


READS = ("k",)
ADVANTAGE = Advantage(formula)
