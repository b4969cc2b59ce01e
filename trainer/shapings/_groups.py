"""Tokens of replies, group by group."""

import torch
from torch import Tensor

from puzzlemill.trainer.shapings import Groups


def lengths(groups: Groups) -> Tensor:
    """Of the last reply of each conversation, PG."""
    return of_each(groups, [float(len(talk.last.tokens)) for some in groups.talks for talk in some])


def of_each(groups: Groups, values: list[float]) -> Tensor:
    """One value for each conversation, one after the other, as PG."""
    found_PG = groups.scores_PG.clone()
    found_PG[~found_PG.isnan()] = torch.tensor(values)
    return found_PG
