"""Majority votes as rewards, without gold: a group's own (MM-UPT), or its variants' (Co-Reward).

With `own`, a reply earns 1 if its answer is the one that most replies of its group give. With
`partner`, the label is the vote on another wording of the problem: of this step, or else the last
one that was taken. What joined a group, such as a demonstration, has no vote. Groups without a
label, or with too small a majority, are left out.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from puzzlemill.core.replies import answer_text
from puzzlemill.difficulty.votes import Vote, answer_given, majority
from puzzlemill.trainer.conversations import Conversation
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import answers

# By problem (gold included, since twins have another) and item: an answer's text and its share.
Polls: TypeAlias = Mapping[str, Mapping[str, tuple[str, float]]]


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    reward, voted = groups.settings.reward, rewards_PG.clone()
    given = answers(groups)
    polls = updated(groups) if reward.vote == "partner" else {}
    for place, (row, group) in enumerate(zip(groups.rows, given, strict=True)):
        voters = _voters(groups.conversations[place], group)
        label = majority(voters) if reward.vote == "own" else _partner_s(row, polls)
        there = ~rewards_PG[place].isnan()
        if label is None or label.share < reward.vote_share:
            voted[place] = torch.nan
        else:
            voted[place, there] = torch.tensor([float(each == label.answer) for each in group])
    return voted


def updated(groups: Groups) -> dict[str, Any]:
    """The last vote on each item."""
    polls = {problem: dict(by_item) for problem, by_item in groups.memory.items()}
    for row, text, share in _polled(groups):
        polls.setdefault(_problem(row), {})[row["uid"]] = (text, share)
    return polls


def _polled(groups: Groups) -> Iterator[tuple[Mapping[str, Any], str, float]]:
    """Of each group that voted, a text of the winning answer and its share."""
    for row, group, given in zip(groups.rows, groups.conversations, answers(groups), strict=True):
        if vote := majority(_voters(group, given)):
            winner = group[given.index(vote.answer)].last.text
            yield row, answer_text(winner) or "", vote.share


def _voters(group: Sequence[Conversation], given: Sequence[Hashable]) -> list[Hashable]:
    """The answers of the policy's own replies: what joined a group would vote for gold."""
    return [answer for each, answer in zip(group, given, strict=True) if each.source == "own"]


def _problem(row: Mapping[str, Any]) -> str:
    return f"{row.get('variant_group') or row['uid']} {row['answer']}"


def _partner_s(row: Mapping[str, Any], polls: Polls) -> Vote | None:
    """The vote on the item's variants, the clearest one of several."""
    others = [poll for uid, poll in polls.get(_problem(row), {}).items() if uid != row["uid"]]
    if not others:
        return None
    text, share = max(others, key=lambda poll: poll[1])
    return Vote(answer_given(row, f"<answer>{text}</answer>"), share)


def wanted(settings: Train) -> bool:
    return bool(settings.reward.vote)


SHAPING = Shaping(
    change,
    wanted,
    order=5,  # in place of the score, before anything else
    update=updated,
)
