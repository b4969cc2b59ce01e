"""Rollouts: groups of conversations to prompts, with their scores, and what a run keeps of them.

Suffixes: P prompts, G replies to each; where a prompt has fewer replies than others, the rest of
its scores are NaN.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from statistics import fmean
from typing import Any

import torch
from torch import Tensor

from puzzlemill.difficulty.curricula import name_of
from puzzlemill.difficulty.policies.policy import Message, Reply
from puzzlemill.trainer.conversations import Conversation
from puzzlemill.trainer.micro_batch import Source
from puzzlemill.trainer.schedule import Row, Ticket
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of a step: an item, or an item with a hint."""

    ticket: Ticket
    row: Row  # with the prompt as the policy got it
    hint_share: float = 0.0  # of the solution that the prompt gives away, to the whole group
    step: int = 0  # in which its replies were sampled
    source: Source = "own"  # of the samples that are made of replies to it
    prefix: str = ""  # the beginning of the reply that replies go on from

    @property
    def plain(self) -> bool:
        """Whether it is the item's own, with nothing of a reply or a solution in it."""
        return not self.hint_share and not self.prefix


@dataclass(frozen=True, slots=True)
class Rollouts:
    """A group of conversations to each of some prompts, with their scores."""

    prompts: list[Prompt]
    conversations: list[list[Conversation]]
    scores_PG: Tensor  # of a conversation of several tries: its discounted return

    def __len__(self) -> int:
        return len(self.prompts)

    @property
    def groups(self) -> list[list[Reply]]:
        """The last reply of each conversation."""
        return [[each.last for each in group] for group in self.conversations]

    @property
    def replies(self) -> list[Reply]:
        """All that the policy sampled."""
        return [
            attempt.reply
            for group in self.conversations
            for each in group
            for attempt in each.attempts
            if not attempt.teacher
        ]

    def concat(self, other: "Rollouts") -> "Rollouts":
        widest = max(self.scores_PG.shape[1], other.scores_PG.shape[1])
        scores_PG = torch.cat([_widened(each.scores_PG, widest) for each in (self, other)])
        return Rollouts(
            self.prompts + other.prompts, self.conversations + other.conversations, scores_PG
        )

    def select(self, places: Sequence[int]) -> "Rollouts":
        conversations = [self.conversations[place] for place in places]
        # As wide as they need: rounding depends on a tensor's shape, and what a checkpoint brings
        # back is no wider.
        widest = max(map(len, conversations), default=0)
        scores_PG = self.scores_PG[torch.tensor(places, dtype=torch.long), :widest]
        return Rollouts([self.prompts[place] for place in places], conversations, scores_PG)

    def alone(self, places: Sequence[tuple[int, int]]) -> "Rollouts":
        """Some conversations, by prompt and place in its group, each as a group of its own."""
        return Rollouts(
            [self.prompts[place] for place, _ in places],
            [[self.conversations[place][at]] for place, at in places],
            self.scores_PG.new_tensor([[self.scores_PG[each].item()] for each in places]).view(
                len(places), 1
            ),
        )

    def only(self, places: Sequence[Sequence[int]]) -> "Rollouts":
        """The groups, each with its conversations at these places alone."""
        conversations = [
            [group[at] for at in some]
            for group, some in zip(self.conversations, places, strict=True)
        ]
        scores = [[own[at] for at in some] for own, some in zip(self.scores(), places, strict=True)]
        return Rollouts(self.prompts, conversations, padded_with_nan(scores))

    def of_plain_prompts(self) -> "Rollouts":
        """Without what was told a part of a solution, or went on from a prefix."""
        found = self.select([place for place, each in enumerate(self.prompts) if each.plain])
        if not any(each.hint_share for group in found.conversations for each in group):
            return found
        return found.only(
            [
                [at for at, each in enumerate(group) if not each.hint_share]
                for group in found.conversations
            ]
        )

    def without_refinements(self) -> "Rollouts":
        """What the policy replied to the prompts themselves."""
        if not any(each.source == "refinement" for group in self.conversations for each in group):
            return self
        return self.only(
            [
                [at for at, each in enumerate(group) if each.source != "refinement"]
                for group in self.conversations
            ]
        )

    def of_source(self, source: Source) -> "Rollouts":
        prompts = [replace(prompt, source=source) for prompt in self.prompts]
        return Rollouts(prompts, self.conversations, self.scores_PG)

    def scores(self) -> list[list[float]]:
        """Of each group, without NaN."""
        rows = zip(self.scores_PG.tolist(), self.conversations, strict=True)
        return [scores[: len(group)] for scores, group in rows]


def no_rollouts() -> Rollouts:
    return Rollouts([], [], torch.zeros((0, 0)))


@dataclass(frozen=True, slots=True)
class Verification:
    """What the policy says of a reply: the one of that number to the prompt at a place."""

    place: int
    number: int
    messages: tuple[Message, ...]
    reply: Reply


@dataclass
class Buffers:
    """What a run carries from step to step, besides its weights and its schedule."""

    # Useful groups beyond those that a step had room for; the next step trains on them first.
    overflow: Rollouts = field(default_factory=no_rollouts)
    # Groups with replies under way, which go on in the next step.
    unfinished: Rollouts = field(default_factory=no_rollouts)
    replay: Rollouts = field(default_factory=no_rollouts)  # of earlier steps, the oldest first
    # Good replies of earlier steps, each a group of its own, and the means of recent groups.
    good: Rollouts = field(default_factory=no_rollouts)
    group_means: list[float] = field(default_factory=list)
    # The last right replies to each item, if they are to join later groups, the oldest first.
    successes: Rollouts = field(default_factory=no_rollouts)
    # Rollouts of the next steps, sampled ahead, which wait to be learned from.
    prefetched: "list[StepRollouts]" = field(default_factory=list)
    entropy_weight: float | None = None  # of the entropy bonus, which may follow an aim
    imitation_weight: float | None = None  # of imitation beside RL, which a meta-gradient may move
    self_reward_constant: float | None = None  # of LaSeR's self-rewards, measured before step 0
    # How many verified replies are right and wrong, as moving averages; empty before the first.
    outcome_counts: list[float] = field(default_factory=list)
    # Of shapings, by name. It is replaced and never changed, since a step that is trained on while
    # the next one is sampled still reads its own.
    memory: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StepRollouts:
    sampled: Rollouts  # all; the prompts that the curriculum picked come first
    kept: Rollouts  # to train on
    discarded: dict[str, int]  # prompts that are not trained on, by family and level
    # Of shapings, as it was when the groups were chosen.
    memory: dict[str, Any] = field(default_factory=dict)
    # Good replies of earlier steps to train on; their advantages stand for scores.
    imitated: Rollouts = field(default_factory=no_rollouts)
    others: Rollouts = field(default_factory=no_rollouts)  # to items apart, for a meta-gradient
    # Of the kept replies, as the policy that verifies gave them.
    verifications: Sequence[Verification] = ()
    schedule: dict[str, float] = field(default_factory=dict)  # metrics of it, after this step
    version: int = 0  # the step whose weights sampled it


def groups_of(
    rollouts: Rollouts,
    settings: Train,
    max_tokens: int,
    step: int,
    memory: Mapping[str, Any] | None = None,
) -> Groups:
    """Rollouts as shapings and advantages see them."""
    rows, scores_PG = [prompt.row for prompt in rollouts.prompts], rollouts.scores_PG
    return Groups(rows, rollouts.conversations, scores_PG, settings, max_tokens, step, memory or {})


def scores_by_cell(sampled: Rollouts) -> dict[str, list[float]]:
    """By family and level: the number of prompts, and the mean score of their replies."""
    means: dict[str, list[float]] = {}
    for prompt, mean in zip(
        sampled.prompts, sampled.scores_PG.nanmean(dim=1).tolist(), strict=True
    ):
        means.setdefault(cell_name(prompt), []).append(mean)
    return {cell: [len(some), round(fmean(some), 4)] for cell, some in sorted(means.items())}


def cell_name(prompt: Prompt) -> str:
    return name_of((prompt.row["family"], prompt.row["level"]))


def padded_with_nan(scores: Sequence[Sequence[float]]) -> Tensor:
    widest = max(map(len, scores), default=0)
    filled = [[*each, *[nan] * (widest - len(each))] for each in scores]
    return torch.tensor(filled).view(len(scores), widest)


def _widened(scores_PG: Tensor, widest: int) -> Tensor:
    more = scores_PG.new_full((len(scores_PG), widest - scores_PG.shape[1]), nan)
    return torch.cat((scores_PG, more), dim=1)
