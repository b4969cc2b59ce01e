"""PAR: the sigmoid of the reward above a reference, which bounds what shaping adds up to.

The reference is the item's pass rate as it was scored before training; where there is none, the
mean of the group.
"""

import torch
from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    scored = [row.get("mean") for row in groups.rows]
    known_P1 = rewards_PG.new_tensor([torch.nan if each is None else each for each in scored])[
        :, None
    ]
    mean_P1 = rewards_PG.nanmean(dim=1, keepdim=True)
    return torch.sigmoid(rewards_PG - torch.where(known_P1.isnan(), mean_P1, known_P1))


def wanted(settings: Train) -> bool:
    return settings.reward.par


SHAPING = Shaping(change, wanted, order=60)  # of all that is added
