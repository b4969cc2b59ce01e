"""AdaCtrl: a reply begins with [Easy] or [Hard]; the group's pass rate says which one is right.

A tag that agrees with the group earns, one that does not earns nothing, and a reply without a tag
pays. Of right replies tagged [Easy] shorter ones earn more: from 1 at no tokens to 0 at the longest
reply of the group, by half a cosine.
"""

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import lengths, per_conversation, share_right

Tag = Literal["easy", "hard", ""]
EASY, HARD, NONE = 1.0, 0.0, -1.0  # tags as numbers


def tag(reply: str) -> Tag:
    """How hard a reply says that its problem is, with its first characters."""
    begin = reply.lstrip()[:6].casefold()
    if begin == "[easy]":
        return "easy"
    return "hard" if begin == "[hard]" else ""


def calibration(tags_PG: Tensor, easy_P1: Tensor) -> Tensor:
    """1 where the tag agrees with the group, 0 where it does not, -1 where there is none."""
    agrees_PG = (tags_PG == easy_P1.float()).float()
    return torch.where(tags_PG == NONE, torch.full_like(tags_PG, -1.0), agrees_PG)


def shortness(tags_PG: Tensor, scores_PG: Tensor, lengths_PG: Tensor) -> Tensor:
    """Of right replies tagged [Easy], from 1 at no tokens to 0 at the group's longest reply."""
    longest_P1 = lengths_PG.nan_to_num(nan=0.0).amax(dim=1, keepdim=True).clamp(min=1.0)
    short_PG = (1 + torch.cos(torch.pi * lengths_PG / longest_P1)) / 2
    return torch.where((tags_PG == EASY) & (scores_PG == 1), short_PG, 0.0)


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    reward, scores_PG = groups.settings.reward, groups.scores_PG
    tags_PG = per_conversation(groups, _numbers(groups))
    easy_P1 = share_right(scores_PG) >= reward.easy_from
    return (
        rewards_PG
        + reward.self_difficulty * calibration(tags_PG, easy_P1)
        + reward.easy_length * shortness(tags_PG, scores_PG, lengths(groups))
    )


def _numbers(groups: Groups) -> list[float]:
    tags: Sequence[Tag] = [tag(each.last.text) for some in groups.conversations for each in some]
    return [{"easy": EASY, "hard": HARD, "": NONE}[each] for each in tags]


def wanted(settings: Train) -> bool:
    return settings.reward.self_difficulty > 0 or settings.reward.easy_length > 0


SHAPING = Shaping(change, wanted, order=32)
