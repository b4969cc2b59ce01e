"""Replicas: several servers of one model, with load balancing and a circuit breaker for each."""

import logging
from collections.abc import Callable
from threading import Condition
from time import monotonic
from urllib.parse import urlsplit

MOST_LOST = 16  # requests in a row without a usable answer

_LOG = logging.getLogger(__name__)


class Replicas:
    """Addresses up to and with /v1. The one with the fewest requests in flight is next. One that
    fails is left out, longer each time, and then gets a single request at a time until it answers.
    """

    def __init__(self, urls: tuple[str, ...], concurrency: int) -> None:
        self.urls = tuple(url.rstrip("/") for url in urls)
        self.concurrency = concurrency  # requests in flight at each
        self.in_flight = [0] * len(urls)
        self.sent = [0] * len(urls)
        self.failures = [0] * len(urls)  # in a row
        self.out_until = [0.0] * len(urls)  # on the monotonic clock
        self.reached = False  # one of them has answered
        self.has_replied = False  # an answer has held a reply
        self.lost = 0  # requests in a row without a usable answer
        self.changed = Condition()

    def acquire(self, avoided: int | None, cancelled: Callable[[], bool]) -> tuple[int, int] | None:
        """Wait for a free server: its place and its failures so far. None once cancelled. The place
        to avoid, where the last try failed, is taken only if no other is free."""
        with self.changed:
            while not cancelled():
                now = monotonic()
                free = [place for place in range(len(self.urls)) if self._is_free(place, now)]
                if free:
                    place = min(free, key=lambda each: self._order(each, avoided))
                    self.in_flight[place] += 1
                    self.sent[place] += 1
                    return place, self.failures[place]
                coming = [until - now for until in self.out_until if until > now]
                self.changed.wait(min(coming, default=None))
            return None

    def succeeded(self, place: int) -> None:
        with self.changed:
            self.in_flight[place] -= 1
            self.reached = True
            if self.failures[place]:
                _LOG.warning("%s answers again", _host(self.urls[place]))
            self.failures[place] = 0
            self.out_until[place] = 0.0
            self.changed.notify_all()

    def failed(self, place: int, before: int, pause: Callable[[int], float], why: str) -> None:
        """Leave it out for `pause(failures before)` seconds. Requests that were in flight together
        and fail together are one failure."""
        with self.changed:
            self.in_flight[place] -= 1
            if before == self.failures[place]:
                seconds = pause(before)
                if not before:
                    _LOG.warning("%s is left out for now: %s", _host(self.urls[place]), why)
                self.failures[place] += 1
                self.out_until[place] = monotonic() + seconds
            self.changed.notify_all()

    def release(self, place: int) -> None:
        """The request is over, without a word on the server's health."""
        with self.changed:
            self.in_flight[place] -= 1
            self.changed.notify_all()

    def all_failed(self, times: int) -> bool:
        with self.changed:
            return min(self.failures) >= times

    def count_lost(self, refused: bool) -> bool:
        """Count a request without a usable answer; whether that makes too many in a row.

        A refusal by a server that has replied concerns its request alone, and is not counted.
        """
        with self.changed:
            self.lost += not (refused and self.has_replied)
            return self.lost >= MOST_LOST

    def count_reply(self) -> None:
        """An answer held a reply: the row of lost requests is over."""
        with self.changed:
            self.has_replied, self.lost = True, 0

    def reset(self) -> None:
        """Forget failures: they say nothing of the next batch."""
        with self.changed:
            self.reached = self.has_replied = False
            self.lost = 0
            self.failures = [0] * len(self.urls)
            self.out_until = [0.0] * len(self.urls)

    def wake(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def _is_free(self, place: int, now: float) -> bool:
        most = 1 if self.failures[place] else self.concurrency
        return self.in_flight[place] < most and now >= self.out_until[place]

    def _order(self, place: int, avoided: int | None) -> tuple[bool, int, int]:
        return place == avoided, self.in_flight[place], self.sent[place]


def _host(url: str) -> str:
    return urlsplit(url).netloc
