"""The app: every door's routes on one port, and what holds for all of them.

A request is held to its limits here: the key, the name under which it was sent, its size. What goes
wrong becomes a status and one line, which repeats nothing but what was sent.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeAlias

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from puzzlemill.core.errors import UserError
from puzzlemill.serving.calls import (
    Call,
    Malformed,
    NotThere,
    answered,
    fault,
    headers_of,
    object_of,
)
from puzzlemill.serving.doors import DOORS, Door, Socket
from puzzlemill.serving.episodes import Server
from puzzlemill.serving.gate import LOOPBACK, refusal
from puzzlemill.serving.judging import Broken, Busy
from puzzlemill.serving.sessions import Finished, Full, Unknown
from puzzlemill.serving.workers import leave_workers

SWEEP = 15.0  # seconds between looks for sessions that have expired
RETRY = {"Retry-After": "1"}
CLOSE = {"Connection": "close"}
_LENGTH = re.compile("[0-9]{1,18}")

Answering: TypeAlias = Callable[[Request], Awaitable[Response]]


def app_of(server: Server, key: str = "", host: str = LOOPBACK[0]) -> ASGIApp:
    """The app of a server that listens at a host; with a key, requests have to tell it."""
    every = {name: DOORS.load(name) for name in DOORS.names()}
    views = server.site is not None
    doors = {name: door for name, door in every.items() if door.shows_gold == views}
    by_path: dict[tuple[str, str], list[tuple[str, Door]]] = {}
    for name, door in doors.items():
        for route in door.routes:
            by_path.setdefault(route, []).append((name, door))
    names = (host,) if views or host in LOOPBACK else ()
    gate = partial(refusal, key=key, names=names)
    metrics = partial(_metrics, server, gate)
    routes: list[BaseRoute] = [Route("/metrics", metrics, methods=["GET"])]
    answers: dict[tuple[str, str], Answering] = {}
    # Fixed paths first: /{environment}/task would take others for an environment's.
    for method, path in sorted(by_path, key=lambda route: ("{" in route[1], route)):
        takers = sorted(by_path[method, path], key=lambda taker: taker[1].claims is None)
        answer = partial(_answer, server, gate, (method, path), takers)
        answers[method, path] = answer
        routes.append(Route(path, answer, methods=[method]))
    for door in doors.values():
        for path, socket in door.sockets.items():
            routes.append(WebSocketRoute(path, partial(_talk, server, gate, socket)))
    return _looked_up(answers, Starlette(routes=routes, lifespan=partial(_lifespan, server)))


def _looked_up(answers: Mapping[tuple[str, str], Answering], others: ASGIApp) -> ASGIApp:
    """Starlette tries one route after another, which costs as much as a verdict. It gets what is
    not found at once: WebSockets, other methods, unknown paths."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        answer = None
        if scope["type"] == "http" and "{" not in (path := scope["path"]):
            answer = answers.get((scope["method"], path))
            first, _, last = path[1:].partition("/")
            if answer is None and first:
                answer = answers.get((scope["method"], f"/{{environment}}/{last}"))
                scope["path_params"] = {"environment": first}
        if answer is None:
            await others(scope, receive, send)
        else:
            response = await answer(Request(scope, receive, send))
            await response(scope, receive, send)

    return app


async def _answer(
    server: Server,
    gate: "partial[Response | None]",
    route: tuple[str, str],
    takers: Sequence[tuple[str, Door]],
    request: Request,
) -> Response:
    """The response of the door that takes a request."""
    name = takers[-1][0]
    headers = headers_of(request.scope)
    if (response := gate(request.scope["path"], headers)) is None:
        try:
            raw = await _body(request, headers, server.settings.body, server.settings.patience)
            reads = takers[-1][1].reads_body
            body = object_of(raw) if route[0] == "POST" and not reads else {}
            claimed = (taker for taker in takers if taker[1].claims and taker[1].claims(body))
            name, door = next(claimed, takers[-1])
            call = Call(server, request, headers, request.path_params, raw, body)
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
            return fault(error.status_code, error.detail, dict(error.headers or {}))
        case Busy() | Full():
            server.metrics.add("refused_total")
            why = str(error) if isinstance(error, Full) else "too many replies wait: send it later"
            return fault(503, why, RETRY)
        case Broken():
            return fault(500, "our own code failed: this says nothing of the reply", {})
        case Malformed():
            return fault(422, str(error), {})
        case NotThere() | Unknown():
            return fault(404, str(error), {})
        case Finished():
            return fault(409, str(error), {})
    return fault(400, str(error), {})


async def _body(request: Request, headers: Mapping[str, str], most: int, patience: float) -> bytes:
    length = headers.get("content-length", "")
    too_large = HTTPException(413, f"a request has at most {most:,} bytes")
    if _LENGTH.fullmatch(length) and int(length) > most:
        raise too_large
    if length in ("", "0") and "transfer-encoding" not in headers:
        return b""
    raw = bytearray()
    try:
        async with asyncio.timeout(patience):
            async for chunk in request.stream():
                raw += chunk
                if len(raw) > most:
                    raise too_large
    except TimeoutError:
        raise HTTPException(408, f"a request comes within {patience:g} seconds", CLOSE) from None
    return bytes(raw)


async def _talk(
    server: Server, gate: "partial[Response | None]", talk: Socket, socket: WebSocket
) -> None:
    if gate(socket.scope["path"], headers_of(socket.scope)) is not None:
        await socket.close(1008)  # before it is accepted: the handshake is refused with 403
        return
    await talk(server, socket)


async def _metrics(server: Server, gate: "partial[Response | None]", request: Request) -> Response:
    refused = gate(request.scope["path"], headers_of(request.scope))
    if refused is not None:
        return refused
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
        leave_workers()


async def _sweep(server: Server) -> None:
    while True:
        await asyncio.sleep(SWEEP)
        server.sessions.expire()
