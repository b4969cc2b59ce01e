"""Measures the server: verdicts, episodes, latency at half load, sessions at once, memory.

    python benchmarks/serving/run.py [--episodes 100000] [--out benchmarks/serving/result.json]

The server runs as its users start it, with one worker process for judging and one for making. CPU
seconds are of the server and its workers together, from the system's own counts, so that neither
the client's work nor what else runs on the machine enters them. Latencies do depend on what else
runs: the load average is in the result.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect

import puzzlemill as pm

FAMILIES = ("sums", "sorting", "sudoku", "max_flow", "linear_system", "gcd", "maxima")
TASKS = 64  # different ones, in turn
TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    def __init__(self) -> None:
        command = [sys.executable, "-m", "puzzlemill", "serve", *FAMILIES, "--port", "0"]
        command += ["--workers", "1"]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        match = re.match(r"http://(\S+?)/ ", self.process.stdout.readline())
        assert match, "the server did not start"
        self.address = match[1]

    def processes(self) -> list[int]:
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task").glob("*/children")
        return [pid, *(int(each) for file in children for each in file.read_text().split())]

    def seconds(self) -> float:
        """CPU seconds of the server and its workers."""
        total = 0
        for pid in self.processes():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def memory(self) -> float:
        """MB that the server's own process holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


def tasks() -> list[tuple[dict[str, Any], str]]:
    """Tasks with right replies, which a policy might have given."""
    found = []
    for place in range(TASKS):
        name = FAMILIES[place % len(FAMILIES)]
        item = pm.generate(name, level=0.5, seed=1)[place]
        address = {part: getattr(item, part) for part in ("family", "version", "knobs", "split")}
        address |= {"seed": item.seed, "index": item.index, "level": item.level}
        found.append((address, f"Step by step. <answer>{item.answer}</answer>"))
    return found


async def batches(server: Server, asked: Sequence[tuple[Any, str]], count: int) -> dict[str, Any]:
    """Replies in batches of 256, one after the other."""
    items = [{"task": task, "reply": reply} for task, reply in asked]
    body = {"items": [items[place % len(items)] for place in range(256)]}
    async with httpx.AsyncClient(base_url=f"http://{server.address}", timeout=60) as client:
        await client.post("/verify", json=body)  # items are made
        before, start = server.seconds(), time.perf_counter()
        for _ in range(count // 256):
            answer = await client.post("/verify", json=body)
            assert all(each["score"] == 1.0 for each in answer.json()["verdicts"])
        verdicts = count // 256 * 256
        cpu, wall = server.seconds() - before, time.perf_counter() - start
    return rates("verdicts", verdicts, cpu, wall)


async def episode(socket: Any, task: Any, reply: str) -> float:
    """A reset and a step; seconds for the step."""
    await socket.send(json.dumps({"type": "reset", "data": {"task": task}}))
    await socket.recv()
    start = time.perf_counter()
    await socket.send(json.dumps({"type": "step", "data": {"reply": reply}}))
    said = json.loads(await socket.recv())["data"]
    assert said.get("reward") == 1.0, said
    return time.perf_counter() - start


@asynccontextmanager
async def sockets(server: Server, count: int) -> AsyncIterator[list[Any]]:
    opened = [await connect(f"ws://{server.address}/ws") for _ in range(count)]
    try:
        yield opened
    finally:
        await asyncio.gather(*(socket.close() for socket in opened))


async def episodes(
    server: Server, asked: Sequence[tuple[Any, str]], sessions: int, count: int
) -> dict[str, Any]:
    """Episodes over so many WebSockets at once, each with the next when one is over. Every session
    has tasks of its own order, and each reply has to be right: a mix-up would be seen."""
    async with sockets(server, sessions) as opened:

        async def run(place: int) -> None:
            for number in range(count // sessions):
                await episode(opened[place], *asked[(7 * place + number) % len(asked)])

        before, start = server.seconds(), time.perf_counter()
        await asyncio.gather(*map(run, range(sessions)))
        cpu, wall = server.seconds() - before, time.perf_counter() - start
    return {"sessions": sessions, **rates("episodes", count // sessions * sessions, cpu, wall)}


async def latency(
    server: Server, asked: Sequence[tuple[Any, str]], rate: float, count: int
) -> dict[str, Any]:
    """Episodes that begin at a fixed rate, over as many sockets as are free."""
    free: asyncio.Queue[Any] = asyncio.Queue()
    found = list[float]()
    async with sockets(server, 32) as opened:
        for socket in opened:
            free.put_nowait(socket)

        async def one(place: int) -> None:
            socket = await free.get()
            found.append(await episode(socket, *asked[place % len(asked)]))
            free.put_nowait(socket)

        start, running = time.perf_counter(), []
        for place in range(count):
            await asyncio.sleep(max(0.0, start + place / rate - time.perf_counter()))
            running.append(asyncio.create_task(one(place)))
        await asyncio.gather(*running)
    found.sort()
    shares = {"p50_ms": 0.5, "p90_ms": 0.9, "p99_ms": 0.99}
    figures = {name: round(1000 * found[int(share * count)], 2) for name, share in shares.items()}
    return {"episodes": count, "rate": round(rate, 1), **figures}


def rates(what: str, count: int, cpu: float, wall: float) -> dict[str, Any]:
    return {
        what: count,
        "per_cpu_second": round(count / cpu, 1),
        "per_second": round(count / wall, 1),
        "cpu_seconds": round(cpu, 2),
    }


async def measure(server: Server, count: int) -> dict[str, Any]:
    asked = tasks()
    result: dict[str, Any] = {"families": FAMILIES, "load_average": round(os.getloadavg()[0], 1)}
    result["batches"] = await batches(server, asked, 8192)
    result["one_session"] = await episodes(server, asked, 1, 500)
    result["many_sessions"] = await episodes(server, asked, 256, 5120)
    half = result["many_sessions"]["per_second"] / 2
    result["half_load"] = await latency(server, asked, half, 1500)
    before = server.memory()
    result["memory"] = await episodes(server, asked, 64, count)
    result["memory"] |= {"mb_before": round(before, 1), "mb_after": round(server.memory(), 1)}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=100_000, help="for the memory")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("result.json"))
    options = parser.parse_args()
    server = Server()
    try:
        result = asyncio.run(measure(server, options.episodes))
    finally:
        server.process.terminate()
        server.process.wait()
    options.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
