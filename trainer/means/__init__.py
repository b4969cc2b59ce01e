"""Means: what a token of each reply counts in the loss, whatever batch it falls into.

A file here is a choice by its name.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:
    from puzzlemill.trainer.settings.losses import TokenLoss

# From the tokens of each reply and the most that a reply may have, the weight of a token of each.
Mean: TypeAlias = Callable[[Sequence[int], int], list[float]]

MEANS = Choices("mean", __name__, "MEAN")


def weights(lengths: Sequence[int], settings: "TokenLoss", most: int) -> list[float]:
    """By the recipe's choice."""
    chosen: Mean = MEANS.load(settings.mean)
    return chosen(lengths, most)
