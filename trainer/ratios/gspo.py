"""GSPO: the ratio of a whole reply is clipped: the geometric mean over its tokens."""

import torch
from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens
from puzzlemill.trainer.ratios._clipping import clipped_loss, clipped_mask
from puzzlemill.trainer.settings import TokenLoss


def loss(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return clipped_loss(_of_whole_replies(tokens), tokens.advantage_N, settings)


def clipped(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return clipped_mask(_of_whole_replies(tokens), tokens.advantage_N, settings)


def _of_whole_replies(tokens: Tokens) -> Tensor:
    """The mean log ratio of each reply, at each of its tokens."""
    log_ratio_N, reply_N = tokens.log_ratio_N, tokens.reply_N
    count = int(reply_N.max()) + 1
    sum_R = log_ratio_N.new_zeros(count).index_add(0, reply_N, log_ratio_N)
    length_R = torch.bincount(reply_N, minlength=count).clamp(min=1)
    return (sum_R / length_R)[reply_N]


READS = ("clip_low", "clip_high", "dual")
RATIO = Ratio(loss, clipped)
