"""Truncated importance sampling: by the ratio of the two probabilities, cut at `most`."""

from torch import Tensor

from puzzlemill.trainer.corrections import Correction
from puzzlemill.trainer.settings.losses import TokenLoss


def weight(log_ratio_N: Tensor, reply_N: Tensor, settings: TokenLoss) -> Tensor:
    return log_ratio_N.exp().clamp(max=settings.most)


READS = ("most",)
CORRECTION = Correction(weight)
