"""Worker processes of an event loop: the pool's workers, without a thread to wait for each.

A thread costs more than most verdicts: it is woken to hand a call over and again for the result,
and takes turns with the loop. Here the loop itself writes to workers and hears of results, as bytes
come: it waits neither for a worker that takes no more nor for one that is stopped in the middle of
a message. Workers are started, ended and replaced by a thread.
"""

import asyncio
import atexit
import os
import socket
from asyncio import to_thread
from collections import deque
from collections.abc import Sequence
from typing import Any

from puzzlemill.core.storage import pool


async def run_in_a_worker(
    function: str, calls: Sequence[tuple[Any, ...]], seconds: float, keep: pool.Keep
) -> None:
    """`function` ("module:name") on each call's arguments. `keep` gets each call's place and result
    as it comes: a Failure where it failed, or took more than so many seconds."""
    waiting, lost = deque(range(len(calls))), pool.Lost()
    line = await _free_line()
    try:
        while waiting:
            places = list(waiting)
            waiting.clear()
            message = pool.message(function, places, calls)
            await line.hand(message, places, seconds, keep)
            if line.worker.held:  # it overstays, or is gone
                line.leave()
                failed = dict[int, Any]()  # futures are for the loop's own thread
                take = failed.__setitem__
                await to_thread(pool.give_back, line.worker, seconds, waiting, take, lost)
                for place, failure in failed.items():
                    keep(place, failure)
                line = await _line_to(line.worker)
    except BaseException:
        line.leave()
        line.worker.stop()
        raise
    _lines[line.loop].append(line)


class Line(asyncio.Protocol):
    """The line to a worker, as an event loop reads and writes it."""

    def __init__(self, worker: pool.Worker) -> None:
        self.worker = worker
        self.loop = asyncio.get_running_loop()
        self.left = False
        self.come = bytearray()  # of a message that is not whole
        self.over = self.loop.create_future()  # once no result is waited for
        self.keep: pool.Keep = lambda place, result: None
        self.seconds = 0.0
        self.timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # uvloop's are no asyncio.WriteTransport
        self.transport = transport

    def hand(
        self, message: bytes, places: Sequence[int], seconds: float, keep: pool.Keep
    ) -> "asyncio.Future[None]":
        """Send calls. What is given back is done when there are all results, or the worker is gone
        or overstays on a call."""
        self.worker.hold(places)
        self.keep, self.seconds, self.over = keep, seconds, self.loop.create_future()
        self.transport.write(pool.framed(message))
        self._look()
        return self.over

    def data_received(self, data: bytes) -> None:
        self.come += data
        was_ready = self.worker.ready
        for message in pool.unframed(self.come):
            self.worker.take(message, self.keep)
        if not self.worker.held:
            self._end()
        elif not was_ready:
            self._look()  # the time to come up is over

    def connection_lost(self, error: Exception | None) -> None:
        if not self.left:
            self.worker.gone = True
            self._end()

    def leave(self) -> None:
        """Hear no more of the worker."""
        self.left = True
        self._end()
        self.transport.abort()

    def _look(self) -> None:
        """Each result sets the time anew, and the timer only when it rings."""
        if self.timer:
            self.timer.cancel()
        if (left := self.worker.left(self.seconds)) < 0 or self.worker.gone:
            self._end()
        else:
            self.timer = self.loop.call_later(left + 0.001, self._look)

    def _end(self) -> None:
        if self.timer:
            self.timer.cancel()
            self.timer = None
        if not self.over.done():
            self.over.set_result(None)


_lines: dict[asyncio.AbstractEventLoop, list[Line]] = {}  # to workers that rest, by their loop


async def _free_line() -> Line:
    lines = _lines.setdefault(asyncio.get_running_loop(), [])
    while lines:
        line = lines.pop()
        if not line.worker.gone and line.worker.peak <= pool.GROWN:
            return line
        line.leave()
        await to_thread(line.worker.stop)
    return await _line_to(await to_thread(pool.hired))


async def _line_to(worker: pool.Worker) -> Line:
    line = Line(worker)
    sock = socket.socket(fileno=os.dup(worker.line.fileno()))
    await line.loop.create_unix_connection(lambda: line, sock=sock)
    return line


def leave_workers() -> None:
    """Before a loop ends: the workers that rest are left to other runs."""
    for line in _lines.pop(asyncio.get_running_loop(), []):
        line.leave()
        if line.worker.gone:
            line.worker.stop()
        else:
            os.set_blocking(line.worker.line.fileno(), True)  # as the pool reads it
            pool.rest(line.worker)


@atexit.register
def _send_home() -> None:
    """Of loops in threads that never end."""
    for lines in _lines.values():
        while lines:
            lines.pop().worker.stop()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_lines.clear)
