"""An HTTP client for JSON: transient errors are retried, others are reported in one line."""

import asyncio
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from random import SystemRandom
from typing import TYPE_CHECKING, Any, TypeVar

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.connections import Connections, core_url
from puzzlemill.difficulty.policies.http_errors import (
    RequestFailed,
    TransientError,
    Unavailable,
    Unreachable,
    connection_error,
    network_errors,
    status_error,
)
from puzzlemill.difficulty.policies.redaction import one_line
from puzzlemill.difficulty.policies.replicas import Replicas

if TYPE_CHECKING:  # imported where it is used: most of what imports this makes no request
    import httpcore
    from httpcore import Response

T = TypeVar("T")

LONGEST_BACKOFF = 60.0  # seconds, of our own
BASE_BYTES = 1 << 22  # of an answer, beside the replies in it

_JITTER = SystemRandom()


@dataclass(frozen=True, slots=True)
class Retries:
    # Together the pauses are about four minutes: time for a server to restart.
    tries: int = 10
    pause: float = 1.0  # seconds before the second try, doubled before each further one
    timeout: float = 600.0  # seconds without a byte from the server


RETRIES = Retries()


async def post(
    replicas: Replicas,
    path: str,
    body: Any,
    read: Callable[[Any], T],
    key_variable: str = "",
    retries: Retries = RETRIES,
    max_bytes: int = BASE_BYTES,
) -> T:
    """What `read` makes of a server's answer; it raises TransientError where the answer makes no
    sense."""
    avoided: int | None = None
    for attempt in range(retries.tries):
        place, before = await replicas.acquire(avoided)
        connections = replicas.connections[place]
        try:
            answer = read(
                await _answer(connections, path, body, key_variable, retries.timeout, max_bytes)
            )
        except Unavailable as failure:
            last: TransientError = failure
            seconds = partial(backoff, failure, retries=retries)
            replicas.failed(place, before, seconds, one_line(str(failure), key_of(key_variable)))
            if not isinstance(failure, Unreachable):
                replicas.reached = True
            # Where nobody ever answered is a mistake; a server that did may be restarting.
            elif not replicas.reached and replicas.all_failed(1):
                url = f"{connections.url}/{path}"
                raise UserError(_message(url, failure, key_variable)) from None
        except TransientError as failure:
            last = failure
            replicas.release(place)
            replicas.reached = True
            if attempt + 1 < retries.tries:
                await asyncio.sleep(backoff(failure, attempt, retries))
        except BaseException:
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
    url = f"{connections.url}/{path}"
    tries = f"no usable answer after {attempt + 1} of {retries.tries} tries; the last: "
    message = _message(url, last, key_variable, tries)
    if replicas.all_failed(retries.tries):
        raise UserError(message)
    raise RequestFailed(message, message.removeprefix(f"{url}: "))


async def check_connection(
    replicas: Replicas, path: str, body: Any, key_variable: str, timeout: float
) -> None:
    """One request, to raise permanent errors before work is done: an address without a server, a
    wrong key or path. Transient ones are left to `post`."""
    if key_variable and not key_of(key_variable):
        raise UserError(
            f"{key_variable} is not set: put the endpoint's key into that environment variable, or"
            " leave key_variable out"
        )
    for connections in replicas.connections:
        try:
            await _answer(connections, path, body, key_variable, timeout, BASE_BYTES)
        except Unreachable as failure:
            unreachable = f"{connections.url}/{path}", failure
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
    if not key.isascii() or not key.isprintable():  # the bad header would show in errors
        raise UserError(f"the environment variable {variable} holds no valid key: set it anew")
    return key


async def _answer(
    connections: Connections,
    path: str,
    body: Any,
    key_variable: str,
    timeout: float,
    max_bytes: int,
) -> Any:
    import httpx

    url, key = f"{connections.url}/{path}", key_of(key_variable)
    content = json.dumps(body).encode()
    try:
        request = _request(url, content, key)
        async with connections.response(request, timeout) as response:
            if not 200 <= response.status < 300:
                detail = await _detail(response, timeout)
                raise status_error(url, response, detail, key, key_variable)
            text = await _body(response, max_bytes, timeout)
    except (httpx.InvalidURL, UnicodeError) as error:
        raise UserError(f"{url}: {one_line(str(error), key)}: correct url") from None
    except network_errors() as error:
        raise connection_error(url, error, timeout) from None
    try:
        return json.loads(text)
    except ValueError:
        start = one_line(text.decode(errors="replace"), key, 80)
        reason = f"not JSON: {start!r}"
    except RecursionError:
        reason = "JSON that is nested too deeply"
    raise TransientError(reason, "is this an OpenAI-compatible server's /v1?")


def _request(url: str, content: bytes, key: str) -> "httpcore.Request":
    import httpcore

    address, headers = _parsed(url)
    own = [(b"Content-Length", str(len(content)).encode())]
    if key:
        own.append((b"Authorization", f"Bearer {key}".encode()))
    return httpcore.Request("POST", address, headers=[*headers, *own], content=content)


@lru_cache  # the same few for all requests
def _parsed(url: str) -> "tuple[httpcore.URL, list[tuple[bytes, bytes]]]":
    """An address, and the headers of all requests to it."""
    import httpx

    parsed = httpx.URL(url)
    headers = [(b"Host", parsed.netloc), (b"User-Agent", b"puzzlemill")]
    headers.append((b"Content-Type", b"application/json"))
    # Plain, since few bytes of a compressed body may stand for many.
    headers.append((b"Accept-Encoding", b"identity"))
    return core_url(parsed), headers


async def _body(response: "Response", max_bytes: int, timeout: float) -> bytes:
    """The whole body of an answer, or an error."""
    text = await _read(response, max_bytes, timeout)
    if len(text) > max_bytes:
        raise TransientError(
            f"the answer is longer than {max_bytes:,} bytes", "does the server go by max_tokens?"
        )
    return text


async def _read(response: "Response", max_bytes: int, timeout: float) -> bytes:
    """A body, or a little more than `max_bytes` of it. The timeout is for all of it: a server may
    send byte by byte."""
    text = bytearray()
    async with asyncio.timeout(timeout):
        async for chunk in response.aiter_stream():
            text += chunk
            if len(text) > max_bytes:
                break
    return bytes(text)


async def _detail(response: "Response", timeout: float) -> str:
    """The message in an error's body, which may not be JSON."""
    try:
        text = (await _read(response, 10_000, timeout)).decode(errors="replace")
    except network_errors():
        return ""
    message = re.search(r'"(?:message|detail)"\s*:\s*("(?:[^"\\]|\\.)*")', text)
    try:
        return str(json.loads(message[1], strict=False)) if message else text
    except ValueError:  # not JSON, though it looked like it
        return text
