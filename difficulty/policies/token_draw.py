"""Drawing tokens: inverse transform sampling from logits, by random numbers that are given.

Suffixes: B rows, V vocabulary, N blocks of it.
"""

import torch
from torch import Tensor
from torch.nn import functional

from puzzlemill.difficulty.policies.policy import Sampling

BELOW_ONE = 1 - 2.0**-40  # keeps a draw off the upper end, where rounding would find no token
BLOCK = 512  # tokens


def draw(logits_BV: Tensor, uniform_B: Tensor, sampling: Sampling) -> Tensor:
    """A token a row and its log-probability, 2B, by inverse transform sampling."""
    if sampling.temperature == 0:
        token_B = logits_BV.argmax(dim=-1)
        return torch.stack((token_B, torch.zeros_like(token_B))).double()
    scores_BV = logits_BV
    if sampling.temperature != 1:
        scores_BV = scores_BV.float() / sampling.temperature
    if sampling.top_p < 1:
        scores_BV = _nucleus(scores_BV.float(), sampling.top_p)
    mass_BV = scores_BV.softmax(dim=-1, dtype=torch.float32)
    token_B1, total_B1 = _inverted(mass_BV, uniform_B[:, None])
    logp_B1 = mass_BV.gather(-1, token_B1).double().log() - total_B1.log()
    return torch.stack((token_B1, logp_B1))[..., 0]


def _inverted(mass_BV: Tensor, uniform_B1: Tensor) -> tuple[Tensor, Tensor]:
    """The token at which the cumulative mass passes the uniform share of it, and the whole mass,
    which is 1 but for rounding."""
    vocab = mass_BV.shape[1]
    if vocab < 2 * BLOCK:
        below_BV = mass_BV.cumsum(dim=-1, dtype=torch.float64)
        total_B1 = below_BV[:, -1:]
        return _passed(below_BV, uniform_B1 * total_B1), total_B1
    # A cumulative sum over a large vocabulary takes longer than all else, so first the block is
    # found, and then the token in it.
    whole = vocab - vocab % BLOCK
    blocks_BN = mass_BV[:, :whole].reshape(len(mass_BV), -1, BLOCK).sum(-1, dtype=torch.float64)
    rest_B1 = mass_BV[:, whole:].sum(-1, keepdim=True, dtype=torch.float64)
    below_BN = torch.cat((blocks_BN, rest_B1), dim=-1).cumsum(dim=-1)
    total_B1 = below_BN[:, -1:]
    passes_B1 = uniform_B1 * total_B1
    block_B1 = _passed(below_BN, passes_B1)
    before_B1 = functional.pad(below_BN, (1, 0)).gather(-1, block_B1)
    member_BV = block_B1 * BLOCK + torch.arange(BLOCK, device=mass_BV.device)
    own_BV = mass_BV.gather(-1, member_BV.clamp(max=vocab - 1)) * (member_BV < vocab)
    own_below_BV = own_BV.cumsum(dim=-1, dtype=torch.float64)
    own_passes_B1 = torch.minimum(passes_B1 - before_B1, own_below_BV[:, -1:])
    return block_B1 * BLOCK + _passed(own_below_BV, own_passes_B1), total_B1


def _passed(below_BV: Tensor, passes_B1: Tensor) -> Tensor:
    """The first place whose cumulative mass is above."""
    return torch.searchsorted(below_BV, passes_B1 * BELOW_ONE, right=True)


def _nucleus(scores_BV: Tensor, top_p: float) -> Tensor:
    """The scores of the fewest tokens that hold `top_p` of the distribution."""
    sorted_BV, order_BV = scores_BV.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    before_BV = sorted_BV.cumsum(dim=-1, dtype=torch.float64) - sorted_BV
    cut_BV = torch.zeros_like(scores_BV, dtype=torch.bool)
    cut_BV.scatter_(-1, order_BV, before_BV >= top_p)
    return scores_BV.masked_fill(cut_BV, -torch.inf)
