"""StableReinforce's filter: no advantage beyond three standard deviations is learned from."""

from torch import Tensor

from puzzlemill.trainer.token_weights import TokenStats, TokenWeight

MOST = 3.0  # standard deviations from the mean
ROUNDING = 1e-6  # of advantages that are all alike


def weight(some: TokenStats, whole: TokenStats) -> Tensor:
    mean, deviation = whole.advantage_N.mean(), whole.advantage_N.std(correction=0)
    inside_N = (some.advantage_N - mean).abs() <= MOST * deviation + ROUNDING
    return inside_N.to(some.advantage_N.dtype)


WEIGHT: TokenWeight = weight
