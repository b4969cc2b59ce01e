"""Measures the client of the endpoint policy: CPU seconds a reply, at 512 requests at once.

    python benchmarks/engines/run.py [--before FOLDER] [--out benchmarks/engines/result.json]

The server is another process: uvicorn and an app that answers each request after a second, so that
512 are under way whatever the client. A client is a process of its own, too, and CPU seconds are
its own alone. `--before` names a checkout of another commit, whose policy takes turns with this
one's.
"""

import argparse
import asyncio
import json
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[2]
AT_ONCE = 512
DELAY = 1.0  # seconds
WORDS = "The sum of the first two is five, and the third is one less. " * 10


def serve(listening: int) -> None:
    """Answers like a model's server, until standard input ends, and prints the most requests that
    it had at once."""
    import uvicorn

    busy = busiest = 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal busy, busiest
        busy += 1
        busiest = max(busiest, busy)
        raw, more = b"", True
        while more:
            message = await receive()
            raw, more = raw + message.get("body", b""), message.get("more_body", False)
        await asyncio.sleep(DELAY)
        text = f"{WORDS}<answer>{json.loads(raw)['seed']}</answer>"
        choice = {"index": 0, "finish_reason": "stop", "stop_reason": "</answer>"}
        choice["message"] = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": 30, "completion_tokens": 150}
        body = json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage})
        headers = [(b"content-type", b"application/json")]
        headers += [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        busy -= 1
        await send({"type": "http.response.body", "body": body.encode()})

    config = uvicorn.Config(app, lifespan="off", log_level="error", backlog=4096)
    server = uvicorn.Server(config)

    def stop() -> None:
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=stop, daemon=True).start()
    server.run(sockets=[socket.socket(fileno=listening)])
    print(busiest)


def client(url: str, requests: int) -> None:
    """Prints what a batch took this process, after one that opens what stays open."""
    from puzzlemill.difficulty.policies.endpoint import EndpointPolicy, first_seed
    from puzzlemill.difficulty.policies.policy import Question, Sampling

    policy = EndpointPolicy(url, "model", Sampling(max_tokens=256), concurrency=AT_ONCE)
    prompt = ({"role": "user", "content": WORDS},)
    questions = [Question(prompt, seed) for seed in range(requests)]
    policy.sample(questions[:AT_ONCE], 1)
    before, start = cpu_seconds(), time.perf_counter()
    found, threads = with_threads(lambda: policy.sample(questions, 1))
    cpu, wall = cpu_seconds() - before, time.perf_counter() - start
    assert all(
        reply.text.endswith(f"<answer>{first_seed(question)}</answer>")
        for question, [reply] in zip(questions, found, strict=True)
    )
    figures = {"cpu_ms_a_reply": 1000 * cpu / requests, "replies_a_second": requests / wall}
    print(json.dumps({**figures, "threads": threads}))


def with_threads(ask: Callable[[], Any]) -> tuple[Any, int]:
    """Its result, and the most threads that it took."""
    most, over = 0, threading.Event()

    def count() -> None:
        nonlocal most
        while not over.wait(0.1):
            most = max(most, threading.active_count() - 2)  # without this one and the main thread

    counting = threading.Thread(target=count)
    counting.start()
    found = ask()
    over.set()
    counting.join()
    return found, most


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def turn(tree: Path, requests: int) -> dict[str, float]:
    """A client and a server of its own."""
    environment = os.environ | {"PYTHONPATH": str(tree), "no_proxy": "*", "OMP_NUM_THREADS": "1"}
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as listening:
        number = listening.fileno()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        server = subprocess.Popen(
            [sys.executable, __file__, "--serve", str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(number,),
        )
        try:
            command = [sys.executable, __file__, "--client", url, "--requests", str(requests)]
            told = subprocess.check_output(command, env=environment)
        finally:
            busiest, _ = server.communicate()
    return {**json.loads(told), "most_at_once": int(busiest)}


def summary(turns: list[dict[str, float]]) -> dict[str, Any]:
    ms = [each["cpu_ms_a_reply"] for each in turns]
    return {
        "cpu_ms_a_reply": round(median(ms), 3),
        "turns_cpu_ms": [round(each, 3) for each in ms],
        "replies_a_second": round(median(each["replies_a_second"] for each in turns), 1),
        "threads": max(int(each["threads"]) for each in turns),
        "most_at_once": max(int(each["most_at_once"]) for each in turns),
    }


def measure(before: Path | None, requests: int, turns: int) -> dict[str, Any]:
    trees = {"this": ROOT} | ({"before": before.resolve()} if before else {})
    found: dict[str, list[dict[str, float]]] = {name: [] for name in trees}
    for _ in range(turns):
        for name, tree in trees.items():
            found[name].append(turn(tree, requests))
    result: dict[str, Any] = {
        "at_once": AT_ONCE,
        "requests": requests,
        "delay_ms": 1000 * DELAY,
        "load_average": round(os.getloadavg()[0], 1),
        **{name: summary(each) for name, each in found.items()},
    }
    if before:
        ratio = result["this"]["cpu_ms_a_reply"] / result["before"]["cpu_ms_a_reply"]
        result["endpoint_cpu_ratio"] = round(ratio, 3)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="a checkout of the commit to compare with")
    parser.add_argument("--requests", type=int, default=4096)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("result.json"))
    parser.add_argument("--client", help=argparse.SUPPRESS)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        return serve(options.serve)
    if options.client:
        return client(options.client, options.requests)
    result = measure(options.before, options.requests, options.turns)
    earlier = json.loads(options.out.read_text()) if options.out.is_file() else {}
    options.out.write_text(json.dumps(earlier | result, indent=2) + "\n")
    print(json.dumps(result, indent=2))
    return None


if __name__ == "__main__":
    main()
