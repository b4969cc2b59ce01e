"""Advantages: how much better each reply did than its group. A file here is a choice by its name.

Suffixes: P prompts, G replies to each. Rewards are scores from 0 to 1, or beyond once they are
shaped; where a group has fewer replies than others, the rest of it is NaN, here and in what comes
out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:
    from torch import Tensor

    from puzzlemill.trainer.settings import Loss


@dataclass(frozen=True, slots=True)
class Advantage:
    """`formula` makes advantages of rewards, PG of PG; what it may be set to stands in `Loss`."""

    formula: "Callable[[Tensor, Loss], Tensor]"
    one_sided: bool = False  # whether it can use groups all of whose rewards are alike


ADVANTAGES = Choices("advantage", __name__, "ADVANTAGE", "puzzlemill.advantages")


def advantages(rewards_PG: "Tensor", settings: "Loss") -> "Tensor":
    """By the recipe's choice."""
    if not len(rewards_PG):
        return rewards_PG
    chosen: Advantage = ADVANTAGES.load(settings.advantage)
    return chosen.formula(rewards_PG, settings)


def useful_groups(rewards_PG: "Tensor", settings: "Loss") -> "Tensor":
    """Which groups the recipe's choice can learn from, P."""
    chosen: Advantage = ADVANTAGES.load(settings.advantage)
    return mixed_groups(rewards_PG) | chosen.one_sided


def mixed_groups(rewards_PG: "Tensor") -> "Tensor":
    """Which groups have rewards that differ: by exact comparison, since rounding makes a standard
    deviation of 0 a small number."""
    return ((rewards_PG != rewards_PG[:, :1]) & ~rewards_PG.isnan()).any(dim=1)
