"""Builds under kills: whatever is killed and damaged, the end is the same, byte for byte.

A round builds a small recipe again and again until it is done. Meanwhile its driver, any of its
workers and the server that it asks are killed at moments drawn from a seed, and now and then a
shard is damaged on disk. `make chaos` runs fifty rounds and writes chaos.json; `--go-on` adds to
what is written there.
"""

import argparse
import json
import os
import signal
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from puzzlemill import pipelines
from puzzlemill.core import registry
from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.policies.loading import load_policy
from puzzlemill.difficulty.settings import PolicySettings

HERE = Path(__file__).parent
MOST = 6  # kills in a round; then it may finish
ASKED = "server"  # every fifth round asks a server, the others the tiny policy
MAKING = """name = "chaos"
seed = 3
shard = 6
[[make]]
families = [{families}]
count = 8
[score]
most = 4
rounds = 2
[policy]
max_tokens = 48
"""
RECIPES = {
    "tiny": MAKING.format(families='"sums", "sorting"'),
    ASKED: MAKING.format(families='"entailment", "divisibility_claim"')
    + 'kind = "endpoint"\nmodel = "coin"\nurl = "http://127.0.0.1:{port}/v1"\n',
}


class Coin(BaseHTTPRequestHandler):
    """A server whose replies follow from the seed alone."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        choices = []
        for place in range(asked["n"]):
            drawn = blake2b(str(asked["seed"] + place).encode(), digest_size=1).digest()[0]
            text = f"<answer>{'yes' if drawn % 2 else 'no'}</answer>"
            choices.append(
                {
                    "index": place,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": text},
                }
            )
        told = json.dumps({"choices": choices}).encode()
        sleep(0.02)
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_: object) -> None:
        pass


def forked(work: object, *arguments: object, said: Path | None = None) -> int:
    """Run a function in a child process; it starts in no time, for all is imported here."""
    child = os.fork()
    if child:
        return child
    if said:
        descriptor = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
    try:
        work(*arguments)  # type: ignore[operator]
    except BaseException as error:  # noqa: BLE001  (it is the child's end)
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def serve(port: int) -> None:
    ThreadingHTTPServer(("127.0.0.1", port), Coin).serve_forever()


def build(recipe: Path, folder: Path) -> None:
    pipelines.build(recipe, folder)


def children(process: int) -> list[int]:
    """The processes that any thread of a process has started."""
    found = []
    for threads in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
            found += [int(each) for each in threads.read_text().split()]
    return found


def runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ended(process: int) -> int | None:
    """The status of a child that has ended."""
    found, status = os.waitpid(process, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)


class Server:
    """The server that is asked, on one port for good, and killed now and then."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.start()

    def start(self) -> None:
        self.process = forked(serve, self.port)
        deadline = monotonic() + 30
        while monotonic() < deadline:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            sleep(0.01)
        raise SystemExit("the server does not start")

    def end(self) -> None:
        kill(self.process)
        os.waitpid(self.process, 0)


@contextmanager
def server() -> Iterator[Server]:
    found = Server()
    try:
        yield found
    finally:
        found.end()


def dataset(folder: Path) -> dict[str, bytes]:
    """What must be the same: the dataset and the manifest."""
    files = [*(folder / "dataset").rglob("*"), folder / "manifest.json"]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files if file.is_file()}


def damage(folder: Path, chance: Random) -> bool:
    """Cut off or change a file of the build's stages."""
    files = sorted(path for path in (folder / "stages").rglob("*") if path.is_file())
    if not files:
        return False
    file = chance.choice(files)
    held = bytearray(file.read_bytes())
    if chance.random() < 0.5 or not held:
        del held[len(held) // 2 :]
    else:
        held[chance.randrange(len(held))] ^= 0xFF
    file.write_bytes(bytes(held))
    return True


def round_of(
    recipe: Path, folder: Path, chance: Random, seconds: float, coin: Server | None
) -> Counter[str]:
    """Build under kills until it is done; what was done to it."""
    told: Counter[str] = Counter()
    made = folder / "chaos"
    deadline = monotonic() + 600
    while True:
        told["runs"] += 1
        driver = forked(build, recipe, folder, said=folder / "said.txt")
        while (status := ended(driver)) is None:
            if monotonic() > deadline:
                kill(driver)
                raise SystemExit(f"{folder}: the round does not end: see {folder / 'said.txt'}")
            if told["driver"] + told["worker"] + told[ASKED] >= MOST:
                sleep(0.02)
                continue
            strike = monotonic() + chance.uniform(0.0, 0.7 * seconds)
            while monotonic() < strike and runs(driver):
                sleep(0.005)
            workers = children(driver)
            whom = chance.choice(["driver", "worker", *([ASKED] if coin else [])])
            if whom == "driver" and runs(driver):
                kill(driver)
                told["driver"] += 1
                os.waitpid(driver, 0)
                left = monotonic() + 5
                while any(map(runs, workers)) and monotonic() < left:
                    sleep(0.01)
                told["workers left"] += sum(map(runs, workers))
                status = -signal.SIGKILL
                break
            if whom == "worker" and workers:
                with suppress(ProcessLookupError):  # it has ended meanwhile
                    kill(chance.choice(workers))
                    told["worker"] += 1
            if coin and whom == ASKED:
                coin.end()
                told[ASKED] += 1
                sleep(chance.uniform(0.0, 1.0))
                coin.start()
        if status == 0:
            return told
        told["failed"] += status != -signal.SIGKILL  # by itself, after what was done to it
        if told["failed"] > MOST:
            raise SystemExit(f"{folder}: the build fails: see {folder / 'said.txt'}")
        if chance.random() < 0.4:
            told["damaged files"] += damage(made, chance)


def leftovers(folder: Path) -> int:
    return sum(path.name != ".lock" for path in folder.rglob(".*"))


def summary(total: Counter[str], seed: int) -> dict[str, object]:
    return {
        "chaos_rounds": total["rounds"],
        "chaos_differences": total["differences"],
        "kills": {name: total[name] for name in ("driver", "worker", ASKED)},
        "damaged_files": total["damaged files"],
        "workers_left": total["workers left"],
        "files_left_over": total["leftovers"],
        "seed": seed,
        "counts": dict(total),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, default=HERE / "chaos.json")
    parser.add_argument("--go-on", action="store_true")
    wanted = parser.parse_args()
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
    if hasattr(os, "sched_setaffinity"):  # one worker, so that a round is quick
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    load_policy(PolicySettings(max_tokens=48))
    registry.names()
    total: Counter[str] = Counter()
    if wanted.go_on and wanted.json.is_file():
        total.update(json.loads(wanted.json.read_text())["counts"])
    with TemporaryDirectory() as place, server() as coin:
        recipes, seconds, sound = {}, {}, {}
        for kind, text in RECIPES.items():
            folder = Path(place, kind)
            folder.mkdir()
            recipes[kind] = folder / "recipe.toml"
            recipes[kind].write_text(text.replace("{port}", str(coin.port)))
            start = monotonic()
            child = forked(build, recipes[kind], folder)
            if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
                raise SystemExit(f"{kind}: the undisturbed build fails")
            seconds[kind] = monotonic() - start
            sound[kind] = dataset(folder / "chaos")
        for number in range(total["rounds"], wanted.rounds):
            kind = ASKED if number % 5 == 4 else "tiny"
            folder = Path(place, f"round-{number}")
            folder.mkdir()
            chance = Random(f"chaos {wanted.seed} {number}")
            start = monotonic()
            told = round_of(
                recipes[kind], folder, chance, seconds[kind], coin if kind == ASKED else None
            )
            found = dataset(folder / "chaos")
            told["differences"] = int(found != sound[kind])
            told["leftovers"] = leftovers(folder / "chaos")
            total.update(told, rounds=1)
            print(
                f"round={number} recipe={kind} seconds={monotonic() - start:.1f}",
                *(f"{name.replace(' ', '_')}={count}" for name, count in sorted(told.items())),
                flush=True,
            )
            write_json(wanted.json, summary(total, wanted.seed))
    if total["differences"] or total["leftovers"] or total["workers left"]:
        raise SystemExit("a build under kills is not what it should be: see the rounds above")


if __name__ == "__main__":
    main()
