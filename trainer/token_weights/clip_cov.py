"""Clip-Cov (SPEAR): the few tokens whose probability goes most with their advantage have no loss.

They are those that lower the entropy most. The paper draws them at random from those within the
bounds; here they are the highest of these, so that a run can be repeated.
"""

import torch
from torch import Tensor

from puzzlemill.trainer.token_weights import TokenStats, TokenWeight

SHARE = 2e-4  # of all tokens; one at least
LOW, HIGH = 1.0, 5.0  # of the covariance
ROUNDING = 1e-4  # of a covariance, at most


def weight(some: TokenStats, whole: TokenStats) -> Tensor:
    all_N, some_N = _covariance(whole, whole), _covariance(some, whole)
    inside_N = all_N[(all_N > LOW) & (all_N < HIGH)]
    if not len(inside_N):
        return torch.ones_like(some_N)
    count = min(max(int(SHARE * len(all_N)), 1), len(inside_N))
    # Tokens after the same text have the same covariance: all of them are clipped, however rounded.
    least = inside_N.sort().values[-count] - ROUNDING
    clipped_N = (some_N >= least) & (some_N < HIGH)
    return (~clipped_N).to(some_N.dtype)


def _covariance(some: TokenStats, whole: TokenStats) -> Tensor:
    """What each token adds to the covariance of advantage and log-probability."""
    advantage_N = some.advantage_N - whole.advantage_N.mean()
    return advantage_N * (some.logp_N - whole.logp_N.mean())


WEIGHT: TokenWeight = weight
