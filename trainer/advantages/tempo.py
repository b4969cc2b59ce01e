"""TEMPO: GRPO's, and at each token where replies of a group part, what the choice changed.

The replies of a group form a tree of tokens. A prefix is worth the mean reward of the replies that
begin with it; a token adds the worth of the prefix with it, less that without it. Where replies do
not part, that is 0.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from math import isnan

from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages.grpo import formula
from puzzlemill.trainer.conversations import Conversation
from puzzlemill.trainer.shapings import Groups

NEXT_TRY = -1  # no token: the feedback between two tries, the same for all


@dataclass(slots=True)
class Prefix:
    """A node of the tree."""

    total: float = 0.0  # of the rewards of the replies through it
    replies: int = 0
    longer: "dict[int, Prefix]" = field(default_factory=dict)  # by the next token

    @property
    def value(self) -> float:
        return self.total / self.replies


def of_tokens(rewards_PG: Tensor, groups: Groups) -> list[list[list[float]]]:
    return [
        branch_values([path_of(each) for each in group], rewards)
        for group, rewards in zip(groups.conversations, rewards_PG.tolist(), strict=True)
    ]


def path_of(conversation: Conversation) -> list[int]:
    path: list[int] = []
    for number, attempt in enumerate(conversation.attempts):
        path += [NEXT_TRY, *attempt.reply.tokens] if number else attempt.reply.tokens
    return path


def branch_values(paths: list[list[int]], rewards: Iterable[float]) -> list[list[float]]:
    """What each token of each path adds; nothing on a path whose reward is NaN."""
    root, values = Prefix(), []
    rewarded = [*zip(paths, rewards)]  # rewards may go on, for groups of more replies
    for path, reward in rewarded:
        if not isnan(reward):
            for node in _walk(root, path):
                node.total += reward
                node.replies += 1
    for path, reward in rewarded:
        nodes = [] if isnan(reward) else _walk(root, path)
        steps = [
            after.value - before.value if before.replies != after.replies else 0.0
            for before, after in pairwise(nodes)
        ] or [0.0] * len(path)
        values.append([step for step, token in zip(steps, path) if token != NEXT_TRY])
    return values


def _walk(root: Prefix, path: Iterable[int]) -> list[Prefix]:
    """The prefixes along a path, the empty one first; new ones are added to the tree."""
    nodes = [root]
    for token in path:
        nodes.append(nodes[-1].longer.setdefault(token, Prefix()))
    return nodes


ADVANTAGE = Advantage(formula, of_tokens=of_tokens)
