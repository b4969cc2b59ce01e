"""Memory-R+: a reply earns by likeness to earlier right replies and unlikeness to wrong ones.

Likeness is the mean cosine with the nearest kept replies of the same family, by how often each
token occurs. What a group's replies earn of it adds up to nothing, so that novelty alone cannot be
paid.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean
from typing import Any, TypeAlias

from torch import Tensor

from puzzlemill.trainer.conversations import Conversation
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import per_conversation

KEPT = 64  # replies of a family, right and wrong ones apart: the last
NEAREST = 4  # that count

Counts: TypeAlias = Sequence[Sequence[int]]  # a token, and how often a reply has it


def counts_of(conversation: Conversation) -> list[list[int]]:
    """By token, as a checkpoint keeps it."""
    return [[*each] for each in sorted(Counter(conversation.last.tokens).items())]


def cosine(some: Counts, others: Counts) -> float:
    second = {each[0]: each[1] for each in others}
    product = sum(count * second.get(token, 0) for token, count in some)
    sizes = sqrt(sum(c * c for _, c in some)) * sqrt(sum(c * c for _, c in others))
    return product / sizes if sizes else 0.0


def likeness(counts: Counts, kept: Sequence[Counts]) -> float | None:
    """The mean cosine with the nearest of them; None where there are none."""
    nearest = sorted((cosine(counts, each) for each in kept), reverse=True)[:NEAREST]
    return fmean(nearest) if nearest else None


def intrinsic(counts: Counts, right: Sequence[Counts], wrong: Sequence[Counts]) -> float:
    """0 to 1: half for likeness to right replies, half for unlikeness to wrong ones."""
    near, known = likeness(counts, right), likeness(counts, wrong)
    return ((near or 0.0) + (0.0 if known is None else 1 - known)) / 2


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    values = []
    for row, group in zip(groups.rows, groups.conversations, strict=True):
        right, wrong = (groups.memory.get(of, {}).get(row["family"], ()) for of in OUTCOMES)
        earned = [intrinsic(counts_of(each), right, wrong) for each in group]
        values += [each - fmean(earned) for each in earned]
    return rewards_PG + groups.settings.reward.episodic * per_conversation(groups, values)


def updated(groups: Groups) -> Mapping[str, Any]:
    """The last right and wrong replies of each family."""
    memory = {of: dict(groups.memory.get(of, {})) for of in OUTCOMES}
    for row, group in zip(groups.rows, groups.conversations, strict=True):
        for each in group:
            of = memory[OUTCOMES[not each.verdict.correct]]
            of[row["family"]] = [*of.get(row["family"], ()), counts_of(each)][-KEPT:]
    return memory


def wanted(settings: Train) -> bool:
    return settings.reward.episodic > 0


OUTCOMES = ("right", "wrong")
SHAPING = Shaping(change, wanted, order=36, update=updated)
