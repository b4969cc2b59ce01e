"""T1: n-grams of tokens that a reply repeats cost it their share of all its n-grams."""

from collections.abc import Sequence

from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import per_conversation


def repetition(tokens: Sequence[int], size: int) -> float:
    """The share of n-grams that are repeats of earlier ones."""
    ngrams = [tuple(tokens[start : start + size]) for start in range(len(tokens) - size + 1)]
    return 1 - len({*ngrams}) / len(ngrams) if ngrams else 0.0


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    reward = groups.settings.reward
    shares = [
        repetition(each.last.tokens, reward.ngram_size)
        for group in groups.conversations
        for each in group
    ]
    return rewards_PG - reward.ngram_cost * per_conversation(groups, shares)


def wanted(settings: Train) -> bool:
    return settings.reward.ngram_cost > 0


SHAPING = Shaping(change, wanted, order=35)
