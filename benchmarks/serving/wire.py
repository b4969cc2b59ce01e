"""A client that costs little: HTTP/1.1 over connections that are kept.

A client that is slower than the server sends one request after another, and then nothing waits and
nothing is judged together: its own slowness would be measured.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

HOST = b"\r\nHost: 127.0.0.1\r\n"


class Wire:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def get(self, path: str, session: str = "") -> bytes:
        return await self._answer(
            b"GET " + path.encode() + b" HTTP/1.1" + HOST + _of(session) + b"\r\n"
        )

    async def post(self, path: str, body: Any, session: str = "") -> bytes:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = b"POST " + path.encode() + b" HTTP/1.1" + HOST + _of(session)
        kind = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        return await self._answer(head + kind % len(raw) + raw)

    async def _answer(self, request: bytes) -> bytes:
        """The body; any other status than 200 ends the run."""
        self.writer.write(request)
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = head.partition(b"content-length: ")[2].partition(b"\r")[0]
        if length:
            body = await self.reader.readexactly(int(length))
        else:
            body = await self._chunks()
        assert head.startswith(b"http/1.1 200"), head + body
        return body

    async def _chunks(self) -> bytes:
        """Of a stream: a verdict that took long."""
        body = b""
        while size := int(await self.reader.readline(), 16):
            body += (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readline()
        return body


def _of(session: str) -> bytes:
    return f"X-Session-ID: {session}\r\n".encode() if session else b""


async def at_once(
    address: str, one: Callable[[Wire, int], Coroutine[Any, Any, None]], count: int, clients: int
) -> None:
    """Each of so many clients, with a connection of its own, takes one thing after another."""
    host, _, port = address.rpartition(":")

    async def client(first: int) -> None:
        wire = Wire(*await asyncio.open_connection(host, int(port)))
        for place in range(first, count, clients):
            await one(wire, place)
        wire.writer.close()

    await asyncio.gather(*map(client, range(clients)))
