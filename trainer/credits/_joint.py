"""Credits of replies and their steps together: rewards are normalised as one."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, sqrt

from torch import Tensor

from puzzlemill.trainer.shapings import Groups

TINY = 1e-6


@dataclass(frozen=True, slots=True)
class StepsOf:
    """The steps of one reply, by its place."""

    place: tuple[int, int]
    ends: list[int]
    values: list[float]  # the prompt's first; none where nothing is known of the steps
    reward: float  # of the reply

    @property
    def lengths(self) -> list[int]:
        """The tokens of each step."""
        return [end - start for start, end in zip([0, *self.ends], self.ends, strict=False)]


def steps_of(rewards_PG: Tensor, groups: Groups) -> list[list[StepsOf]]:
    """Of each group the replies that are trained on. A reply of unknown values is one step."""
    found = []
    for place, (group, rewards) in enumerate(
        zip(groups.conversations, rewards_PG.tolist(), strict=True)
    ):
        replies = []
        for at, (conversation, reward) in enumerate(zip(group, rewards, strict=False)):
            tokens = sum(len(attempt.reply.tokens) for attempt in conversation.attempts)
            if isnan(reward) or not tokens:
                continue
            ends = [end for end, _ in conversation.values[1:]] or [tokens]
            values = [value for _, value in conversation.values]
            replies.append(StepsOf((place, at), ends, values, reward))
        found.append(replies)
    return found


def normalised(
    rewards: Sequence[Sequence[float]], counts: Sequence[Sequence[int]]
) -> list[list[float]]:
    """Rewards above the mean of all, in standard deviations; each counts so many times."""
    mean, spread = mean_and_deviation(rewards, counts)
    return [[(each - mean) / spread if spread else 0.0 for each in some] for some in rewards]


def mean_and_deviation(
    rewards: Sequence[Sequence[float]], counts: Sequence[Sequence[int]]
) -> tuple[float, float]:
    """Of all rewards, each as often as it counts. They are all alike where the second is 0."""
    pairs = [
        pair
        for some, many in zip(rewards, counts, strict=True)
        for pair in zip(some, many, strict=True)
    ]
    total = max(sum(count for _, count in pairs), 1)
    mean = sum(reward * count for reward, count in pairs) / total
    spread = sqrt(sum(count * (reward - mean) ** 2 for reward, count in pairs) / total)
    return mean, spread if spread > TINY else 0.0
