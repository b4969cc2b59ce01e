"""Listening: a port, and uvicorn behind it. Whoever keeps a request waiting is cut off.

Uvicorn has no limit on how long the head of a request may take to come. Without one, clients that
send a byte now and then hold all connections that it takes on.
"""

import asyncio
import socket
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from puzzlemill.core.errors import UserError
from puzzlemill.serving.app import app_of
from puzzlemill.serving.episodes import Server

if TYPE_CHECKING:
    import uvicorn

BACKLOG = 1024  # connections that wait to be taken
SPARE = 1024  # connections besides one for each session; more are refused (503)
HEAD = 65_536  # bytes of a request besides its body
SILENT = 75  # seconds that a connection without a request is kept
LEAVING = 5  # seconds that an answer under way may take when the server ends


def listen(server: Server, host: str, port: int, key: str, tell: Callable[[str], None]) -> None:
    """Answer until the process is ended; the address is told first."""
    sock = bound(host, port)
    tell(address(sock))
    http_server(server, host, key).run(sockets=[sock])


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any that is free."""
    if port not in range(65_536):
        raise UserError(f"port {port} is outside 0..65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"cannot listen at {host}, port {port}: {reason}; choose another") from None


def address(sock: socket.socket) -> str:
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def http_server(server: Server, host: str, key: str = "") -> "uvicorn.Server":
    import uvicorn

    settings = server.settings
    config = uvicorn.Config(
        app_of(server, key, host),
        http=_protocol(),
        interface="asgi3", log_level="error", access_log=False, server_header=False,
        proxy_headers=False,
        ws="none" if server.site else "websockets-sansio", ws_max_size=settings.body,
        timeout_keep_alive=SILENT, timeout_graceful_shutdown=LEAVING,
        limit_concurrency=settings.sessions + SPARE, backlog=BACKLOG,
    )  # fmt: skip
    running = uvicorn.Server(config)
    waiting: dict[Any, float] = {}  # connections whose next request is not whole, since when

    async def cut_off() -> None:
        now = monotonic()
        unfinished = [each for each in running.server_state.connections if _is_unfinished(each)]
        for connection in set(waiting) - set(unfinished):
            del waiting[connection]
        for connection in unfinished:
            if now - waiting.setdefault(connection, now) > settings.patience:
                connection.transport.abort()

    config.callback_notify = cut_off
    config.timeout_notify = 0  # each second, as uvicorn looks
    return running


def _protocol() -> "type[asyncio.Protocol] | Literal['h11']":
    """How requests are read: by httptools where it is installed, in less time."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        return "h11"

    class Bounded(HttpToolsProtocol):
        """httptools itself takes heads, trailers and extensions of chunks of any size."""

        loose = 0  # bytes since the last of a body, or of a request

        def data_received(self, data: bytes) -> None:
            self.loose += len(data)
            super().data_received(data)
            if self.loose > HEAD and not self.transport.is_closing():
                self.send_400_response(f"a head has at most {HEAD:,} bytes")

        def on_body(self, body: bytes) -> None:
            self.loose = 0
            super().on_body(body)

        def on_message_complete(self) -> None:
            self.loose = 0
            super().on_message_complete()

    return Bounded


def _is_unfinished(connection: object) -> bool:
    """Whether an HTTP connection is between two requests, and has sent a part of the next one, or
    has never sent a whole one. A WebSocket has pings instead."""
    if not hasattr(connection, "cycle"):
        return False
    cycle, timer = connection.cycle, getattr(connection, "timeout_keep_alive_task", None)
    return timer is None and (cycle is None or cycle.response_complete)
