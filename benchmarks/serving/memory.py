"""Whether memory stays flat: a million episodes of a server, tenth by tenth.

    python benchmarks/serving/memory.py [--episodes 1000000] [--out benchmarks/serving/result.json]

In one process, without sockets: items are made, sessions opened, replies judged and sessions ended
by the server's own code, and what workers do is done here, so that their memory is seen too. Eight
episodes are of one item, as groups in training are; the items are all different. One session in
eight is left open, and has to expire.
"""

import argparse
import asyncio
import gc
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from puzzlemill.serving.episodes import begin, reply_to
from puzzlemill.serving.judging import run_here
from puzzlemill.serving.start import server_of

FAMILIES = ("sums", "gcd", "sorting")
GROUP = 8  # episodes of one item
TENTHS = 10
OPTIONS = {"levels": [0.2], "idle": 1.0, "sessions": 1_000_000}


def held() -> float:
    """MB of this process."""
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return round(int(status.split("VmRSS:")[1].split()[0]) / 1024, 1)


def replies() -> Iterator[str]:
    """Different ones, right now and then."""
    number = 0
    while True:
        number += 1
        yield f"Step {number} by step. <answer>{number % 1000}</answer>"


async def grown(episodes: int) -> dict[str, Any]:
    server = server_of(FAMILIES, OPTIONS, run=run_here)
    environment, said = server.environments["puzzlemill"], replies()
    mb = [held()]
    for tenth in range(TENTHS):
        for number in range(tenth * episodes // TENTHS, (tenth + 1) * episodes // TENTHS):
            task = environment.task("train", number // GROUP)
            episode = await begin(server, environment, task)
            turn = await reply_to(server, episode, next(said))
            assert turn.done
            if number % GROUP:
                server.sessions.drop(episode.id)
        mb.append(held())
        print(number + 1, mb[-1], flush=True)
    verdicts = sum(server.metrics.buckets)
    server.close()
    return {"episodes": verdicts, "expired": server.sessions.expired, "mb": mb}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("result.json"))
    options = parser.parse_args()
    found = asyncio.run(grown(options.episodes))
    before = json.loads(options.out.read_text()) if options.out.exists() else {}
    options.out.write_text(json.dumps(before | {"memory_of_episodes": found}, indent=2) + "\n")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
