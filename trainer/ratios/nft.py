"""NFT: the likelihood of right replies, and of wrong ones under an implicit negative policy.

With the policy before the update as a mixture of a positive one, which is learned, and a negative
one, old = r positive + (1 - r) negative for a group's pass rate r, a wrong token's likelihood is
(1 - r ratio) / (1 - r). Where that is below 1 it counts as 1, with its gradient (straight-through).
At ratio 1 the gradient is that of the policy with the same advantage: `dr_grpo` is the paper's
weight 1 - r, and `grpo` its square root of (1 - r) / r.
"""

import torch
from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens
from puzzlemill.trainer.settings.losses import TokenLoss

LOWEST, HIGHEST = 0.02, 0.98  # pass rates, so that none is divided by
LEAST = 1.0  # the likelihood ratio of a wrong token
MOST = 10.0  # a log ratio, so that none overflows
UNKNOWN = 0.5  # the pass rate of what has no group


def loss(tokens: Tokens, settings: TokenLoss) -> Tensor:
    log_ratio_N = tokens.log_ratio_N.clamp(max=MOST)
    known_N = torch.full_like(log_ratio_N, UNKNOWN) if tokens.rate_N is None else tokens.rate_N
    rate_N = known_N.nan_to_num(nan=UNKNOWN).clamp(LOWEST, HIGHEST)
    negative_N = (1 - rate_N * torch.exp(log_ratio_N)) / (1 - rate_N)
    negative_N = negative_N + (negative_N.clamp(min=LEAST) - negative_N).detach()
    # A wrong token's advantage is its weight times r / (1 - r), which the likelihood brings back.
    wrong_N = tokens.advantage_N * (1 - rate_N) / rate_N * torch.log(negative_N)
    return torch.where(tokens.advantage_N > 0, -tokens.advantage_N * log_ratio_N, wrong_N)


RATIO = Ratio(loss)
