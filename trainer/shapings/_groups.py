"""Tokens of replies, group by group."""

import torch
from torch import Tensor

from puzzlemill.trainer.shapings import Groups


def lengths(groups: Groups) -> Tensor:
    """Of the last reply of each conversation, PG."""
    return per_conversation(
        groups, [float(len(each.last.tokens)) for some in groups.conversations for each in some]
    )


def per_conversation(groups: Groups, values: list[float]) -> Tensor:
    """One value for each conversation, one after the other, as PG."""
    values_PG = groups.scores_PG.clone()
    values_PG[~values_PG.isnan()] = torch.tensor(values)
    return values_PG
