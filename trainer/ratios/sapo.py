"""SAPO: a soft gate instead of a clip, its gradient 1 at ratio 1 and falling off on both sides."""

import torch
from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens
from puzzlemill.trainer.settings.losses import TokenLoss

UP, DOWN = 1.0, 1.05  # temperatures of what is better and of what is worse


def loss(tokens: Tokens, settings: TokenLoss) -> Tensor:
    heat_N = torch.where(tokens.advantage_N > 0, UP, DOWN)
    gate_N = torch.sigmoid(heat_N * (torch.exp(tokens.log_ratio_N) - 1)) * 4 / heat_N
    return -gate_N * tokens.advantage_N


RATIO = Ratio(loss)
