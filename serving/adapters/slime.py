"""slime: a reward function, and a rollout of several turns.

--custom-rm-path puzzlemill.serving.adapters.slime.reward
--custom-generate-function-path puzzlemill.serving.adapters.slime.generate  (games and tries)

The data has `prompt`, and `task` as its label: `--input-key prompt --label-key task`.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from puzzlemill.serving.adapters.in_process import elsewhere, opened, replied, server_with, task_in


class Sample(Protocol):
    """What is used of theirs (slime/utils/types.py)."""

    label: str | None
    response: str


async def reward(args: Any, sample: Sample | Sequence[Sample], **_: Any) -> Any:
    """The score of a sample, or of each of a batch: slime calls it either way."""
    if isinstance(sample, list | tuple):
        return list(await asyncio.gather(*(_score(each) for each in sample)))
    return await _score(sample)  # type: ignore[arg-type]


async def _score(sample: Sample) -> float:
    async def judged() -> float:
        server = server_with({})
        episode = await opened(server, task_in(sample.label or "{}"))
        return (await replied(server, episode, sample.response)).reward

    return await elsewhere(judged())
