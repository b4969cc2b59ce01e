"""DAPO: nothing up to `overlong` tokens before the longest reply, then down in a line to -1."""

from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import lengths


def overlong(lengths_PG: Tensor, max_tokens: int, room: int) -> Tensor:
    return -((lengths_PG - (max_tokens - room)) / room).clamp(0.0, 1.0)


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    return rewards_PG + overlong(
        lengths(groups), groups.max_tokens, groups.settings.reward.overlong
    )


def wanted(settings: Train) -> bool:
    return settings.reward.overlong > 0


SHAPING = Shaping(change, wanted, order=20)
