"""The policy-gradient loss: clipped ratios, averaged over tokens.

Suffix: N tokens of replies, all rows one after the other.
"""

import torch
from torch import Tensor


def clipped_loss(
    logp_N: Tensor, old_logp_N: Tensor, advantage_N: Tensor, low: float, high: float
) -> Tensor:
    """-min(ratio * A, clip(ratio, 1 - low, 1 + high) * A), one value a token."""
    ratio_N = torch.exp(logp_N - old_logp_N)
    clipped_N = ratio_N.clamp(1 - low, 1 + high)
    return -torch.minimum(ratio_N * advantage_N, clipped_N * advantage_N)


def clipped_share(
    logp_N: Tensor, old_logp_N: Tensor, advantage_N: Tensor, low: float, high: float
) -> Tensor:
    """The share of tokens whose gradient the clip has cut off."""
    ratio_N = torch.exp(logp_N - old_logp_N)
    cut_N = torch.where(advantage_N > 0, ratio_N > 1 + high, ratio_N < 1 - low)
    return (cut_N & (advantage_N != 0)).float().mean()
