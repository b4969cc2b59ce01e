"""LUSPO: GSPO, with each reply's loss times its length, so that long replies are not favoured.

It is the sum over a reply's tokens where GSPO has the mean: mean = "replies" divides by the length.
"""

from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens
from puzzlemill.trainer.ratios._clipping import (
    clipped_loss,
    clipped_mask,
    lengths,
    mean_log_ratios,
)
from puzzlemill.trainer.settings.losses import TokenLoss


def loss(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return clipped_loss(mean_log_ratios(tokens), tokens.advantage_N, settings) * lengths(tokens)


def clipped(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return clipped_mask(mean_log_ratios(tokens), tokens.advantage_N, settings)


READS = ("clip_low", "clip_high", "dual")
RATIO = Ratio(loss, clipped)
