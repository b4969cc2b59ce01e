"""Calls of an ASGI app in this process, without a socket: a request costs a fraction of a
millisecond."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

HOST = (b"host", b"127.0.0.1")


def _scope(kind: str, path: str, headers: Mapping[str, str]) -> dict[str, Any]:
    path, _, query = path.partition("?")
    pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": kind, "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [HOST, *pairs], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip


async def http(
    app: Any, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> tuple[int, Mapping[str, str], str]:
    """Status, headers and body."""
    sent: list[dict[str, Any]] = []
    incoming = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if incoming:
            return incoming.pop()
        await asyncio.Event().wait()  # the client stays
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    length = {"content-length": str(len(body))} if body else {}
    scope = _scope("http", path, {**(headers or {}), **length}) | {"method": method}
    await app(scope, receive, send)
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    text = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], told, text.decode()


async def talk(app: Any, path: str, messages: Sequence[Any]) -> list[str]:
    """What a WebSocket answers to these messages, one for each."""
    incoming: list[dict[str, Any]] = [{"type": "websocket.connect"}]
    for message in messages:
        text = message if isinstance(message, str) else json.dumps(message)
        incoming.append({"type": "websocket.receive", "text": text})
    incoming.append({"type": "websocket.disconnect", "code": 1000})
    queue, answers = iter(incoming), list[str]()

    async def receive() -> dict[str, Any]:
        return next(queue)

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "websocket.send":
            answers.append(message["text"])

    await app(_scope("websocket", path, {}) | {"subprotocols": []}, receive, send)
    return answers
