"""PPO: each token's ratio is clipped."""

from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens
from puzzlemill.trainer.ratios._clipping import clipped_loss, clipped_mask
from puzzlemill.trainer.settings.losses import TokenLoss


def loss(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return clipped_loss(tokens.log_ratio_N, tokens.advantage_N, settings)


def clipped(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return clipped_mask(tokens.log_ratio_N, tokens.advantage_N, settings)


READS = ("clip_low", "clip_high", "dual")
RATIO = Ratio(loss, clipped)
