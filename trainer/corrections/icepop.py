"""IcePop: by the ratio of the two probabilities, and nothing outside `least` and `most`."""

import torch
from torch import Tensor

from puzzlemill.trainer.corrections import Correction
from puzzlemill.trainer.settings.losses import TokenLoss


def weight(log_ratio_N: Tensor, reply_N: Tensor, settings: TokenLoss) -> Tensor:
    weight_N = log_ratio_N.exp()
    near_N = (weight_N >= settings.least) & (weight_N <= settings.most)
    return torch.where(near_N, weight_N, 0.0)


READS = ("least", "most")
CORRECTION = Correction(weight)
