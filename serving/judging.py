"""Judging: calls that wait together go to worker processes together; too many are refused.

A verifier that hangs costs its own call only: the pool ends its worker (core/storage/pool.py).
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure
from puzzlemill.core.storage.pool import Keep
from puzzlemill.serving.workers import run_in_a_worker

AT_ONCE = 32  # calls that one worker process gets at most

# Calls a function ("module:name") with each call's arguments, each within so many seconds; hands on
# each result as it comes.
Run = Callable[[str, Sequence[tuple[Any, ...]], float, Keep], Awaitable[None]]


class Busy(Exception):
    """More waits than is taken on: nothing was judged, and the same call may be made again."""


class Broken(Exception):
    """Our own code failed on a call: it says nothing of the reply."""


async def run_here(
    function: str, calls: Sequence[tuple[Any, ...]], seconds: float, keep: Keep
) -> None:
    """In this process and without limits: of tests."""
    from importlib import import_module

    module, _, name = function.partition(":")
    for place, arguments in enumerate(calls):
        keep(place, getattr(import_module(module), name)(*arguments))


@dataclass(eq=False)
class Lane:
    """Calls of one kind: so many worker processes at once, and so many that wait."""

    workers: int
    most: int  # calls that wait
    seconds: float  # for one call
    run: Run = run_in_a_worker
    waiting: "deque[tuple[str, tuple[Any, ...], asyncio.Future[Any]]]" = field(
        default_factory=deque
    )
    working: "set[asyncio.Future[None]]" = field(default_factory=set)  # one for each worker

    async def call(self, function: str, *arguments: Any) -> Any:
        """What a function ("module:name") gives in a worker process."""
        self.check_room(1)
        future = asyncio.get_running_loop().create_future()
        self.waiting.append((function, arguments, future))
        if len(self.waiting) == 1:
            # What else comes in this turn of the loop goes with it.
            asyncio.get_running_loop().call_soon(self._start)
        result = await future
        if isinstance(result, Failure):
            # Without what it says besides: that may tell of the puzzle.
            raise Broken(result.reason.partition(":")[0])
        if isinstance(result, UserError):
            raise result
        return result

    def check_room(self, count: int) -> None:
        """Refuse so many calls where they would wait too long."""
        if len(self.waiting) + count > self.most:
            raise Busy(f"{len(self.waiting)} calls wait")

    def close(self) -> None:
        for work in self.working:
            work.cancel()

    def _start(self) -> None:
        while self.waiting and len(self.working) < self.workers:
            share = -(-len(self.waiting) // (self.workers - len(self.working)))
            function = self.waiting[0][0]
            some = list[tuple[tuple[Any, ...], asyncio.Future[Any]]]()
            while self.waiting and len(some) < min(share, AT_ONCE):
                if self.waiting[0][0] != function:
                    break
                _, arguments, future = self.waiting.popleft()
                if not future.cancelled():  # whoever asked has gone
                    some.append((arguments, future))
            if some:
                calls = [arguments for arguments, _ in some]
                futures = [future for _, future in some]
                run = self.run(function, calls, self.seconds, partial(_keep, futures))
                work = asyncio.ensure_future(run)
                self.working.add(work)
                work.add_done_callback(partial(self._finish, futures))

    def _finish(
        self, futures: "Sequence[asyncio.Future[Any]]", done: "asyncio.Future[None]"
    ) -> None:
        self.working.discard(done)
        error = None if done.cancelled() else done.exception()
        for place in range(len(futures)):  # of what has no result
            _keep(futures, place, Failure(type(error).__name__ if error else "the server ends"))
        self._start()


def _keep(futures: "Sequence[asyncio.Future[Any]]", place: int, result: Any) -> None:
    if not futures[place].done():  # else whoever asked has gone
        futures[place].set_result(result)
