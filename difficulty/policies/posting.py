"""Posting JSON with patience: what may pass is tried again, what will not is told in one line."""

import json
import os
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from random import SystemRandom
from threading import Event
from time import time
from typing import Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from puzzlemill.core.errors import UserError

T = TypeVar("T")

LONGEST_PAUSE = 60.0  # seconds, of our own back-off
LONGEST_WAIT = 600.0  # seconds, where the server says how long

_PASSING = frozenset({408, 409, 425, 429})  # and every status from 500 on
_JITTER = SystemRandom()
_answered: set[str] = set()  # addresses at which this process has found somebody


@dataclass(frozen=True, slots=True)
class Patience:
    tries: int = 6
    pause: float = 1.0  # seconds before the second try; twice as many before each further one
    timeout: float = 600.0  # seconds without a byte from the server


PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class Round:
    """What the requests of one batch tell each other."""

    reached: Event = field(default_factory=Event)  # some request had an answer
    over: Event = field(default_factory=Event)  # one has failed for good: wait no longer


class Setback(Exception):
    """A failure that may pass by itself."""

    def __init__(self, reason: str, remedy: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.remedy = remedy
        self.wait = wait  # seconds that the server asks for


class Unreachable(Setback):
    """Nobody answers at the address."""


def post(
    url: str,
    body: Any,
    read: Callable[[Any], T],
    key_variable: str = "",
    patience: Patience = PATIENCE,
    together: Round | None = None,
) -> T:
    """What `read` makes of the server's answer. `read` raises Setback where it makes no sense."""
    together = together or Round()
    for turn in range(patience.tries):
        try:
            answer = _answer(url, body, key_variable, patience.timeout)
            together.reached.set()
            _answered.add(url)
            return read(answer)
        except Setback as setback:
            reason, remedy = str(setback), setback.remedy
            # An address at which nobody ever answered is a mistake; a server may be starting anew.
            reached = together.reached.is_set() or url in _answered
            if isinstance(setback, Unreachable) and not reached:
                raise UserError(f"{url}: {reason}; {remedy}") from None
            if not isinstance(setback, Unreachable):
                together.reached.set()
            if turn + 1 == patience.tries or together.over.wait(pause(setback, turn, patience)):
                break
    raise UserError(
        f"{url}: no usable answer after {turn + 1} of {patience.tries} tries; the last: {reason};"
        f" {remedy}"
    )


def pause(setback: Setback, turn: int, patience: Patience) -> float:
    """Seconds before the next try: what the server asks for, and our own jittered back-off."""
    longest = min(LONGEST_PAUSE, patience.pause * 2.0**turn)
    return setback.wait + longest * (0.5 + _JITTER.random() / 2)


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


def key_of(variable: str) -> str:
    """The key in an environment variable, read when it is needed and kept nowhere."""
    key = os.environ.get(variable, "").strip() if variable else ""
    if not key.isascii() or not key.isprintable():  # http.client would print the bad header
        raise UserError(f"the environment variable {variable} holds no valid key: set it anew")
    return key


class _NoRedirect(HTTPRedirectHandler):
    """Following a redirect would hand the key to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _answer(url: str, body: Any, key_variable: str, timeout: float) -> Any:
    key = key_of(key_variable)
    headers = {"Content-Type": "application/json", "User-Agent": "puzzlemill"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = Request(url, json.dumps(body).encode(), headers, method="POST")
    try:
        with build_opener(_NoRedirect).open(request, timeout=timeout) as response:
            text = response.read()
    except HTTPError as error:
        with error:
            raise _failure(url, error, key_variable, key) from None
    except URLError as error:
        raise _no_connection(url, error.reason, timeout) from None
    except (OSError, HTTPException) as error:
        raise _no_connection(url, error, timeout) from None
    try:
        return json.loads(text)
    except ValueError:
        start = " ".join(text[:80].decode(errors="replace").split())
        raise Setback(
            f"not JSON: {start!r}", "is this an OpenAI-compatible server's /v1?"
        ) from None


def _failure(url: str, error: HTTPError, key_variable: str, key: str) -> Setback | UserError:
    """What an HTTP status means."""
    status = f"status {error.code}"
    if 300 <= error.code < 400:
        there = error.headers.get("Location", "elsewhere")
        return UserError(f"{url}: {status}, moved to {there}: set url to the new address")
    said = _said(error, key)
    reason = f"{status}{': ' if said else ''}{said}"
    if error.code in _PASSING:
        wait = _seconds(error.headers.get("Retry-After", ""))
        return Setback(reason, "lower concurrency, or come back later", wait)
    if error.code >= 500:
        wait = _seconds(error.headers.get("Retry-After", ""))
        return Setback(reason, "see the server's log", wait)
    remedy = "see what the server takes"
    if error.code in (401, 403):
        remedy = (
            f"put a valid key into the environment variable {key_variable}"
            if key_variable
            else "set key_variable to the name of the environment variable that holds the key"
        )
    elif error.code in (404, 405):
        remedy = "check url (it ends in /v1) and model"
    return UserError(f"{url}: {reason}; {remedy}")


def _no_connection(url: str, reason: object, timeout: float) -> Setback | UserError:
    if isinstance(reason, TimeoutError):
        return Setback(f"no answer in {timeout:g} s", "raise timeout, or lower concurrency")
    if isinstance(reason, ssl.SSLCertVerificationError):
        return UserError(f"{url}: its certificate cannot be verified: {reason.verify_message}")
    if isinstance(reason, ConnectionError | HTTPException) and not isinstance(
        reason, ConnectionRefusedError
    ):
        return Setback(f"the answer broke off ({type(reason).__name__})", "see the server's log")
    why = getattr(reason, "strerror", None) or str(reason)
    return Unreachable(f"nobody answers ({why})", "start the server, or correct url")


def _said(error: HTTPError, key: str) -> str:
    """The server's own words, on one short line without the key."""
    try:
        text = error.read(10_000).decode(errors="replace")
    except (OSError, HTTPException):
        return ""
    found = re.search(r'"(?:message|detail)"\s*:\s*("(?:[^"\\]|\\.)*")', text)
    words = " ".join((json.loads(found[1], strict=False) if found else text).split())
    return (words.replace(key, "…") if key else words)[:300].rstrip(" .")


def _seconds(retry_after: str) -> float:
    """A Retry-After header: seconds, or a date."""
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            wait = parsedate_to_datetime(retry_after).timestamp() - time()
        except ValueError:
            return 0.0
    return min(max(0.0, wait), LONGEST_WAIT)
