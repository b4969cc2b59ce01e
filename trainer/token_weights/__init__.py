"""Token weights: what each token counts in the policy's loss, by what an update knows of all.

A file here is a choice by its name. Suffix: N tokens of replies, all replies one after the other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:
    from torch import Tensor

    from puzzlemill.trainer.settings.losses import TokenLoss


@dataclass(frozen=True, slots=True)
class TokenStats:
    """What is known of some tokens before an update, without gradients."""

    logp_N: "Tensor"  # of the policy as it is now
    old_logp_N: "Tensor"  # when they were sampled
    entropy_N: "Tensor"  # of the distribution that each was drawn from
    advantage_N: "Tensor"


# The weight of each of some tokens, from these and all tokens of the update, on all ranks.
TokenWeight: TypeAlias = "Callable[[TokenStats, TokenStats], Tensor]"

TOKEN_WEIGHTS = Choices("token weight", __name__, "WEIGHT")


def token_weights(some: TokenStats, whole: TokenStats, settings: "TokenLoss") -> "Tensor":
    """The product of the recipe's choices."""
    weight_N = some.logp_N.new_ones(some.logp_N.shape)
    for name in settings.token_weights:
        chosen: TokenWeight = TOKEN_WEIGHTS.load(name)
        weight_N = weight_N * chosen(some, whole)
    return weight_N
