"""Corrections: how much a token counts where the engine that sampled it differs from the one that
trains. A file here is a choice by its name.

Suffixes: N tokens of replies, all replies one after the other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:
    from torch import Tensor

    from puzzlemill.trainer.settings import TokenLoss


@dataclass(frozen=True, slots=True)
class Correction:
    """`weight` takes how far the trainer's log-probabilities are above the sampler's, 0 where those
    are unknown, and which of the replies each token belongs to."""

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
    """How much each token counts, by the recipe's choice."""
    apart_N = (old_N - sampled_N).nan_to_num(nan=0.0)
    return correction(settings).weight(apart_N, reply_N, settings)
