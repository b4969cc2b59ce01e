"""The KL divergence of the policy from its reference, estimated at the sampled tokens.

Suffix: N tokens of replies, all rows one after the other.
"""

import torch
from torch import Tensor


def kl_divergence(logp_N: Tensor, reference_logp_N: Tensor) -> Tensor:
    """The k3 estimate's value, which is never below 0 and varies little, with the gradient of k2,
    which is that of the KL divergence; k3's own is not."""
    log_ratio_N = logp_N - reference_logp_N
    k2_N = log_ratio_N.square() / 2
    k3_N = torch.exp(-log_ratio_N) + log_ratio_N - 1
    return k2_N + (k3_N - k2_N).detach()
