"""An HTTP client for JSON: transient errors are retried, others are reported in one line."""

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

LONGEST_BACKOFF = 60.0  # seconds, of our own
LONGEST_WAIT = 600.0  # seconds, by a server's Retry-After
BASE_BYTES = 1 << 22  # of an answer, beside the replies in it
CHUNK = 1 << 16  # bytes that are read at once

_TRANSIENT = frozenset({408, 409, 425})  # and every status from 500 on
_BUSY = frozenset({429})
_UNAVAILABLE = frozenset({502, 503, 504})
_REFUSED = frozenset({400, 413, 414, 422})  # one request: a prompt that is too long, say
_JITTER = SystemRandom()


@dataclass(frozen=True, slots=True)
class Retries:
    # Together the pauses are about four minutes: time for a server to restart.
    tries: int = 10
    pause: float = 1.0  # seconds before the second try, doubled before each further one
    timeout: float = 600.0  # seconds without a byte from the server


RETRIES = Retries()


class TransientError(Exception):
    """A failure that may pass by itself: the request is tried again."""

    def __init__(self, reason: str, remedy: str, wait: float = 0.0, usable: Any = None) -> None:
        super().__init__(reason)
        self.remedy = remedy
        self.wait = wait  # seconds that the server asks for
        self.usable = usable  # the part of the answer that can be used if no better one comes


class Unavailable(TransientError):
    """The server is down or busy: it gets no requests for a while."""


class Unreachable(Unavailable):
    """Nobody answers at the address."""


class RequestFailed(UserError):
    """One request without a usable answer; others may have one."""

    def __init__(self, message: str, reason: str = "", refused: bool = False) -> None:
        super().__init__(message)
        self.reason = reason  # without the address: it is stored with the reply
        self.refused = refused  # at once, not after all tries


def post(
    replicas: Replicas,
    path: str,
    body: Any,
    read: Callable[[Any], T],
    key_variable: str = "",
    retries: Retries = RETRIES,
    cancelled: Event | None = None,
    max_bytes: int = BASE_BYTES,
) -> T | None:
    """What `read` makes of a server's answer; it raises TransientError where the answer makes no
    sense. None once `cancelled` is set, because another request failed for good."""
    cancelled = cancelled or Event()
    avoided: int | None = None
    for attempt in range(retries.tries):
        acquired = replicas.acquire(avoided, cancelled.is_set)
        if acquired is None:
            return None
        place, before = acquired
        url = f"{replicas.urls[place]}/{path}"
        try:
            answer = read(_answer(url, body, key_variable, retries.timeout, max_bytes))
        except Unavailable as failure:
            last: TransientError = failure
            seconds = partial(backoff, failure, retries=retries)
            replicas.failed(place, before, seconds, one_line(str(failure), key_of(key_variable)))
            if not isinstance(failure, Unreachable):
                replicas.reached = True
            # Where nobody ever answered is a mistake; a server that did may be restarting.
            elif not replicas.reached and replicas.all_failed(1):
                raise UserError(_message(url, failure, key_variable)) from None
        except TransientError as failure:
            last = failure
            replicas.release(place)
            replicas.reached = True
            if attempt + 1 < retries.tries:
                cancelled.wait(backoff(failure, attempt, retries))
        except UserError:
            replicas.release(place)
            raise
        else:
            replicas.succeeded(place)
            return answer
        avoided = place
        if replicas.all_failed(retries.tries):
            break
    if last.usable is not None:
        usable: T = last.usable
        return usable
    tries = f"no usable answer after {attempt + 1} of {retries.tries} tries; the last: "
    message = _message(url, last, key_variable, tries)
    if replicas.all_failed(retries.tries):
        raise UserError(message)
    raise RequestFailed(message, message.removeprefix(f"{url}: "))


def check_connection(
    replicas: Replicas, path: str, body: Any, key_variable: str, timeout: float
) -> None:
    """One request, to raise permanent errors before work is done: an address without a server, a
    wrong key or path. Transient ones are left to `post`."""
    if key_variable and not key_of(key_variable):
        raise UserError(
            f"{key_variable} is not set: put the endpoint's key into that environment variable, or"
            " leave key_variable out"
        )
    for url in (f"{each}/{path}" for each in replicas.urls):
        try:
            _answer(url, body, key_variable, timeout, BASE_BYTES)
        except Unreachable as failure:
            unreachable = url, failure
        except (TransientError, RequestFailed):
            return
        else:
            return
    raise UserError(_message(*unreachable, key_variable))


def _message(url: str, failure: TransientError, key_variable: str, before: str = "") -> str:
    """In one line, without our key: a server may repeat it."""
    return f"{url}: {before}{one_line(str(failure), key_of(key_variable))}; {failure.remedy}"


def backoff(failure: TransientError, attempt: int, retries: Retries) -> float:
    """Seconds before the next try: Retry-After, plus exponential backoff with jitter."""
    longest = min(LONGEST_BACKOFF, retries.pause * 2.0**attempt)
    return failure.wait + longest * (0.5 + _JITTER.random() / 2)


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


def _answer(url: str, body: Any, key_variable: str, timeout: float, max_bytes: int) -> Any:
    key = key_of(key_variable)
    headers = {"Content-Type": "application/json", "User-Agent": "puzzlemill"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = Request(url, json.dumps(body).encode(), headers, method="POST")
    try:
        with build_opener(_NoRedirect).open(request, timeout=timeout) as response:
            text = _body(response, max_bytes, timeout)
    except HTTPError as error:
        with error:
            raise _status_error(url, error, key_variable, timeout) from None
    except URLError as error:
        raise _connection_error(url, error.reason, timeout) from None
    except (OSError, HTTPException) as error:
        raise _connection_error(url, error, timeout) from None
    try:
        return json.loads(text)
    except ValueError:
        start = one_line(text.decode(errors="replace"), key, 80)
        reason = f"not JSON: {start!r}"
    except RecursionError:
        reason = "JSON that is nested too deeply"
    raise TransientError(reason, "is this an OpenAI-compatible server's /v1?")


def _body(response: HTTPResponse, max_bytes: int, timeout: float) -> bytes:
    """The whole body of an answer, or an error."""
    text = _read(response, max_bytes, timeout)
    if len(text) > max_bytes:
        raise TransientError(
            f"the answer is longer than {max_bytes:,} bytes", "does the server go by max_tokens?"
        )
    if response.length:
        raise IncompleteRead(b"", response.length)
    return text


def _read(response: Any, max_bytes: int, timeout: float) -> bytes:
    """A body, or a little more than `max_bytes` of it. The timeout is for all of it: a server that
    sends byte by byte never runs into a socket's."""
    deadline, text = monotonic() + timeout, bytearray()
    while len(text) <= max_bytes and (chunk := response.read1(CHUNK)):
        text += chunk
        if monotonic() > deadline:
            raise TimeoutError
    return bytes(text)


def _status_error(
    url: str, error: HTTPError, key_variable: str, timeout: float
) -> TransientError | UserError:
    """What an HTTP status means."""
    status, key = f"status {error.code}", key_of(key_variable)
    if 300 <= error.code < 400:
        location = one_line(error.headers.get("Location", "elsewhere"), key)
        return UserError(f"{url}: {status}, moved to {location}: set url to the new address")
    detail = one_line(_detail(error, timeout), key, 300).rstrip(" .")
    reason = f"{status}{': ' if detail else ''}{detail}"
    wait = _seconds(error.headers.get("Retry-After", ""))
    if error.code in _BUSY:
        return Unavailable(reason, "lower concurrency, or come back later", wait)
    if error.code in _TRANSIENT:
        return TransientError(reason, "lower concurrency, or come back later", wait)
    if error.code in _UNAVAILABLE:
        return Unavailable(reason, "see the server's log", wait)
    if error.code >= 500:
        return TransientError(reason, "see the server's log", wait)
    remedy = "see what the server takes"
    if error.code in _REFUSED:
        return RequestFailed(f"{url}: {reason}; {remedy}", reason, refused=True)
    if error.code in (401, 403):
        remedy = (
            f"put a valid key into the environment variable {key_variable}"
            if key_variable
            else "set key_variable to the name of the environment variable that holds the key"
        )
    elif error.code in (404, 405):
        remedy = "check url (it ends in /v1) and model"
    return UserError(f"{url}: {reason}; {remedy}")


def _connection_error(url: str, reason: object, timeout: float) -> TransientError | UserError:
    if isinstance(reason, TimeoutError):
        return Unavailable(f"no answer in {timeout:g} s", "raise timeout, or lower concurrency")
    if isinstance(reason, ssl.SSLCertVerificationError):
        return UserError(f"{url}: its certificate cannot be verified: {reason.verify_message}")
    if isinstance(reason, ConnectionError | HTTPException) and not isinstance(
        reason, ConnectionRefusedError
    ):
        return Unavailable(
            f"the answer broke off ({type(reason).__name__})", "see the server's log"
        )
    why = getattr(reason, "strerror", None) or str(reason)
    return Unreachable(f"nobody answers ({why})", "start the server, or correct url")


def _detail(error: HTTPError, timeout: float) -> str:
    """The message in an error's body, which may not be JSON."""
    try:
        text = _read(error, 10_000, timeout).decode(errors="replace")
    except (OSError, HTTPException):
        return ""
    message = re.search(r'"(?:message|detail)"\s*:\s*("(?:[^"\\]|\\.)*")', text)
    try:
        return str(json.loads(message[1], strict=False)) if message else text
    except ValueError:  # not JSON, though it looked like it
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
