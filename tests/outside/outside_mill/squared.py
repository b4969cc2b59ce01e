"""A ratio that is drawn back by the square of its logarithm."""

from typing import Any

from torch import Tensor

from puzzlemill.trainer.ratios import Ratio, Tokens


def loss(tokens: Tokens, settings: Any) -> Tensor:
    return tokens.apart_N.square() - tokens.advantage_N * tokens.apart_N.exp()


RATIO = Ratio(loss)
