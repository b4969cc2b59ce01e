"""Truncated importance sampling: by the ratio of the two probabilities, cut at `most`."""

from torch import Tensor

from puzzlemill.trainer.corrections import Correction
from puzzlemill.trainer.settings import TokenLoss


def weight(apart_N: Tensor, reply_N: Tensor, settings: TokenLoss) -> Tensor:
    return apart_N.exp().clamp(max=settings.most)


READS = ("most",)
CORRECTION = Correction(weight)
