"""Errors of HTTP: which may pass by themselves, which concern one request, and which all."""

import os
import ssl
from email.utils import parsedate_to_datetime
from functools import cache
from socket import gaierror
from time import time
from typing import TYPE_CHECKING, Any

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.redaction import one_line

if TYPE_CHECKING:  # imported where it is used: most of what imports this makes no request
    from httpcore import Response

LONGEST_WAIT = 600.0  # seconds, by a server's Retry-After

_TRANSIENT = frozenset({408, 409, 425})  # and every status from 500 on
_BUSY = frozenset({429})
_UNAVAILABLE = frozenset({502, 503, 504})
_REFUSED = frozenset({400, 413, 414, 422})  # one request: a prompt that is too long, say


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


def status_error(
    url: str, response: "Response", detail: str, key: str, key_variable: str
) -> TransientError | UserError:
    """What an HTTP status means."""
    code = response.status
    status = f"status {code}"
    if 300 <= code < 400:  # following it would hand the key to another address
        location = one_line(_header(response, b"location") or "elsewhere", key)
        return UserError(f"{url}: {status}, moved to {location}: set url to the new address")
    detail = one_line(detail, key, 300).rstrip(" .")
    reason = f"{status}{': ' if detail else ''}{detail}"
    wait = seconds_of(_header(response, b"retry-after"))
    if code in _BUSY:
        return Unavailable(reason, "lower concurrency, or come back later", wait)
    if code in _TRANSIENT:
        return TransientError(reason, "lower concurrency, or come back later", wait)
    if code in _UNAVAILABLE:
        return Unavailable(reason, "see the server's log", wait)
    if code >= 500:
        return TransientError(reason, "see the server's log", wait)
    remedy = "see what the server takes"
    if code in _REFUSED:
        return RequestFailed(f"{url}: {reason}; {remedy}", reason, refused=True)
    if code in (401, 403):
        remedy = (
            f"put a valid key into the environment variable {key_variable}"
            if key_variable
            else "set key_variable to the name of the environment variable that holds the key"
        )
    elif code in (404, 405):
        remedy = "check url (it ends in /v1) and model"
    return UserError(f"{url}: {reason}; {remedy}")


def _header(response: "Response", name: bytes) -> str:
    values = (value for given, value in response.headers if given.lower() == name)
    return next(values, b"").decode("latin-1")


@cache
def network_errors() -> tuple[type[Exception], ...]:
    """What it may raise to send a request and to read the answer."""
    import httpcore

    theirs = (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError)
    return OSError, httpcore.TimeoutException, *theirs


def connection_error(url: str, error: Exception, timeout: float) -> TransientError | UserError:
    import httpcore

    cause = _of_the_system(error)
    if isinstance(cause, TimeoutError):
        return Unavailable(f"no answer in {timeout:g} s", "raise timeout, or lower concurrency")
    if isinstance(cause, ssl.SSLCertVerificationError):
        return UserError(f"{url}: its certificate cannot be verified: {cause.verify_message}")
    if isinstance(cause, ConnectionRefusedError) or (
        isinstance(error, httpcore.ConnectError | httpcore.ProxyError)
        and not isinstance(cause, ConnectionError)
    ):
        why = getattr(cause, "strerror", None) or str(cause)
        if isinstance(cause, OSError) and not isinstance(cause, ssl.SSLError | gaierror):
            why = os.strerror(cause.errno) if cause.errno else why  # asyncio repeats the address
        return Unreachable(f"nobody answers ({why})", "start the server, or correct url")
    return Unavailable(f"the answer broke off ({type(cause).__name__})", "see the server's log")


def _of_the_system(error: BaseException) -> Any:
    """The OSError beneath an error of httpcore, or that error where there is none."""
    found, beneath = error, error.__cause__
    while beneath:
        if isinstance(beneath, BaseExceptionGroup):  # one for each address of a host
            beneath = beneath.exceptions[0]
        if isinstance(beneath, OSError):
            found, beneath = beneath, beneath.__cause__  # its context is what came before it
        else:  # some of theirs are raised "from None"
            beneath = beneath.__cause__ or beneath.__context__
    return found


def seconds_of(retry_after: str) -> float:
    """A Retry-After header: seconds, or a date; nothing where it makes no sense."""
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            wait = parsedate_to_datetime(retry_after).timestamp() - time()
        except (ValueError, OverflowError, OSError):
            return 0.0
    return min(max(0.0, wait), LONGEST_WAIT)
