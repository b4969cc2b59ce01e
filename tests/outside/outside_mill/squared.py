"""A ratio that is drawn back by the square of its logarithm."""

from typing import Any

from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens


def loss(tokens: Tokens, settings: Any) -> Tensor:
    return tokens.log_ratio_N.square() - tokens.advantage_N * tokens.log_ratio_N.exp()


RATIO = Ratio(loss)
