"""By the ratio of the two probabilities of a whole reply, and nothing above `most`."""

import torch
from torch import Tensor

from puzzlemill.trainer.corrections import Correction
from puzzlemill.trainer.settings.losses import TokenLoss


def weight(log_ratio_N: Tensor, reply_N: Tensor, settings: TokenLoss) -> Tensor:
    count = int(reply_N.max()) + 1
    whole_R = log_ratio_N.new_zeros(count).index_add(0, reply_N, log_ratio_N).exp()
    return torch.where(whole_R <= settings.most, whole_R, 0.0)[reply_N]


READS = ("most",)
CORRECTION = Correction(weight)
