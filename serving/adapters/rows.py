"""Rows for trainers that read a data set: a prompt, and the task that its adapter begins."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.serving.adapters.in_process import Source, opened, source, wait

AT_ONCE = 64  # items that are made side by side


def rows(
    tasks: str,
    indices: Iterable[int],
    split: str = "train",
    columns: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """A row for each index: `prompt`, `task` as JSON, and the same `columns` in all of them.

    `options` are those of the server that change a prompt; the adapter needs the others."""
    wanted, held = list(indices), source(tasks, **options)
    if held.server.band:
        raise UserError("band: rows are made before the first verdict; leave it out")
    return [
        row | dict(columns or {})
        for start in range(0, len(wanted), AT_ONCE)
        for row in wait(_rows(held, split, wanted[start : start + AT_ONCE]))
    ]


async def _rows(held: Source, split: str, indices: list[int]) -> list[dict[str, Any]]:
    return list(await asyncio.gather(*(_row(held, split, index) for index in indices)))


async def _row(held: Source, split: str, index: int) -> dict[str, Any]:
    task = held.task(split, index)
    episode = await opened(held.server, task)
    prompt = [{"role": "user", "content": episode.prompt}]
    return {"prompt": prompt, "task": json.dumps(dict(task)), "index": index, "split": split}
