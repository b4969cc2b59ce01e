"""DeepTheorem: a reply to a form of a claim earns as far as all other forms are judged right, too.

The forms of a claim are one variant group. A reply's reward is times the share of right replies to
each other form, of this step or else the last one that was taken: that is the chance that one reply
to each of them is right. A claim of which no other form was asked yet is left out.
"""

from collections.abc import Mapping
from math import prod
from typing import Any, TypeAlias

import torch
from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import share_right

Shares: TypeAlias = Mapping[str, Mapping[str, float]]  # of right replies, by claim and item


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    shaped, shares = rewards_PG.clone(), updated(groups)
    for place, row in enumerate(groups.rows):
        if is_claim(row):
            forms = shares[_claim(row)]
            others = [share for uid, share in forms.items() if uid != row["uid"]]
            shaped[place] *= prod(others) if others else torch.nan
    return shaped


def updated(groups: Groups) -> dict[str, Any]:
    """The last share of right replies to each form."""
    shares = {claim: dict(by_item) for claim, by_item in groups.memory.items()}
    for row, right in zip(groups.rows, share_right(groups.scores_PG)[:, 0].tolist(), strict=True):
        if is_claim(row):
            shares.setdefault(_claim(row), {})[row["uid"]] = right
    return shares


def is_claim(row: Mapping[str, Any]) -> bool:
    return "claim" in str(row["family"]).split("+")[1:]


def _claim(row: Mapping[str, Any]) -> str:
    return str(row.get("variant_group") or row["uid"])


def wanted(settings: Train) -> bool:
    return settings.reward.forms


SHAPING = Shaping(change, wanted, order=8, update=updated)
