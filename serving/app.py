"""The app: every door's routes on one port, and what holds for all of them.

A request is held to its limits here: the key, the name under which it was sent, its size. What goes
wrong becomes a status and one line, which repeats nothing but what was sent.
"""

import asyncio
import hmac
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from puzzlemill.core.errors import UserError
from puzzlemill.outputs.viewer.server import trusted_name
from puzzlemill.serving.calls import (
    Call,
    Malformed,
    NotThere,
    answered,
    bearer,
    json_response,
    object_of,
)
from puzzlemill.serving.doors import DOORS, Door, Socket
from puzzlemill.serving.episodes import Finished, Server
from puzzlemill.serving.judging import Broken, Busy
from puzzlemill.serving.sessions import Full, Unknown

LOOPBACK = ("127.0.0.1", "localhost", "::1")
OPEN = ("/health",)  # paths that need no key
SWEEP = 15.0  # seconds between looks for sessions that have expired
RETRY = {"Retry-After": "1"}


def app_of(server: Server, key: str = "", host: str = LOOPBACK[0]) -> Starlette:
    """The app of a server that listens at a host; with a key, requests have to tell it."""
    doors = {name: DOORS.load(name) for name in DOORS.names()}
    by_path: dict[tuple[str, str], list[tuple[str, Door]]] = {}
    for name, door in doors.items():
        for route in door.routes:
            by_path.setdefault(route, []).append((name, door))
    gate = partial(_refusal, key=key, host=host)
    metrics = partial(_metrics, server, gate)
    routes: list[BaseRoute] = [Route("/metrics", metrics, methods=["GET"])]
    # Fixed paths first: /{environment}/task would take others for an environment's.
    for method, path in sorted(by_path, key=lambda route: ("{" in route[1], route)):
        takers = sorted(by_path[method, path], key=lambda taker: taker[1].claims is None)
        answer = partial(_answer, server, gate, (method, path), takers)
        routes.append(Route(path, answer, methods=[method]))
    for door in doors.values():
        for path, socket in door.sockets.items():
            routes.append(WebSocketRoute(path, partial(_talk, server, gate, socket)))
    return Starlette(routes=routes, lifespan=partial(_lifespan, server))


async def _answer(
    server: Server,
    gate: "partial[Response | None]",
    route: tuple[str, str],
    takers: Sequence[tuple[str, Door]],
    request: Request,
) -> Response:
    """The response of the door that takes a request."""
    name = takers[-1][0]
    if (response := gate(request)) is None:
        try:
            raw = await _body(request, server.settings.body)
            reads = takers[-1][1].reads_body
            body = object_of(raw) if route[0] == "POST" and not reads else {}
            claimed = (taker for taker in takers if taker[1].claims and taker[1].claims(body))
            name, door = next(claimed, takers[-1])
            call = Call(
                server, request.path_params, request.query_params, request.headers,
                request.cookies, raw, body,
            )  # fmt: skip
            response = answered(await door.routes[route](call))
        except _TOLD as error:
            response = _told(server, error)
    server.metrics.add("requests_total", door=name, status=str(response.status_code))
    return response


_TOLD = (UserError, HTTPException, Unknown, Finished, Full, Busy, Broken)


def _told(server: Server, error: Exception) -> Response:
    """The status of what went wrong, and one line."""
    match error:
        case HTTPException():
            return _fault(error.status_code, error.detail, dict(error.headers or {}))
        case Busy() | Full():
            server.metrics.add("refused_total")
            why = str(error) if isinstance(error, Full) else "too many replies wait: send it later"
            return _fault(503, why, RETRY)
        case Broken():
            return _fault(500, "our own code failed: this says nothing of the reply", {})
        case Malformed():
            return _fault(422, str(error), {})
        case NotThere() | Unknown():
            return _fault(404, str(error), {})
        case Finished():
            return _fault(409, str(error), {})
    return _fault(400, str(error), {})


def _fault(status: int, detail: Any, headers: dict[str, str]) -> Response:
    return json_response({"detail": detail}, status, headers)


async def _body(request: Request, most: int) -> bytes:
    length = request.headers.get("content-length", "")
    too_large = HTTPException(413, f"a request has at most {most:,} bytes")
    if re.fullmatch("[0-9]{1,18}", length) and int(length) > most:
        raise too_large
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > most:
            raise too_large
    return bytes(raw)


def _refusal(request: HTTPConnection, key: str, host: str) -> Response | None:
    """Why a request is not taken at all: no key, or sent from another site's page."""
    if host in LOOPBACK and not trusted_name(request.headers.get("host", ""), host):
        return _fault(421, "call this by its number, such as 127.0.0.1, or as localhost", {})
    foreign = request.headers.get("sec-fetch-site") == "cross-site"
    if foreign and request.headers.get("sec-fetch-mode") != "navigate":
        return _fault(403, "pages of other sites get nothing from here", {})
    if key and request.url.path not in OPEN:
        sent_key = bearer(request.headers.get("authorization", ""))
        sent_key = sent_key or request.headers.get("x-api-key", "")
        if not hmac.compare_digest(sent_key.encode(), key.encode()):
            challenge = {"WWW-Authenticate": 'Basic realm="puzzlemill"'}
            return _fault(401, "tell the key: Authorization: Bearer …", challenge)
    return None


async def _talk(
    server: Server, gate: "partial[Response | None]", talk: Socket, socket: WebSocket
) -> None:
    if gate(socket) is not None:
        await socket.close(1008)  # before it is accepted: the handshake is refused with 403
        return
    await talk(server, socket)


async def _metrics(server: Server, gate: "partial[Response | None]", request: Request) -> Response:
    if (refusal := gate(request)) is not None:
        return refusal
    server.sessions.expire()
    gauges = {
        "sessions": len(server.sessions.episodes),
        "sessions_expired_total": server.sessions.expired,
        "waiting": len(server.judges.waiting) + len(server.makers.waiting),
    }
    return PlainTextResponse(server.metrics.text(gauges), media_type="text/plain; version=0.0.4")


@asynccontextmanager
async def _lifespan(server: Server, app: Starlette) -> AsyncIterator[None]:
    sweeping = asyncio.create_task(_sweep(server))
    try:
        yield
    finally:
        sweeping.cancel()
        server.close()


async def _sweep(server: Server) -> None:
    while True:
        await asyncio.sleep(SWEEP)
        server.sessions.expire()
