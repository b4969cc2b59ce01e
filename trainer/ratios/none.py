"""REINFORCE: no ratio, as if every token had been sampled by the policy as it is now."""

from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens
from puzzlemill.trainer.settings.losses import TokenLoss


def loss(tokens: Tokens, settings: TokenLoss) -> Tensor:
    return -tokens.logp_N * tokens.advantage_N


RATIO = Ratio(loss)
