"""Several servers of one model: who gets the next request, and who is left alone for a while."""

import logging
from collections.abc import Callable
from threading import Condition
from time import monotonic
from urllib.parse import urlsplit

from puzzlemill.core.errors import UserError

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

    def forget(self) -> None:
        """What failed before says nothing of the next batch, which finds out for itself."""
        with self.changed:
            self.reached = False
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


def checked(url: str) -> str:
    """The url, if it is an address and nothing more."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # the port is no number
        whole = False
    if not whole or not url.isprintable() or " " in url:
        raise UserError("an endpoint's url looks like http://host:8000/v1; correct url")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UserError(
            f"the url of the endpoint at {parts.hostname} holds more than an address: end it in"
            " /v1, and put the key into the environment variable that key_variable names"
        )
    return url


def _host(url: str) -> str:
    return urlsplit(url).netloc
