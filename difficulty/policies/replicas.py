"""Replicas: several servers of one model, with load balancing and a circuit breaker for each."""

import asyncio
import logging
from asyncio import Future
from collections.abc import Callable
from itertools import islice
from time import monotonic
from urllib.parse import urlsplit

from puzzlemill.difficulty.policies.connections import Connections

MOST_LOST = 16  # requests in a row without a usable answer

_LOG = logging.getLogger(__name__)


class Replicas:
    """Addresses up to and with /v1. The one with the fewest requests in flight is next. One that
    fails is left out, longer each time, and then gets a single request at a time until it answers.

    Only the event loop's thread uses it.
    """

    def __init__(self, urls: tuple[str, ...], concurrency: int) -> None:
        self.urls = tuple(url.rstrip("/") for url in urls)
        self.connections = tuple(map(Connections, self.urls))
        self.concurrency = concurrency  # requests in flight at each
        self.in_flight = [0] * len(urls)
        self.sent = [0] * len(urls)
        self.failures = [0] * len(urls)  # in a row
        self.out_until = [0.0] * len(urls)  # on the monotonic clock
        self.reached = False  # one of them has answered
        self.has_replied = False  # an answer has held a reply
        self.lost = 0  # requests in a row without a usable answer
        self.waiting: dict[Future[None], None] = {}  # for a server, first come first

    async def acquire(self, avoided: int | None) -> tuple[int, int]:
        """Wait for a free server: its place and its failures so far. The place to avoid, where the
        last try failed, is taken only if no other is free, and while it is failing only if all
        others are: a request must not spend its tries where nobody answers."""
        while True:
            now = monotonic()
            free = [place for place in range(len(self.urls)) if self._is_free(place, now)]
            if avoided is not None and self.failures[avoided] and not all(self.failures):
                free = [place for place in free if place != avoided]
            if free:
                place = min(free, key=lambda each: self._order(each, avoided))
                self.in_flight[place] += 1
                self.sent[place] += 1
                return place, self.failures[place]
            coming = [until - now for until in self.out_until if until > now]
            await self._woken(min(coming, default=None))

    def succeeded(self, place: int) -> None:
        self.in_flight[place] -= 1
        self.reached = True
        if self.failures[place]:
            _LOG.warning("%s answers again", _host(self.urls[place]))
            self.failures[place] = 0
            self.out_until[place] = 0.0
            self._wake()
        else:
            self._wake(1)

    def failed(self, place: int, before: int, pause: Callable[[int], float], why: str) -> None:
        """Leave it out for `pause(failures before)` seconds. Requests that were in flight together
        and fail together are one failure."""
        self.in_flight[place] -= 1
        if before == self.failures[place]:
            seconds = pause(before)
            if not before:
                _LOG.warning("%s is left out for now: %s", _host(self.urls[place]), why)
            self.failures[place] += 1
            self.out_until[place] = monotonic() + seconds
        self._wake()  # a pause has begun, which they wait for

    def release(self, place: int) -> None:
        """The request is over, without a word on the server's health."""
        self.in_flight[place] -= 1
        self._wake(1)

    def all_failed(self, times: int) -> bool:
        return min(self.failures) >= times

    def count_lost(self, refused: bool) -> bool:
        """Count a request without a usable answer; whether that makes too many in a row.

        A refusal by a server that has replied concerns its request alone, and is not counted.
        """
        self.lost += not (refused and self.has_replied)
        return self.lost >= MOST_LOST

    def count_reply(self) -> None:
        """An answer held a reply: the row of lost requests is over."""
        self.has_replied, self.lost = True, 0

    def reset(self) -> None:
        """Forget failures: they say nothing of the next batch."""
        self.reached = self.has_replied = False
        self.lost = 0
        self.failures = [0] * len(self.urls)
        self.out_until = [0.0] * len(self.urls)
        self._wake()

    async def _woken(self, seconds: float | None) -> None:
        waiter: Future[None] = asyncio.get_running_loop().create_future()
        self.waiting[waiter] = None
        try:
            async with asyncio.timeout(seconds):
                await waiter
        except TimeoutError:
            pass
        except asyncio.CancelledError:
            self._wake(1)  # what woke it, perhaps, is for another
            raise
        finally:
            self.waiting.pop(waiter, None)

    def _wake(self, most: int | None = None) -> None:
        for waiter in list(islice(self.waiting, most)):
            del self.waiting[waiter]
            if not waiter.done():
                waiter.set_result(None)

    def _is_free(self, place: int, now: float) -> bool:
        most = 1 if self.failures[place] else self.concurrency
        return self.in_flight[place] < most and now >= self.out_until[place]

    def _order(self, place: int, avoided: int | None) -> tuple[bool, int, int]:
        return place == avoided, self.in_flight[place], self.sent[place]


def _host(url: str) -> str:
    return urlsplit(url).netloc
