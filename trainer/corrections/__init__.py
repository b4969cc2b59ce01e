"""Corrections of the mismatch between sampler and trainer: the importance weight of each token.

A file here is a choice by its name. Suffixes: N tokens of replies, all replies one after the other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:
    from torch import Tensor

    from puzzlemill.trainer.settings.losses import TokenLoss


@dataclass(frozen=True, slots=True)
class Correction:
    """`weight` takes the log ratio of the trainer's probability to the sampler's, 0 where that is
    unknown, and which of the replies each token belongs to."""

    weight: "Callable[[Tensor, Tensor, TokenLoss], Tensor]"
    # Whether importance ratios are to the trainer's own log-probabilities, and not the sampler's.
    own: bool = True


CORRECTIONS = Choices("correction", __name__, "CORRECTION")


def correction(settings: "TokenLoss") -> Correction:
    """The recipe's choice."""
    chosen: Correction = CORRECTIONS.load(settings.correction)
    return chosen


def mismatch_weight(
    old_N: "Tensor", sampled_N: "Tensor", reply_N: "Tensor", settings: "TokenLoss"
) -> "Tensor":
    """The importance weight of each token, by the recipe's choice."""
    log_ratio_N = (old_N - sampled_N).nan_to_num(nan=0.0)
    return correction(settings).weight(log_ratio_N, reply_N, settings)
