"""PPO: each token's ratio is clipped."""

from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens
from puzzlemill.trainer.ratios._clipping import clipped, cut_off
from puzzlemill.trainer.settings import TokenLoss


def loss(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return clipped(tokens.apart_N, tokens.advantage_N, settings)


def cut(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return cut_off(tokens.apart_N, tokens.advantage_N, settings)


READS = ("clip_low", "clip_high", "dual")
RATIO = Ratio(loss, cut)
