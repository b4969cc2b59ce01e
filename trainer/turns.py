"""Conversations: an item is tried again after a wrong reply, told no more than that it was wrong.

UFO's way: what is fed back is the same whatever was wrong, so that it holds no hint; a reply is
worth less with every try before it. All turns of a conversation are learned from, each with the
advantage of the whole: what a first reply leads to is part of its worth, so that this is the
gradient of what a conversation earns. Of the last turns alone, no wrong first reply would ever be
learned from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.policies.policy import Message, Policy, Reply
from puzzlemill.difficulty.scoring import Judge, judge_groups, judge_in_workers, question_of
from puzzlemill.trainer.settings import Retry

Row = Mapping[str, Any]

ONCE = Retry()


@dataclass(frozen=True, slots=True)
class Turn:
    asked: tuple[Message, ...]  # all that was said before
    reply: Reply


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation about an item: its turns, and the verdict on the last reply."""

    turns: tuple[Turn, ...]
    verdict: Verdict

    @property
    def last(self) -> Reply:
        return self.turns[-1].reply


def talks(
    policy: Policy,
    rows: Sequence[Row],
    purpose: str,
    count: int,
    judge: Judge = judge_in_workers,
    tries: int = 1,
    retry: Retry = ONCE,
) -> list[list[Talk]]:
    """So many conversations about each row, of as many tries as it takes and may be."""
    groups = policy.sample([question_of(row, purpose) for row in rows], count)
    verdicts = judge_groups(rows, groups, judge)
    found = [
        [
            Talk((Turn(tuple(row["prompt"]), reply),), verdict)
            for reply, verdict in zip(replies, each, strict=True)
        ]
        for row, replies, each in zip(rows, groups, verdicts, strict=True)
    ]
    for number in range(2, tries + 1):
        going = {}
        for place, row in enumerate(rows):
            for at, talk in enumerate(found[place]):
                asked = again(row, talk, retry.feedback)
                question = question_of(asked, f"{purpose} try {number} of {at}")
                if goes_on(talk) and policy.takes(question):
                    going[place, at] = question
        if not going:
            break
        replies = [reply for (reply,) in policy.sample(list(going.values()), 1)]
        judged = judge([rows[place] for place, _ in going], [reply.text for reply in replies])
        for (place, at), reply, verdict in zip(going, replies, judged, strict=True):
            turn = Turn(going[place, at].messages, reply)
            found[place][at] = Talk((*found[place][at].turns, turn), verdict)
    return found


def goes_on(talk: Talk) -> bool:
    """Whether it is known to be wrong: where our own code failed, nothing is."""
    return not talk.verdict.correct and talk.verdict.status != "error"


def again(row: Row, talk: Talk, feedback: str) -> dict[str, Any]:
    """The row with all that was said so far for its prompt, and that it was not right."""
    last = talk.turns[-1]
    said = {"role": "assistant", "content": last.reply.text}
    return {**row, "prompt": (*last.asked, said, {"role": "user", "content": feedback})}


def worth(talk: Talk, decay: float) -> float:
    """The score of the last reply, less with every try before it."""
    return talk.verdict.score * decay ** (len(talk.turns) - 1)


def solved_within(groups: Sequence[Sequence[Talk]], tries: int) -> list[list[int]]:
    """For each group, how many of its conversations were right within 1, 2, … tries."""
    return [
        [
            sum(talk.verdict.correct and len(talk.turns) <= number for talk in group)
            for number in range(1, tries + 1)
        ]
        for group in groups
    ]


def measure_tries(
    policy: Policy,
    rows: Sequence[Row],
    count: int,
    tries: int,
    retry: Retry,
    judge: Judge = judge_in_workers,
) -> dict[str, list[int]]:
    """By item, how many of so many conversations are right within 1, 2, … tries; the first replies
    are those that `heldout.measure` asks for."""
    held = talks(policy, rows, "heldout", count, judge, tries, retry)
    uids = [row["uid"] for row in rows]
    return dict(zip(uids, solved_within(held, tries), strict=True))


def firsts(found: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """How many of the first replies to each item are right."""
    return {uid: each[0] for uid, each in found.items()}


def within(
    before: Mapping[str, Sequence[int]], after: Mapping[str, Sequence[int]], count: int
) -> list[dict[str, float]]:
    """The share of conversations that are right within so many tries, before and after."""
    shares = [
        [sum(column) / (count * len(found)) for column in zip(*found.values(), strict=True)]
        for found in (before, after)
    ]
    return [
        {"tries": number, "before": round(earlier, 4), "after": round(later, 4)}
        for number, (earlier, later) in enumerate(zip(*shares, strict=True), start=1)
    ]


def solved_by_try(groups: Sequence[Sequence[Talk]], tries: int) -> dict[str, float]:
    """The share of conversations that were right within so many tries, where there may be many."""
    counts = solved_within(groups, tries)
    whole = max(sum(map(len, groups)), 1)
    shares = [sum(column) / whole for column in zip(*counts, strict=True)]
    return {f"within {n}": share for n, share in enumerate(shares, start=1)} if tries > 1 else {}
