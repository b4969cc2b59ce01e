"""Worker processes of an event loop: the pool's workers, without a thread to wait for each.

A thread costs more than most verdicts: it is woken to hand a call over and again for the result,
and takes turns with the loop. Here the loop itself hears of results. It never waits for a worker:
what a worker might not take at once is sent by a thread, and so is one ended and replaced.
"""

import asyncio
from asyncio import to_thread
from collections import deque
from collections.abc import Sequence
from typing import Any

from puzzlemill.core.guard import Failure
from puzzlemill.core.storage import pool

AT_ONCE = 65_536  # bytes that a line takes though nobody reads it yet; Linux takes 200,000


async def run_in_a_worker(
    function: str, calls: Sequence[tuple[Any, ...]], seconds: float
) -> list[Any]:
    """`function` ("module:name") on each call's arguments, in order; a Failure where it failed, or
    took more than so many seconds."""
    results: list[Any] = [Failure("not run")] * len(calls)
    keep = results.__setitem__
    waiting, lost = deque(range(len(calls))), pool.Lost()
    with pool.crew_of(1) as (worker,):
        while waiting:
            places = list(waiting)
            waiting.clear()
            message = pool.message(function, places, calls)
            if worker.ready and worker.peak <= pool.GROWN and len(message) <= AT_ONCE:
                worker.hand(message, places)
            else:
                await to_thread(worker.hand, message, places)
            await _collected(worker, keep, seconds)
            if worker.held:
                await to_thread(pool.give_back, worker, seconds, waiting, keep, lost)
    return results


async def _collected(worker: pool.Worker, keep: pool.Keep, seconds: float) -> None:
    """Take results until there are all, or the worker is gone or overstays."""
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    timers = list[asyncio.TimerHandle]()  # one, but for a moment

    def collect() -> None:
        was_ready = worker.ready
        worker.collect(keep)
        if worker.ready and not was_ready:
            for timer in timers:  # of its coming up
                timer.cancel()
            look()
        if (worker.gone or not worker.held) and not over.done():
            over.set_result(None)

    def look() -> None:
        """Each result sets the time anew, and the timer only when it rings."""
        timers.clear()
        if (left := worker.left(seconds)) >= 0:
            timers.append(loop.call_later(left + 0.001, look))
        elif not over.done():
            over.set_result(None)

    descriptor = worker.line.fileno()
    look()
    loop.add_reader(descriptor, collect)
    try:
        if not worker.gone:
            await over
    finally:
        loop.remove_reader(descriptor)
        for timer in timers:
            timer.cancel()
