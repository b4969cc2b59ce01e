"""Rewards for trainers: one scorer behind every export's hook, light, for any process.

A reply is judged in a worker process, which is ended when a verifier hangs or takes too much
memory: that reply alone gets the status `error`. No reply makes the scorer raise. A row that cannot
be judged at all (damaged, or of another version) does: it would be worth 0 for ever, and silently.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure
from puzzlemill.core.replies import reply_text
from puzzlemill.core.storage import pool
from puzzlemill.core.verdict import Verdict, check

FIELDS = ("uid", "family", "version", "puzzle")  # of a row: all that judging a reply needs
SECONDS = 20.0  # for one reply
MOST = 8  # worker processes that one trainer process may keep busy

Row = Mapping[str, Any]


def score(row: Row | str, reply: Any, thinking: bool = False) -> dict[str, Any]:
    """How right one reply is: score, correct, status and reason, whatever was replied."""
    return score_all([row], [reply], thinking)[0]


def score_all(
    rows: Sequence[Row | str], replies: Sequence[Any], thinking: bool = False
) -> list[dict[str, Any]]:
    """The same of many. A row is what an export's row holds, or its fields as JSON.

    `thinking`: the chat template has opened a thought, and what a reply says in it is no answer.
    """
    before = "<think>" if thinking else ""
    calls = [
        (fields_of(row), before + (reply_text(reply) or ""))
        for row, reply in zip(rows, replies, strict=True)
    ]
    with _workers(len(calls)) as many:
        verdicts = pool.run(f"{__name__}:judge", calls, many, SECONDS)
    return [_as_dict(each) for each in verdicts]


def fields_of(row: Row | str) -> dict[str, Any]:
    """The fields that judging needs."""
    fields = json.loads(row) if isinstance(row, str) else row
    if missing := [name for name in FIELDS if name not in fields]:
        raise UserError(
            f"a row to score lacks {', '.join(missing)}; hand on the columns that the export wrote"
        )
    return {name: fields[name] for name in FIELDS}


def label_of(row: Row) -> str:
    """The fields as JSON, for trainers that hand on one text."""
    return json.dumps(fields_of(row))


def judge(row: Row, reply: str) -> Verdict | UserError:
    """In a worker: the verdict, or what is wrong with the row."""
    try:
        return check(row, reply)
    except UserError as error:
        return error


def _as_dict(verdict: Verdict | UserError | Failure) -> dict[str, Any]:
    if isinstance(verdict, UserError):
        raise verdict
    if isinstance(verdict, Failure):
        verdict = Verdict(0.0, False, "error", verdict.reason)
    return {
        "score": verdict.score,
        "correct": verdict.correct,
        "status": verdict.status,
        "reason": verdict.reason,
    }


_room = BoundedSemaphore(max(1, min(MOST, pool.cores())))


@contextmanager
def _workers(wanted: int) -> Iterator[int]:
    """How many workers to use: as many as are free and useful, at least one. Threads share them."""
    _room.acquire()
    many = 1
    try:
        while many < wanted / pool.CHUNK and _room.acquire(blocking=False):
            many += 1
        yield many
    finally:
        _room.release(many)


def _reset() -> None:
    """In a forked child nothing would release what other threads hold."""
    global _room
    _room = BoundedSemaphore(max(1, min(MOST, pool.cores())))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset)
