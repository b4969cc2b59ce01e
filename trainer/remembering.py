"""What a run remembers between steps as plain data: a checkpoint goes on from it exactly.

Rows are not written: a ticket brings its row back, and a share of the solution the hint.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.hints import hinted
from puzzlemill.difficulty.policies.policy import Reply
from puzzlemill.trainer.asking import Asked, Gathered, Memory, Rollouts, Told, ragged
from puzzlemill.trainer.course import Course, Ticket
from puzzlemill.trainer.turns import Talk, Turn


def memory_as_data(memory: Memory) -> dict[str, Any]:
    """Plain data for a checkpoint."""
    ahead = memory.ahead
    return {
        "spare": _as_data(memory.spare),
        "replay": _as_data(memory.replay),
        "ahead": ahead
        and {
            "asked": _as_data(ahead.asked),
            "kept": _as_data(ahead.kept),
            "told": [[_ticket(each.asked), _reply_as_data(each.reply)] for each in ahead.told],
            "discarded": ahead.discarded,
        },
        "entropy": memory.entropy,
    }


def memory_from_data(data: Mapping[str, Any], course: Course) -> Memory:
    ahead = data["ahead"]
    return Memory(
        spare=_from_data(data["spare"], course),
        replay=_from_data(data["replay"], course),
        ahead=ahead
        and Gathered(
            _from_data(ahead["asked"], course),
            _from_data(ahead["kept"], course),
            [
                Told(_asked(ticket, course), _reply_from_data(reply))
                for ticket, reply in ahead["told"]
            ],
            ahead["discarded"],
        ),
        entropy=data["entropy"],
    )


def _as_data(rollouts: Rollouts) -> list[Any]:
    return [
        [
            _ticket(each),
            [_talk_as_data(each, talk) for talk in group],
            scores,
        ]
        for each, group, scores in zip(
            rollouts.asked, rollouts.talks, rollouts.scores(), strict=True
        )
    ]


def _from_data(data: Sequence[Any], course: Course) -> Rollouts:
    asked, groups, scores = [], [], []
    for ticket, held, worths in data:
        asked.append(_asked(ticket, course))
        groups.append([_talk_from_data(asked[-1], talk) for talk in held])
        scores.append(worths)
    return Rollouts(asked, groups, ragged(scores))


def _talk_as_data(asked: Asked, talk: Talk) -> list[Any]:
    """Without the prompt, with which each of its turns begins."""
    known = len(asked.row["prompt"])
    turns = [[turn.asked[known:], _reply_as_data(turn.reply)] for turn in talk.turns]
    return [turns, asdict(talk.verdict)]


def _talk_from_data(asked: Asked, data: Sequence[Any]) -> Talk:
    turns, verdict = data
    prompt = tuple(asked.row["prompt"])
    held = [Turn((*prompt, *said), _reply_from_data(reply)) for said, reply in turns]
    return Talk(tuple(held), Verdict(**verdict))


def _ticket(asked: Asked) -> list[Any]:
    return [asked.ticket.place, asked.ticket.serial, asked.share]


def _asked(data: Sequence[Any], course: Course) -> Asked:
    place, serial, share = data
    row = course.source.row(Ticket(place, serial))
    told = hinted(row, share) if share else row
    assert not isinstance(told, str), f"{row['uid']} had a hint once: {told}"
    return Asked(Ticket(place, serial), told, share)


def _reply_as_data(reply: Reply) -> list[Any]:
    return [reply.text, reply.finished, list(reply.tokens), list(reply.logps)]


def _reply_from_data(data: Sequence[Any]) -> Reply:
    text, finished, tokens, logps = data
    return Reply(text, finished, tuple(tokens), tuple(logps))
