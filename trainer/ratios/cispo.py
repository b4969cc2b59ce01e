"""CISPO: the ratio, capped, only weighs the gradient: no token is without one."""

import torch
from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens
from puzzlemill.trainer.settings.losses import TokenLoss


def loss(tokens: Tokens, settings: TokenLoss) -> Tensor:
    weight_N = torch.exp(tokens.log_ratio_N).clamp(max=1 + settings.clip_high).detach()
    return -weight_N * tokens.advantage_N * tokens.logp_N


READS = ("clip_high",)
RATIO = Ratio(loss)
