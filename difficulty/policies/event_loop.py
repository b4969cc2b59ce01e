"""The event loop of the network: one thread, however many requests are in flight."""

import asyncio
import os
from asyncio import AbstractEventLoop
from collections.abc import Coroutine, Iterable
from functools import cache
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

THREAD = "puzzlemill-network"


@cache
def _loop() -> AbstractEventLoop:
    """A daemon's: else an interrupted process would stay until a slow server has answered."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name=THREAD, daemon=True).start()
    return loop


os.register_at_fork(after_in_child=_loop.cache_clear)  # a child has none of its parent's threads


def run(work: Coroutine[Any, Any, T]) -> T:
    """Its result. An interrupt cancels it."""
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    finally:
        future.cancel()


async def run_all(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run them together. The first failure cancels the others and is raised."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
