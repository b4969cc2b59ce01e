"""A shaping that pays everything twice."""

from torch import Tensor

from puzzlemill.trainer.shapings import Groups, Shaping


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    return 2 * rewards_PG


SHAPING = Shaping(change)
