"""Several servers of one model: who gets the next request, and who is left alone for a while."""

import logging
from collections.abc import Callable
from threading import Condition
from time import monotonic
from urllib.parse import urlsplit

MOST_LOST = 16  # requests in a row

_LOG = logging.getLogger(__name__)


class Replicas:
    """Addresses up to and with /v1. The least busy one is next; one that fails is left out, longer
    each time, and then tried by a single request, until it answers again."""

    def __init__(self, urls: tuple[str, ...], most: int) -> None:
        self.urls = tuple(url.rstrip("/") for url in urls)
        self.most = most  # requests under way at each
        self.under_way = [0] * len(urls)
        self.asked = [0] * len(urls)
        self.failures = [0] * len(urls)  # in a row
        self.out_until = [0.0] * len(urls)
        self.reached = False  # one of them has answered
        self.useful = False  # and a reply could be read out of an answer
        self.lost = 0  # requests in a row that could not be answered
        self.changed = Condition()

    def take(self, avoided: int | None, given_up: Callable[[], bool]) -> tuple[int, int] | None:
        """A place among the addresses, when there is one, and how often it had failed by then; None
        once the others have given up. One is avoided where another is free."""
        with self.changed:
            while not given_up():
                now = monotonic()
                free = [place for place in range(len(self.urls)) if self._is_free(place, now)]
                if free:
                    place = min(free, key=lambda each: self._order(each, avoided))
                    self.under_way[place] += 1
                    self.asked[place] += 1
                    return place, self.failures[place]
                coming = [until - now for until in self.out_until if until > now]
                self.changed.wait(min(coming, default=None))
            return None

    def answered(self, place: int) -> None:
        with self.changed:
            self.under_way[place] -= 1
            self.reached = True
            if self.failures[place]:
                _LOG.warning("%s answers again", _host(self.urls[place]))
            self.failures[place] = 0
            self.out_until[place] = 0.0
            self.changed.notify_all()

    def failed(self, place: int, before: int, pause: Callable[[int], float], why: str) -> None:
        """It is left out for what `pause` says of the failures before. Requests that were under way
        together and fail together are one failure."""
        with self.changed:
            self.under_way[place] -= 1
            if before == self.failures[place]:
                seconds = pause(before)
                if not before:
                    _LOG.warning("%s is left out for now: %s", _host(self.urls[place]), why)
                self.failures[place] += 1
                self.out_until[place] = monotonic() + seconds
            self.changed.notify_all()

    def released(self, place: int) -> None:
        """The request is over, and says nothing of the server."""
        with self.changed:
            self.under_way[place] -= 1
            self.changed.notify_all()

    def all_failed(self, times: int) -> bool:
        with self.changed:
            return min(self.failures) >= times

    def has_lost(self, refused: bool) -> bool:
        """Count a request that got no usable answer; whether that makes too many in a row.

        A refusal by a server that has given replies concerns its request alone, and is not counted.
        """
        with self.changed:
            self.lost += not (refused and self.useful)
            return self.lost >= MOST_LOST

    def has_gained(self) -> None:
        """Note that an answer held a reply."""
        with self.changed:
            self.useful, self.lost = True, 0

    def forget(self) -> None:
        """What failed before says nothing of the next batch, which finds out for itself."""
        with self.changed:
            self.reached = self.useful = False
            self.lost = 0
            self.failures = [0] * len(self.urls)
            self.out_until = [0.0] * len(self.urls)

    def wake(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def _is_free(self, place: int, now: float) -> bool:
        most = 1 if self.failures[place] else self.most
        return self.under_way[place] < most and now >= self.out_until[place]

    def _order(self, place: int, avoided: int | None) -> tuple[bool, int, int]:
        return place == avoided, self.under_way[place], self.asked[place]


def _host(url: str) -> str:
    return urlsplit(url).netloc
