"""GSPO: the ratio of a whole reply is clipped: the geometric mean over its tokens."""

import torch
from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens
from puzzlemill.trainer.ratios._clipping import clipped, cut_off
from puzzlemill.trainer.settings import TokenLoss


def loss(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return clipped(_of_whole_replies(tokens), tokens.advantage_N, settings)


def cut(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return cut_off(_of_whole_replies(tokens), tokens.advantage_N, settings)


def _of_whole_replies(tokens: Tokens) -> Tensor:
    """The mean log ratio of each reply, at each of its tokens."""
    apart_N, reply_N = tokens.apart_N, tokens.reply_N
    count = int(reply_N.max()) + 1
    sum_R = apart_N.new_zeros(count).index_add(0, reply_N, apart_N)
    length_R = torch.bincount(reply_N, minlength=count).clamp(min=1)
    return (sum_R / length_R)[reply_N]


READS = ("clip_low", "clip_high", "dual")
RATIO = Ratio(loss, cut)
