"""Kept-alive HTTP connections to one server."""

import asyncio
import logging
import ssl
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, cached_property
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.event_loop import THREAD

if TYPE_CHECKING:  # imported where it is used: most of what imports this makes no request
    import httpcore
    import httpx
    from httpcore import AsyncConnectionInterface, AsyncConnectionPool, Proxy, Request, Response

IDLE = 3.0  # seconds that an unused connection stays open; servers close theirs after 5 or more
FRESH = 0.5  # seconds after which it is looked at before use, in case the server has closed it

# At level DEBUG it would log all headers, in which a server may repeat our key.
logging.getLogger("httpcore.http11").addFilter(lambda record: record.threadName != THREAD)


class Connections:
    """One of httpcore's for each request in flight. Its pool only makes them: one that has them all
    looks at each for each request."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.idle: deque[tuple[float, AsyncConnectionInterface]] = deque()  # longest unused first
        self.loop: asyncio.AbstractEventLoop | None = None
        self.is_closing = False

    @asynccontextmanager
    async def response(self, request: "Request", timeout: float) -> "AsyncIterator[Response]":
        """A response, whose body is unread. The connection is kept if all of it was read."""
        _tls()  # reading certificates is not the server's time
        async with asyncio.timeout(timeout):
            connection, response = await self._sent(request)
        try:
            yield response
        finally:
            try:
                await response.aclose()
            finally:
                if connection.is_idle():
                    self._keep(connection)
                else:
                    await connection.aclose()

    async def _sent(self, request: "Request") -> "tuple[AsyncConnectionInterface, Response]":
        import httpcore

        kept = await self._kept()
        if kept is not None:
            try:
                return kept, await kept.handle_async_request(request)
            except (httpcore.ReadError, httpcore.WriteError, httpcore.RemoteProtocolError):
                # The server may have closed it as we sent, which tells nothing of its health.
                await kept.aclose()
            except BaseException:
                await kept.aclose()
                raise
        connection = self.pool.create_connection(request.url.origin)
        try:
            return connection, await connection.handle_async_request(request)
        except BaseException:
            await connection.aclose()
            raise

    async def _kept(self) -> "AsyncConnectionInterface | None":
        """An open connection, if there is one."""
        self._of_this_loop()
        while self.idle:
            since, connection = self.idle.pop()
            if monotonic() - since < FRESH or not connection.has_expired():
                return connection
            await connection.aclose()  # the server has closed it, or said what nobody asked for
        return None

    @cached_property
    def pool(self) -> "AsyncConnectionPool":
        return _pool(self.url)

    def _of_this_loop(self) -> None:
        """Forget what a parent process, before a fork, had open."""
        loop = asyncio.get_running_loop()
        if self.loop is not loop:
            self.loop, self.idle, self.is_closing = loop, deque(), False

    def _keep(self, connection: "AsyncConnectionInterface") -> None:
        self.idle.append((monotonic(), connection))
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


def _pool(url: str) -> "AsyncConnectionPool":
    import httpcore
    import httpx

    scheme, host = urlsplit(url)[:2]
    address = None if proxy_bypass(host) else getproxies().get(scheme)
    try:
        proxy = _proxy(address if "://" in address else f"http://{address}") if address else None
        pool = httpcore.AsyncConnectionPool(ssl_context=_tls(), proxy=proxy)
        pool.create_connection(core_url(httpx.URL(url)).origin)  # SOCKS needs a package
    except (ValueError, ImportError, httpx.InvalidURL):  # not repeated: it may hold a password
        raise UserError(
            f"{url}: the proxy in the environment variable {scheme}_proxy cannot be used: set it to"
            " one like http://host:3128, or set no_proxy"
        ) from None
    return pool


def _proxy(address: str) -> "Proxy":
    import httpcore
    import httpx

    read = httpx.Proxy(address)
    return httpcore.Proxy(core_url(read.url), read.raw_auth)


def core_url(url: "httpx.URL") -> "httpcore.URL":
    import httpcore

    return httpcore.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )


@cache
def _tls() -> ssl.SSLContext:
    """By the certificates of the system, or of SSL_CERT_FILE: reading them takes a while."""
    return ssl.create_default_context()
