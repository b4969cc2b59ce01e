"""An advantage of 1 above the group's mean, and of -1 below it."""

from typing import Any

from torch import Tensor

from puzzlemill.trainer.advantages import Advantage


def formula(rewards_PG: Tensor, settings: Any) -> Tensor:
    return (rewards_PG - rewards_PG.nanmean(dim=1, keepdim=True)).sign()


ADVANTAGE = Advantage(formula)
