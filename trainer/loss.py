"""What the loss has beside its importance ratios: the divergence from a reference.

Suffix: N tokens of replies, all rows one after the other.
"""

import torch
from torch import Tensor


def divergence(logp_N: Tensor, reference_N: Tensor) -> Tensor:
    """From the reference policy: k3's value, which is never below 0 and varies little, with the
    gradient of k2, which is that of the divergence; k3's own is not."""
    apart_N = logp_N - reference_N
    k2_N = apart_N.square() / 2
    k3_N = torch.exp(-apart_N) + apart_N - 1
    return k2_N + (k3_N - k2_N).detach()
