"""Refinements (Critique-GRPO): second replies, after a critique, join the group of the first ones.

A refinement is learned behind the plain prompt, without the critique, and by f(p) = p / (p + gamma)
of its tokens' probabilities in place of an importance ratio (`OffPolicy`): it was sampled from
another prompt, and what is unlikely without the critique counts most.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from puzzlemill.trainer.conversations import Attempt, Conversation


def with_refinements(
    rows: Sequence[Mapping[str, Any]],
    groups: Sequence[Sequence[Conversation]],
    purpose: str,
    count: int,
) -> list[list[Conversation]]:
    """The first replies of each group, and so many of the last ones of those that were tried again:
    right ones first."""
    return [
        [*map(_first_alone, group), *_chosen(group, count, f"{purpose} refine {row['uid']}")]
        for row, group in zip(rows, groups, strict=True)
    ]


def _first_alone(conversation: Conversation) -> Conversation:
    verdict = conversation.earlier[0] if conversation.earlier else conversation.verdict
    return Conversation(conversation.attempts[:1], verdict)


def _chosen(group: Sequence[Conversation], count: int, seed: str) -> list[Conversation]:
    refined = [each for each in group if len(each.attempts) > 1 and each.last.tokens]
    Random(seed).shuffle(refined)
    refined.sort(key=lambda each: not each.verdict.correct)
    return [
        Conversation(
            (Attempt(each.attempts[0].messages, each.last),), each.verdict, source="refinement"
        )
        for each in refined[:count]
    ]
