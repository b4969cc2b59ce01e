"""Kept-alive HTTP connections to one server."""

import asyncio
import logging
import ssl
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.event_loop import THREAD

if TYPE_CHECKING:  # imported where it is used: most of what imports this makes no request
    from httpx import AsyncHTTPTransport, Request, Response

IDLE = 3.0  # seconds that an unused connection stays open; servers close theirs after 5 or more

# At level DEBUG it would log all headers, in which a server may repeat our key.
logging.getLogger("httpcore.http11").addFilter(lambda record: record.threadName != THREAD)


class Connections:
    """A transport for each connection: one that has them all looks at each for each request."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.idle: deque[tuple[float, AsyncHTTPTransport]] = deque()  # least recently used first
        self.loop: asyncio.AbstractEventLoop | None = None
        self.is_closing = False

    @asynccontextmanager
    async def response(self, request: "Request", timeout: float) -> "AsyncIterator[Response]":
        """A response, whose body is unread. The connection is kept if all of it was read."""
        _tls()  # reading certificates is not the server's time
        async with asyncio.timeout(timeout):
            transport, response = await self._sent(request)
        try:
            yield response
        finally:
            try:
                await response.aclose()
            finally:
                if response.is_stream_consumed and _stays_open(response):
                    self._keep(transport)
                else:
                    await transport.aclose()

    async def _sent(self, request: "Request") -> "tuple[AsyncHTTPTransport, Response]":
        import httpx

        self._of_this_loop()
        if self.idle:
            transport = self.idle.pop()[1]
            try:
                return transport, await transport.handle_async_request(request)
            except (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError):
                # The server may have closed it as we sent, which tells nothing of its health.
                await transport.aclose()
            except BaseException:
                await transport.aclose()
                raise
        transport = _transport(self.url)
        try:
            return transport, await transport.handle_async_request(request)
        except BaseException:
            await transport.aclose()
            raise

    def _of_this_loop(self) -> None:
        """Forget what a parent process, before a fork, had open."""
        loop = asyncio.get_running_loop()
        if self.loop is not loop:
            self.loop, self.idle, self.is_closing = loop, deque(), False

    def _keep(self, transport: "AsyncHTTPTransport") -> None:
        self.idle.append((monotonic(), transport))
        if not self.is_closing:
            self._close_later()

    def _close_later(self) -> None:
        self.is_closing = True
        asyncio.get_running_loop().call_later(IDLE, lambda: asyncio.ensure_future(self._close()))

    async def _close(self) -> None:
        """Close what has not been used for a while, and look again while there are others."""
        while self.idle and self.idle[0][0] <= monotonic() - IDLE:
            await self.idle.popleft()[1].aclose()
        self.is_closing = bool(self.idle)
        if self.idle:
            self._close_later()


def _stays_open(response: "Response") -> bool:
    if response.http_version == "HTTP/1.0":
        return False
    return "close" not in response.headers.get("Connection", "").lower()


def _transport(url: str) -> "AsyncHTTPTransport":
    import httpx

    scheme, host = urlsplit(url)[:2]
    address = None if proxy_bypass(host) else getproxies().get(scheme)
    limits = httpx.Limits(max_connections=1)
    try:
        proxy = (
            httpx.Proxy(address if "://" in address else f"http://{address}") if address else None
        )
        return httpx.AsyncHTTPTransport(verify=_tls(), trust_env=False, limits=limits, proxy=proxy)
    except (ValueError, ImportError, httpx.InvalidURL):  # not repeated: it may hold a password
        raise UserError(
            f"{url}: the proxy in the environment variable {scheme}_proxy cannot be used: set it to"
            " one like http://host:3128, or set no_proxy"
        ) from None


@cache
def _tls() -> ssl.SSLContext:
    """By the certificates of the system, or of SSL_CERT_FILE: reading them takes a while."""
    return ssl.create_default_context()
