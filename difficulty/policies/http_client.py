"""Posting JSON with patience: what may pass is tried again, what will not is told in one line."""

import json
import os
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPException, HTTPResponse, IncompleteRead
from random import SystemRandom
from threading import Event
from time import monotonic, time
from typing import Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.redaction import one_line
from puzzlemill.difficulty.policies.replicas import Replicas

T = TypeVar("T")

LONGEST_PAUSE = 60.0  # seconds, of our own back-off
LONGEST_WAIT = 600.0  # seconds, where the server says how long
PLAIN = 1 << 22  # bytes of an answer, beside the replies in it
PIECE = 1 << 16  # bytes that are read at once

_PASSING = frozenset({408, 409, 425})  # and every status from 500 on
_BUSY = frozenset({429})
_AWAY = frozenset({502, 503, 504})
_REFUSED = frozenset({400, 413, 414, 422})  # of one request: too long, say, or not to its liking
_JITTER = SystemRandom()


@dataclass(frozen=True, slots=True)
class Patience:
    # Together the pauses are about four minutes: a server has time to start anew.
    tries: int = 10
    pause: float = 1.0  # seconds before the second try; twice as many before each further one
    timeout: float = 600.0  # seconds without a byte from the server


PATIENCE = Patience()


class Setback(Exception):
    """A failure that may pass by itself."""

    def __init__(self, reason: str, remedy: str, wait: float = 0.0, usable: Any = None) -> None:
        super().__init__(reason)
        self.remedy = remedy
        self.wait = wait  # seconds that the server asks for
        self.usable = usable  # what can be made of the answer, where there is no better one


class Absent(Setback):
    """The server is away, or wants to be left alone for now."""


class Unreachable(Absent):
    """Nobody answers at the address."""


class Unanswered(UserError):
    """One request that gets no answer of use; others may."""

    def __init__(self, told: str, reason: str = "", refused: bool = False) -> None:
        super().__init__(told)
        self.reason = reason  # without the address: replies are kept with it
        self.refused = refused  # at once, and not after all tries


def post(
    replicas: Replicas,
    path: str,
    body: Any,
    read: Callable[[Any], T],
    key_variable: str = "",
    patience: Patience = PATIENCE,
    over: Event | None = None,
    most: int = PLAIN,
) -> T | None:
    """What `read` makes of a server's answer of at most so many bytes; it raises Setback where that
    makes no sense. None if another request failed for good, which sets `over`."""
    over = over or Event()
    avoided: int | None = None
    for turn in range(patience.tries):
        found = replicas.take(avoided, over.is_set)
        if found is None:
            return None
        place, before = found
        url = f"{replicas.urls[place]}/{path}"
        try:
            answer = read(_answer(url, body, key_variable, patience.timeout, most))
        except Absent as setback:
            last: Setback = setback
            seconds = partial(pause, setback, patience=patience)
            replicas.failed(place, before, seconds, one_line(str(setback), key_of(key_variable)))
            if not isinstance(setback, Unreachable):
                replicas.reached = True
            # Where nobody ever answered is a mistake; a server that did may be starting anew.
            elif not replicas.reached and replicas.all_failed(1):
                raise UserError(_told(url, setback, key_variable)) from None
        except Setback as setback:
            last = setback
            replicas.released(place)
            replicas.reached = True
            if turn + 1 < patience.tries:
                over.wait(pause(setback, turn, patience))
        except UserError:
            replicas.released(place)
            raise
        else:
            replicas.answered(place)
            return answer
        avoided = place
        if replicas.all_failed(patience.tries):
            break
    if last.usable is not None:
        usable: T = last.usable
        return usable
    tries = f"no usable answer after {turn + 1} of {patience.tries} tries; the last: "
    told = _told(url, last, key_variable, tries)
    if replicas.all_failed(patience.tries):
        raise UserError(told)
    raise Unanswered(told, told.removeprefix(f"{url}: "))


def knock(replicas: Replicas, path: str, body: Any, key_variable: str, timeout: float) -> None:
    """Raise what stays wrong however often one asks: nobody is there, the key or the path is not
    right. What may pass is left to `post`."""
    if key_variable and not key_of(key_variable):
        raise UserError(
            f"{key_variable} is not set: put the endpoint's key into that environment variable, or"
            " leave key_variable out"
        )
    for url in (f"{each}/{path}" for each in replicas.urls):
        try:
            _answer(url, body, key_variable, timeout, PLAIN)
        except Unreachable as setback:
            nobody = url, setback
        except (Setback, Unanswered):
            return
        else:
            return
    raise UserError(_told(*nobody, key_variable))


def _told(url: str, setback: Setback, key_variable: str, before: str = "") -> str:
    """In one line. A server may say anything, our key as well."""
    return f"{url}: {before}{one_line(str(setback), key_of(key_variable))}; {setback.remedy}"


def pause(setback: Setback, turn: int, patience: Patience) -> float:
    """Seconds before the next try: what the server asks for, and our own jittered back-off."""
    longest = min(LONGEST_PAUSE, patience.pause * 2.0**turn)
    return setback.wait + longest * (0.5 + _JITTER.random() / 2)


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


def _answer(url: str, body: Any, key_variable: str, timeout: float, most: int) -> Any:
    key = key_of(key_variable)
    headers = {"Content-Type": "application/json", "User-Agent": "puzzlemill"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = Request(url, json.dumps(body).encode(), headers, method="POST")
    try:
        with build_opener(_NoRedirect).open(request, timeout=timeout) as response:
            text = _whole(response, most, timeout)
    except HTTPError as error:
        with error:
            raise _failure(url, error, key_variable, timeout) from None
    except URLError as error:
        raise _no_connection(url, error.reason, timeout) from None
    except (OSError, HTTPException) as error:
        raise _no_connection(url, error, timeout) from None
    try:
        return json.loads(text)
    except ValueError:
        start = one_line(text.decode(errors="replace"), key, 80)
        reason = f"not JSON: {start!r}"
    except RecursionError:
        reason = "JSON that is nested too deeply"
    raise Setback(reason, "is this an OpenAI-compatible server's /v1?")


def _whole(response: HTTPResponse, most: int, timeout: float) -> bytes:
    """The whole body of an answer."""
    text = _read(response, most, timeout)
    if len(text) > most:
        raise Setback(
            f"the answer is longer than {most:,} bytes", "does the server go by max_tokens?"
        )
    if response.length:
        raise IncompleteRead(b"", response.length)
    return text


def _read(response: Any, most: int, timeout: float) -> bytes:
    """A body, or a little more than so much of it. It may not come byte by byte for ever."""
    until, text = monotonic() + timeout, bytearray()
    while len(text) <= most and (piece := response.read1(PIECE)):
        text += piece
        if monotonic() > until:
            raise TimeoutError
    return bytes(text)


def _failure(url: str, error: HTTPError, key_variable: str, timeout: float) -> Setback | UserError:
    """What an HTTP status means."""
    status, key = f"status {error.code}", key_of(key_variable)
    if 300 <= error.code < 400:
        there = one_line(error.headers.get("Location", "elsewhere"), key)
        return UserError(f"{url}: {status}, moved to {there}: set url to the new address")
    said = one_line(_said(error, timeout), key, 300).rstrip(" .")
    reason = f"{status}{': ' if said else ''}{said}"
    wait = _seconds(error.headers.get("Retry-After", ""))
    if error.code in _BUSY:
        return Absent(reason, "lower concurrency, or come back later", wait)
    if error.code in _PASSING:
        return Setback(reason, "lower concurrency, or come back later", wait)
    if error.code in _AWAY:
        return Absent(reason, "see the server's log", wait)
    if error.code >= 500:
        return Setback(reason, "see the server's log", wait)
    remedy = "see what the server takes"
    if error.code in _REFUSED:
        return Unanswered(f"{url}: {reason}; {remedy}", reason, refused=True)
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
        return Absent(f"no answer in {timeout:g} s", "raise timeout, or lower concurrency")
    if isinstance(reason, ssl.SSLCertVerificationError):
        return UserError(f"{url}: its certificate cannot be verified: {reason.verify_message}")
    if isinstance(reason, ConnectionError | HTTPException) and not isinstance(
        reason, ConnectionRefusedError
    ):
        return Absent(f"the answer broke off ({type(reason).__name__})", "see the server's log")
    why = getattr(reason, "strerror", None) or str(reason)
    return Unreachable(f"nobody answers ({why})", "start the server, or correct url")


def _said(error: HTTPError, timeout: float) -> str:
    """The server's own words."""
    try:
        text = _read(error, 10_000, timeout).decode(errors="replace")
    except (OSError, HTTPException):
        return ""
    found = re.search(r'"(?:message|detail)"\s*:\s*("(?:[^"\\]|\\.)*")', text)
    try:
        return str(json.loads(found[1], strict=False)) if found else text
    except ValueError:  # not JSON, though it looks like it
        return text


def _seconds(retry_after: str) -> float:
    """A Retry-After header: seconds, or a date; nothing where it makes no sense."""
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            wait = parsedate_to_datetime(retry_after).timestamp() - time()
        except (ValueError, OverflowError, OSError):
            return 0.0
    return min(max(0.0, wait), LONGEST_WAIT)
