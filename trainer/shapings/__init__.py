"""Reward shapings: what a reply earns beside its score. A file here is a choice by its name.

Suffixes: P prompts, G replies to each; NaN where a group has fewer replies than others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:
    from torch import Tensor

    from puzzlemill.trainer.conversations import Conversation
    from puzzlemill.trainer.schedule import Row
    from puzzlemill.trainer.settings import Train


@dataclass(frozen=True, slots=True)
class Groups:
    """The conversations of a step, by prompt, and what there is to know of them."""

    rows: "Sequence[Row]"  # as the policy was asked
    conversations: "Sequence[Sequence[Conversation]]"  # replies and verdicts
    scores_PG: "Tensor"  # of a conversation of several tries: its discounted return
    settings: "Train"
    max_tokens: int  # of a reply
    step: int


@dataclass(frozen=True, slots=True)
class Shaping:
    """`change` makes rewards of rewards: what it may be set to stands in the `settings` of its
    groups."""

    change: "Callable[[Tensor, Groups], Tensor]"
    # By which settings one of ours is on; one of another package is on where a recipe names it.
    wanted: "Callable[[Train], bool] | None" = None
    order: int = 50  # lower ones go first; those of one number by their names


SHAPINGS = Choices("shaping", __name__, "SHAPING", "puzzlemill.shapings")


def rewards(groups: Groups) -> "Tensor":
    """The reward of each reply, PG: its score, shaped."""
    rewards_PG = groups.scores_PG
    for each in applied(groups.settings):
        rewards_PG = each.change(rewards_PG, groups)
    return rewards_PG


def applied(settings: "Train") -> list[Shaping]:
    """Our shapings that the settings turn on, and those of other packages that they name."""
    ours: dict[str, Shaping] = {
        name: SHAPINGS.load(name) for name in SHAPINGS.names() if SHAPINGS.ours(name)
    }
    on = {name: each for name, each in ours.items() if each.wanted and each.wanted(settings)}
    on |= {name: SHAPINGS.load(name) for name in settings.reward.also}
    return [on[name] for name in sorted(on, key=lambda name: (on[name].order, name))]
