"""Importance ratios: the loss of a token whose probability has changed since it was sampled.

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
class Tokens:
    """The tokens of a batch."""

    logp_N: "Tensor"  # with its gradient
    old_logp_N: "Tensor"  # when they were sampled
    advantage_N: "Tensor"
    reply_N: "Tensor"  # which of the replies each belongs to
    # Of right replies in the group of each; None or NaN where that is unknown.
    rate_N: "Tensor | None" = None

    @property
    def log_ratio_N(self) -> "Tensor":
        """The logarithm of each importance ratio."""
        return self.logp_N - self.old_logp_N


@dataclass(frozen=True, slots=True)
class Ratio:
    """What it may be set to stands in `TokenLoss`."""

    loss: "Callable[[Tokens, TokenLoss], Tensor]"  # of each token
    # Which tokens have no gradient; None: all have one.
    clipped: "Callable[[Tokens, TokenLoss], Tensor] | None" = None


RATIOS = Choices("ratio", __name__, "RATIO", "puzzlemill.ratios")


def policy_loss(tokens: Tokens, settings: "TokenLoss") -> "Tensor":
    """One value a token, by the recipe's choice of ratio."""
    chosen: Ratio = RATIOS.load(settings.ratio)
    return chosen.loss(tokens, settings)


def clipped_share(tokens: Tokens, settings: "TokenLoss") -> float:
    """The share of tokens that the recipe's choice clips: they have no gradient."""
    chosen: Ratio = RATIOS.load(settings.ratio)
    if chosen.clipped is None:
        return 0.0
    return chosen.clipped(tokens, settings).float().mean().item()
