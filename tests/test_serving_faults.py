"""The server in trouble: it is killed, and clients send too slowly, too much, or nothing."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from puzzlemill.serving.judging import Lane, run_here
from puzzlemill.serving.listening import bound, http_server
from puzzlemill.serving.start import server_of


def started(port: int = 0) -> tuple["subprocess.Popen[str]", str]:
    """A server in a process of its own, and where it is."""
    command = [sys.executable, "-m", "puzzlemill", "serve", "sums", "--workers", "1"]
    process = subprocess.Popen(
        [*command, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    return process, process.stdout.readline().split()[0].rstrip("/")


def children_of(pid: int) -> list[int]:
    files = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(each) for file in files for each in file.read_text().split()]


def killed(process: "subprocess.Popen[str]") -> None:
    """As by `kill -9`; its workers have to end by themselves."""
    assert process.stdout is not None
    assert process.stderr is not None
    workers = [os.pidfd_open(pid) for pid in children_of(process.pid)]
    process.kill()
    process.wait()
    for worker in workers:
        with open(worker) as ended:  # readable once the process has ended
            import select

            assert select.select([ended], [], [], 30)[0], "a worker outlives its server"
    process.stdout.close()
    process.stderr.close()


@pytest.mark.skipif(sys.platform != "linux", reason="workers are found in /proc")
def test_after_a_kill_clients_get_an_error_and_a_restart_serves_the_same_tasks() -> None:
    process, address = started()
    chosen: dict[str, Any] = {"split": "test", "index": 5}
    with httpx.Client(base_url=address, timeout=60) as client:
        before = client.post("/reset", json=chosen).json()
        session = before["metadata"]["session_id"]
        step = {"session_id": session, "action": {"answer": "no"}}
        with connect(f"{address.replace('http', 'ws')}/ws") as line:
            line.send(json.dumps({"type": "reset", "data": chosen}))
            line.recv()
            killed(process)
            with pytest.raises(ConnectionClosed):
                line.recv(timeout=10)
        with pytest.raises(httpx.TransportError):
            client.post("/step", json=step)
    process, again = started(int(address.rpartition(":")[2]))
    assert again == address
    with httpx.Client(base_url=address, timeout=60) as client:
        lost = client.post("/step", json=step)
        assert lost.status_code == 404
        assert "no such session: open one" in lost.json()["detail"]
        after = client.post("/reset", json=chosen).json()
        assert after["observation"]["prompt"] == before["observation"]["prompt"]
        assert after["metadata"]["task"] == before["metadata"]["task"]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "puzzlemill: the server has ended\n")


@contextmanager
def listening(**options: Any) -> Iterator[int]:
    """The port of a server in a thread of this process."""
    server = http_server(server_of(["sums"], options, run=run_here), "127.0.0.1")
    sock = bound("127.0.0.1", 0)
    thread = Thread(target=server.run, args=([sock],))
    thread.start()
    try:
        yield sock.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


HEAD = b"POST /reset HTTP/1.1\r\nHost: 127.0.0.1\r\n"
WHOLE = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def test_requests_that_come_too_slowly_are_cut_off_while_others_are_answered() -> None:
    slow = {
        "nothing": b"",
        "half a head": HEAD,
        "half a second head": HEAD,
        "half a body": HEAD + b"Content-Length: 100\r\n\r\n{",
        "half a chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\n10\r\n{",
    }
    with listening(patience=0.2) as port:
        lines = {name: socket.create_connection(("127.0.0.1", port)) for name in slow}
        for name, line in lines.items():
            line.settimeout(20)
            if "second" in name:
                line.sendall(WHOLE)
                first = b""
                while not first.endswith(b"}"):  # head and body may come apart
                    first += line.recv(65_536)
                assert first.startswith(b"HTTP/1.1 200")
            line.sendall(slow[name])
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
        answers = {name: to_its_end(line) for name, line in lines.items()}
    statuses = {name: answer[9:12] for name, answer in answers.items()}
    assert statuses == {
        "nothing": b"", "half a head": b"", "half a second head": b"",
        "half a body": b"408", "half a chunk": b"408",
    }  # fmt: skip


def to_its_end(line: socket.socket) -> bytes:
    """What a connection gives until the server closes it."""
    with line:
        found = b""
        try:
            while piece := line.recv(65_536):
                found += piece
        except ConnectionResetError:
            pass
        return found


def test_heads_that_are_huge_or_no_http_are_refused() -> None:
    with listening() as port:
        for sent in (
            HEAD + b"X: " + b"x" * 200_000,
            b"\x16\x03\x01\x02\x00\x01\x00" * 99 + b"\r\n\r\n",
            HEAD + b"Content-Length: 1" + b"0" * 5000 + b"\r\n\r\n",
            HEAD + b"Content-Length: -1\r\n\r\n",
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"x" * 400_000,
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + b"x" * 400_000,
        ):
            line = socket.create_connection(("127.0.0.1", port), timeout=20)
            with suppress(ConnectionError):  # it may close before all is sent
                line.sendall(sent)
            assert to_its_end(line)[9:12] in (b"400", b"")
        huge = httpx.post(f"http://127.0.0.1:{port}/reset", content=b" " * (8 << 20) + b" ")
        assert huge.status_code == 413
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200


def test_calls_of_one_turn_of_the_loop_go_to_a_worker_together() -> None:
    sizes = list[int]()

    async def run(function: str, calls: Any, seconds: float, keep: Any) -> None:
        sizes.append(len(calls))
        for place, arguments in enumerate(calls):
            keep(place, arguments[0])

    async def main() -> list[Any]:
        lane = Lane(1, 100, 1.0, run)
        try:
            return await asyncio.gather(*(lane.call("module:name", place) for place in range(5)))
        finally:
            lane.close()

    assert asyncio.run(main()) == [0, 1, 2, 3, 4]
    assert sizes == [5]


@pytest.mark.parametrize("path", ["/ws", "/mcp"])
def test_a_websocket_that_says_nothing_is_closed_with_a_reason(path: str) -> None:
    with listening(idle=0.2) as port, connect(f"ws://127.0.0.1:{port}{path}") as line:
        assert "expired" in str(line.recv(timeout=20))
        with pytest.raises(ConnectionClosed):
            line.recv(timeout=20)


def test_more_connections_than_are_taken_on_get_503(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("puzzlemill.serving.listening.SPARE", 0)
    with listening(sessions=2) as port:
        lines = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(3)]
        lines[-1].sendall(WHOLE)
        assert lines[-1].recv(65_536).startswith(b"HTTP/1.1 503")
        for line in lines:
            line.close()
