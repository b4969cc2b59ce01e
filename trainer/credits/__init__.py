"""Credits: what is made of the values of a reply's steps. A file here is a choice by its name.

A reply's steps are its lines. Each has a value: what is known of the reply after it, from 0 to 1.
Suffixes: P prompts, G replies to each.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, TypeAlias

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:
    from torch import Tensor

    from puzzlemill.trainer.settings.rewards import Process
    from puzzlemill.trainer.shapings import Groups, Rewards, StepRewards

# Tokens up to the end of a step, and the reply's value after it. The first is of no tokens: the
# value of the prompt alone. Empty where nothing is known of a reply's steps.
StepValues: TypeAlias = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Credit:
    """`change` makes rewards of rewards and of the step values of the groups' conversations."""

    change: "Callable[[Tensor, Groups], Rewards]"
    # Whether it normalises a reply's reward together with its steps: no advantage is made of it.
    joint: bool = False


CREDITS = Choices("credit", __name__, "CREDIT")


def gains(values: Sequence[float]) -> list[float]:
    """What each step adds to the value before it. They add up to the last value less the first."""
    return [after - before for before, after in pairwise(values)]


def to_go(rewards: Sequence[float]) -> list[float]:
    """Of each step: its own reward and those of the steps after it."""
    return [*accumulate(reversed(rewards))][::-1]


def step_credits(
    groups: "Groups", of_steps: "Callable[[list[float], float, Process], list[float]]"
) -> "StepRewards":
    """The credit of each step, weighed: by a function of a reply's values, the prompt's first, of
    its score and of the settings."""
    settings = groups.settings.process
    found: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for place, group in enumerate(groups.conversations):
        for at, conversation in enumerate(group):
            if not conversation.values:
                continue
            ends, values = zip(*conversation.values, strict=True)
            of_each = of_steps([*values], conversation.verdict.score, settings)
            weighed = [settings.weight * credit for credit in of_each]
            found[place, at] = [*zip(ends[1:], weighed, strict=True)]
    return found
