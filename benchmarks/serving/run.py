"""Measures the server: verdicts, episodes, latency at half load, sessions at once, memory.

    python benchmarks/serving/run.py [--verdicts 1000000] [--out benchmarks/serving/result.json]

The server runs as its users start it, with one worker process for judging and one for making. CPU
seconds are of the server and its workers together, from the system's own counts, so that neither
the client's work nor what else runs on the machine enters them. Latencies do depend on what else
runs. So a process beside it asks to be woken each millisecond and notes how late that is: the same
machine, in the same seconds, without a server. The client is kept to one core, and the server to
the others.

Where `openenv` and `reasoning-gym` are installed (tools/set-up-doors.sh), two peers are measured by
the same client in the same run: OpenEnv's own server with an environment of `reasoning-gym`, and
the scoring route of `reasoning-gym`'s server. Elsewhere the figures of the last such run stay.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
from process import Process
from websockets.asyncio.client import connect
from wire import Wire, at_once

import puzzlemill as pm

FAMILIES = ("sums", "sorting", "sudoku", "max_flow", "linear_system", "gcd", "maxima")
TASKS = 64  # different ones, in turn
BATCH = 256  # replies in a request
CLIENTS = (1, 16, 64)  # at once


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


async def batches(server: Process, asked: Sequence[tuple[Any, str]], count: int) -> dict[str, Any]:
    """Replies in batches, one after the other."""
    items = [{"task": task, "reply": reply} for task, reply in asked]
    body = {"items": [items[place % len(items)] for place in range(BATCH)]}
    async with httpx.AsyncClient(base_url=f"http://{server.address}", timeout=60) as client:
        await client.post("/verify", json=body)  # items are made
        before, start = server.seconds(), time.perf_counter()
        for _ in range(count // BATCH):
            answer = await client.post("/verify", json=body)
            assert all(each["score"] == 1.0 for each in answer.json()["verdicts"])
        verdicts = count // BATCH * BATCH
        cpu, wall = server.seconds() - before, time.perf_counter() - start
    return rates("verdicts", verdicts, cpu, wall)


async def single(
    server: Process, asked: Sequence[tuple[Any, str]], count: int, clients: int
) -> dict[str, Any]:
    """One reply in a request, from so many clients at once."""
    bodies = [{"items": [{"task": task, "reply": reply}]} for task, reply in asked]
    return await posted(server, "/verify", bodies, b'{"score": 1.0,', count, clients)


async def posted(
    server: Process, path: str, bodies: Sequence[Any], wanted: bytes, count: int, clients: int
) -> dict[str, Any]:
    """Requests of one verdict, each of which has to say that the reply is right."""
    raw = [json.dumps(each).encode() for each in bodies]

    async def one(wire: Wire, place: int) -> None:
        answer = await wire.post(path, raw[place % len(raw)])
        assert wanted in answer, answer

    return {"clients": clients, **await _cost(server, "verdicts", one, count, clients)}


async def open_reward(
    server: Process, asked: Sequence[tuple[Any, str]], count: int, clients: int
) -> dict[str, Any]:
    """Rollouts of Open Reward Standard: three requests that begin them, one that replies and gets
    the verdict, one that ends them; each kind from so many clients at once."""
    names = [""] * count

    async def begin(wire: Wire, place: int) -> None:
        task, _ = asked[place % len(asked)]
        names[place] = (await wire.post("/create_session", b"")).split()[3].decode()
        created = {"env_name": task["family"], "task_spec": task}
        await wire.post("/create", created, names[place])
        await wire.get(f"/{task['family']}/prompt", names[place])

    async def reply(wire: Wire, place: int) -> None:
        task, reply = asked[place % len(asked)]
        call = {"name": "submit", "input": {"reply": reply}}
        answer = await wire.post(f"/{task['family']}/call", call, names[place])
        assert b'"reward": 1.0' in answer, answer

    async def end(wire: Wire, place: int) -> None:
        await wire.post("/delete", b"", names[place])

    begun = await _cost(server, "begun", begin, count, clients)
    replied = await _cost(server, "verdicts", reply, count, clients)
    ended = await _cost(server, "ended", end, count, clients)
    cpu = sum(each["cpu_seconds"] for each in (begun, replied, ended))
    whole = {"rollouts": count, "requests": 5 * count, "per_cpu_second": round(count / cpu, 1)}
    return {"clients": clients, "verdicts": replied, "rollouts": whole}


async def _cost(server: Process, what: str, one: Any, count: int, clients: int) -> dict[str, Any]:
    before, start = server.seconds(), time.perf_counter()
    await at_once(server.address, one, count, clients)
    cpu, wall = server.seconds() - before, time.perf_counter() - start
    return rates(what, count, cpu, wall)


async def episode(socket: Any, chosen: Any, action: Any) -> float:
    """A reset and a step; seconds for the step."""
    await socket.send(json.dumps({"type": "reset", "data": chosen}))
    await socket.recv()
    start = time.perf_counter()
    await socket.send(json.dumps({"type": "step", "data": action}))
    said = json.loads(await socket.recv())["data"]
    assert said.get("reward") == 1.0, said
    return time.perf_counter() - start


@asynccontextmanager
async def sockets(server: Process, count: int) -> AsyncIterator[list[Any]]:
    opened = [await connect(f"ws://{server.address}/ws") for _ in range(count)]
    try:
        yield opened
    finally:
        await asyncio.gather(*(socket.close() for socket in opened))


async def episodes(
    server: Process, asked: Sequence[tuple[Any, Any]], sessions: int, count: int
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
    server: Process, asked: Sequence[tuple[Any, Any]], rate: float, count: int
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


async def half_load(
    server: Process, asked: Sequence[tuple[Any, Any]], most: float
) -> dict[str, Any]:
    """Latency at half of the rate that was reached, beside a control without a server."""
    with Process([sys.executable, str(Path(__file__).with_name("idle.py"))]) as control:
        figures = await latency(server, asked, most / 2, 1500)
        late = control.ended()
    return figures | {"idle_loop": json.loads(late), "load_average": load()}


async def memory(
    server: Process, asked: Sequence[tuple[Any, str]], count: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the server holds, tenth by tenth of so many verdicts."""
    held, found = [round(server.memory(), 1)], dict[str, Any]()
    for _ in range(10):
        found = await batches(server, asked, count // 10)
        held.append(round(server.memory(), 1))
    return {"verdicts": count // 10 // BATCH * BATCH * 10, "mb": held}, found


async def measure(server: Process, count: int) -> dict[str, Any]:
    asked = tasks()
    by_socket = [({"task": task}, {"reply": reply}) for task, reply in asked]
    result: dict[str, Any] = {"families": FAMILIES, "load_average": load()}
    result["batches"] = await batches(server, asked, 8192)
    result["single"] = [await single(server, asked, 8192, each) for each in CLIENTS]
    result["open_reward"] = [await open_reward(server, asked, 4000, each) for each in CLIENTS]
    result["one_session"] = await episodes(server, by_socket, 1, 500)
    result["many_sessions"] = await episodes(server, by_socket, 256, 5120)
    most = result["many_sessions"]["per_second"]
    result["half_load"] = await half_load(server, by_socket, most)
    result["memory"], last = await memory(server, asked, count)
    result["memory"]["per_cpu_second_at_the_end"] = last["per_cpu_second"]
    return result


async def measure_openenv(server: Process) -> dict[str, Any]:
    """The same client at OpenEnv's own server."""
    import reasoning_gym

    items = reasoning_gym.create_dataset("chain_sum", size=TASKS, seed=1)
    asked = [({"seed": place}, {"answer": items[place]["answer"]}) for place in range(TASKS)]
    return {
        "server": "openenv 0.10.0, create_fastapi_app; items of reasoning-gym 0.1.25 (chain_sum)",
        "one_session": await episodes(server, asked, 1, 500),
        "many_sessions": await episodes(server, asked, 256, 2560),
        "load_average": load(),
    }


async def measure_reasoning_gym(server: Process) -> dict[str, Any]:
    """The same client at reasoning-gym's scoring: one answer in a request."""
    from reasoning_gym_server import NAME, experiment

    items = experiment().composite
    answers = [(items[place]["metadata"], items[place]["answer"]) for place in range(TASKS)]
    bodies = [
        {"answers": [{"entry_id": f"{metadata['version_id']}.{place}", "answer": answer}]}
        for place, (metadata, answer) in enumerate(answers)
    ]
    path, wanted = f"/experiments/{NAME}/score", b'"scores":[1.0]'
    return {
        "server": "reasoning-gym 0.1.25, the scoring route of its repository's server (chain_sum)",
        "single": [await posted(server, path, bodies, wanted, 4096, each) for each in CLIENTS],
        "load_average": load(),
    }


PEERS = {"openenv": measure_openenv, "reasoning_gym": measure_reasoning_gym}


def pin() -> None:
    """Keep this client to the last core, so that the server has the others to itself: processes
    that this one starts are moved there (process.py)."""
    if hasattr(os, "sched_setaffinity") and len(cores := sorted(os.sched_getaffinity(0))) > 1:
        Process.cores = set(cores[:-1])
        os.sched_setaffinity(0, {cores[-1]})


def load() -> float:
    return round(os.getloadavg()[0], 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verdicts", type=int, default=1_000_000, help="for the memory")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("result.json"))
    options = parser.parse_args()
    before = json.loads(options.out.read_text()) if options.out.exists() else {}
    pin()
    serve = ["-m", "puzzlemill", "serve", *FAMILIES, "--port", "0", "--workers", "1"]
    with Process([sys.executable, *serve]) as server:
        result = asyncio.run(measure(server, options.verdicts))
    if find_spec("openenv") and find_spec("reasoning_gym"):
        result["peers"] = {}
        for name, measure_peer in PEERS.items():
            peer = str(Path(__file__).with_name(f"{name}_server.py"))
            with Process([sys.executable, peer]) as server:
                result["peers"][name] = asyncio.run(measure_peer(server))
    others = ("peers", "gold", "memory_of_episodes")
    kept = {name: before[name] for name in others if name in before}
    options.out.write_text(json.dumps(kept | result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
