"""PPO's clipped loss, of ratios by token or by reply."""

import torch
from torch import Tensor

from puzzlemill.trainer.ratios import Tokens
from puzzlemill.trainer.settings.losses import TokenLoss


def mean_log_ratios(tokens: Tokens) -> Tensor:
    """The mean log ratio of each reply, at each of its tokens."""
    log_ratio_N, reply_N = tokens.log_ratio_N, tokens.reply_N
    sum_R = log_ratio_N.new_zeros(int(reply_N.max()) + 1).index_add(0, reply_N, log_ratio_N)
    return sum_R[reply_N] / lengths(tokens)


def lengths(tokens: Tokens) -> Tensor:
    """The tokens of each reply, at each of them."""
    return torch.bincount(tokens.reply_N)[tokens.reply_N]


def clipped_loss(log_ratio_N: Tensor, advantage_N: Tensor, settings: TokenLoss) -> Tensor:
    """-min(ratio * A, clip(ratio, 1 - low, 1 + high) * A), and where A < 0 at most -dual * A."""
    ratio_N = torch.exp(log_ratio_N)
    clipped_ratio_N = ratio_N.clamp(1 - settings.clip_low, 1 + settings.clip_high)
    loss_N = -torch.minimum(ratio_N * advantage_N, clipped_ratio_N * advantage_N)
    if settings.dual:
        most_N = -settings.dual * advantage_N
        loss_N = torch.where(advantage_N < 0, torch.minimum(loss_N, most_N), loss_N)
    return loss_N


def clipped_mask(log_ratio_N: Tensor, advantage_N: Tensor, settings: TokenLoss) -> Tensor:
    """Which tokens have no gradient."""
    ratio_N = torch.exp(log_ratio_N)
    below_N = (ratio_N < 1 - settings.clip_low) | (ratio_N > (settings.dual or torch.inf))
    clipped_N = torch.where(advantage_N > 0, ratio_N > 1 + settings.clip_high, below_N)
    return clipped_N & (advantage_N != 0)
