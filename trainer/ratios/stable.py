"""StableReinforce (R1-Reward): `clip`, with log ratios cut before they become ratios.

A ratio cannot overflow, and a token whose probability has changed a thousandfold has no gradient,
whatever its advantage.
"""

from math import log

from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens
from puzzlemill.trainer.ratios._clipping import clipped_loss, clipped_mask
from puzzlemill.trainer.settings.losses import TokenLoss

LEAST, MOST = log(1e-3), log(1e3)  # log ratios


def loss(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return clipped_loss(tokens.log_ratio_N.clamp(LEAST, MOST), tokens.advantage_N, settings)


def clipped(tokens: Tokens, settings: TokenLoss) -> Tensor:
    log_ratio_N = tokens.log_ratio_N
    cut_N = (log_ratio_N < LEAST) | (log_ratio_N > MOST)
    return clipped_mask(log_ratio_N, tokens.advantage_N, settings) | (
        cut_N & (tokens.advantage_N != 0)
    )


READS = ("clip_low", "clip_high", "dual")
RATIO = Ratio(loss, clipped)
