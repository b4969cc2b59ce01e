"""Batches: many replies in one request, each with its task or its row; no session."""

import asyncio
from collections.abc import Mapping
from typing import Any

from puzzlemill.core.errors import UserError, shown
from puzzlemill.outputs.rewards import fields_of
from puzzlemill.serving.calls import Call, Malformed
from puzzlemill.serving.doors import Door
from puzzlemill.serving.episodes import Server, facts_of, item_of, judge, words_of
from puzzlemill.serving.judging import Broken
from puzzlemill.serving.tasks import check_item_task

MOST = 4096  # replies in one request


async def verify(call: Call) -> dict[str, Any]:
    """{"items": [{"task": … or "row": …, "reply": … or "answer": …}, …]}: a verdict for each, in
    order. Nothing is judged where one of them is malformed."""
    items = call.body.get("items")
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        raise Malformed("`items` is a list of objects, each with a task or a row, and a reply")
    if len(items) > MOST:
        raise Malformed(f"{len(items):,} items in one request; send {MOST:,} at most")
    entries = [_checked(place, item) for place, item in enumerate(items)]
    call.server.judges.check_room(len(entries))
    if len(entries) == 1:  # to gather is as dear as to judge
        return {"verdicts": [await _judged(call.server, *entries[0])]}
    judged = await asyncio.gather(*(_judged(call.server, *each) for each in entries))
    return {"verdicts": judged}


def _checked(place: int, item: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """The row, or the task, and the reply."""
    try:
        return source_of(item), words_of(item)
    except UserError as error:
        raise Malformed(f"items[{place}]: {error}") from None


def source_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a row, or a task, by which an entry says what was asked."""
    names = [name for name in ("task", "row") if item.get(name) is not None]
    if len(names) != 1 or not isinstance(item[names[0]], Mapping):
        raise UserError("say `task`, an address with its level, or `row`, with its puzzle")
    if names == ["task"]:
        check_item_task(item["task"])
        return dict(item["task"])
    row = item["row"]
    if not isinstance(row.get("puzzle"), str) or not isinstance(row.get("family"), str):
        raise UserError(f"a row has its family and its puzzle as texts, not {shown(row)}")
    return fields_of(row)


async def fields_to_judge(server: Server, source: Mapping[str, Any]) -> Mapping[str, Any]:
    """What judging needs: of a task, the item is made."""
    return source if "puzzle" in source else (await item_of(server, source)).fields


async def _judged(server: Server, source: Mapping[str, Any], reply: str) -> dict[str, Any]:
    try:
        fields = await fields_to_judge(server, source)
        return facts_of(await judge(server, fields, reply))
    except UserError as error:
        return _no_verdict(str(error))
    except Broken:
        return _no_verdict("the verifier failed: this says nothing of the reply")


def _no_verdict(reason: str) -> dict[str, Any]:
    return {"score": None, "correct": None, "status": "error", "reason": reason}


DOOR = Door({("POST", "/verify"): verify})
