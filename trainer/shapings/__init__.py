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
    # By which settings it is on; None: by its name alone.
    wanted: "Callable[[Train], bool] | None" = None
    order: int = 50  # lower ones go first; those of one number by their names


SHAPINGS = Choices("shaping", __name__, "SHAPING", "puzzlemill.shapings")


def rewards(groups: Groups, also: Sequence[str] = ()) -> "Tensor":
    """The reward of each reply, PG: its score, shaped."""
    rewards_PG = groups.scores_PG
    for each in applied(groups.settings, also):
        rewards_PG = each.change(rewards_PG, groups)
    return rewards_PG


def applied(settings: "Train", also: Sequence[str] = ()) -> list[Shaping]:
    """The shapings that the settings turn on, and others by name."""
    known: dict[str, Shaping] = {name: SHAPINGS.load(name) for name in SHAPINGS.names()}
    for name in also:
        SHAPINGS.check(name)
    on = [name for name in known if name in also or _wanted(known[name], settings)]
    return [known[name] for name in sorted(on, key=lambda name: (known[name].order, name))]


def _wanted(shaping: Shaping, settings: "Train") -> bool:
    return shaping.wanted is not None and shaping.wanted(settings)
