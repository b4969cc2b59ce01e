"""GSPO: the ratio of a whole reply is clipped: the geometric mean over its tokens."""

from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens
from puzzlemill.trainer.ratios._clipping import clipped_loss, clipped_mask, mean_log_ratios
from puzzlemill.trainer.settings.losses import TokenLoss


def loss(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return clipped_loss(mean_log_ratios(tokens), tokens.advantage_N, settings)


def clipped(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return clipped_mask(mean_log_ratios(tokens), tokens.advantage_N, settings)


READS = ("clip_low", "clip_high", "dual")
RATIO = Ratio(loss, clipped)
