"""Where shards are made: here, in processes of this machine, or in a Ray cluster.

A shard's bytes follow from its inputs alone, so they are the same wherever it is made. A worker
that is lost takes its shard with it, and no more: the shard is made by another.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from queue import PriorityQueue, SimpleQueue
from threading import Thread

from puzzlemill.core import pool
from puzzlemill.core.errors import UserError
from puzzlemill.core.recipe import Recipe
from puzzlemill.pipelines.arranging import ARRANGE, WRITE, arrangement_at, run_arrange, run_write
from puzzlemill.pipelines.steps import POLICY, Done, asks, build_at, note_policy, run_shard

TRIES = 3  # at a shard whose worker is lost


@dataclass(frozen=True, slots=True)
class Runner:
    """How one shard is made, called from as many threads as there are workers."""

    run: Callable[[Path, str, int], Done]
    workers: int = 1
    replicas: int = 1  # of the policy: so many workers ask it at once
    here: bool = False  # in threads of this process, which end by themselves when one fails

    def at_once(self, step: str) -> int:
        return self.replicas if asks(step) else self.workers


def run(folder: Path, step: str, number: int) -> Done:
    """Make one shard of one step, or one file of the dataset, in this process."""
    build = build_at(folder)
    if step == POLICY:
        return note_policy(build)
    if step == ARRANGE:
        return run_arrange(arrangement_at(build), number)
    if step == WRITE:
        return run_write(arrangement_at(build), number)
    return run_shard(build, step, number)


@contextmanager
def running(recipe: Recipe) -> Iterator[Runner]:
    """The runner that a recipe names, for as long as the block lasts."""
    match recipe.runner:
        case "local":
            # Each has worker processes of its own, which draw and solve.
            yield Runner(run, 2, here=True)
        case "processes":
            with _processes(recipe) as found:
                yield found
        case "ray":
            if find_spec("ray") is None:
                raise UserError(
                    "runner = \"ray\" needs Ray: pip install 'puzzlemill[ray]', or set runner to"
                    ' "processes"'
                )
            from puzzlemill.pipelines.cluster import cluster

            with cluster(recipe, run) as found:
                yield found


@contextmanager
def _processes(recipe: Recipe) -> Iterator[Runner]:
    many = recipe.workers or pool.cores()
    free: PriorityQueue[tuple[int, _Worker]] = PriorityQueue()
    crew = [_Worker(max(1, pool.cores() // many)) for _ in range(many)]
    for each in enumerate(crew):
        free.put(each)

    def run_there(folder: Path, step: str, number: int) -> Done:
        place, worker = free.get()  # the first that is free: the policy is loaded in the first ones
        try:
            return worker.run(folder, step, number)
        finally:
            free.put((place, worker))

    try:
        yield Runner(run_there, many, min(recipe.replicas, many))
    finally:
        for worker in crew:
            worker.stop()


class _Worker:
    """A process that makes shards, one at a time, and the processes that work for it."""

    def __init__(self, cores: int) -> None:
        self.cores, self.over = cores, False
        self.start()

    def start(self) -> None:
        self.line, theirs = Pipe()
        code = f"from puzzlemill.pipelines.runners import serve; serve({theirs.fileno()})"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env=os.environ
            | {
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                pool.CORES: str(self.cores),
            },
            process_group=0,  # Ctrl-C is for the parent, which then ends its workers
        )
        theirs.close()

    def run(self, folder: Path, step: str, number: int) -> Done:
        for _ in range(TRIES):
            try:
                self.line.send((folder, step, number))
                found = self.line.recv()
            except (EOFError, ConnectionError):
                if self.over:
                    raise UserError(f"{folder}: stopped") from None
                self.end()
                self.line.close()
                self.start()
                continue
            if isinstance(found, Done):
                return found
            raise found
        raise UserError(
            f"{folder}: {step} {number}: its worker process died {TRIES} times: what it said"
            " stands above; if it said nothing, memory may be short: set fewer `workers`"
        )

    def stop(self) -> None:
        """For good: a thread that waits for an answer is told so."""
        self.over = True
        self.end()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def serve(descriptor: int) -> None:
    """What a worker process does: make shards until the line closes, and end with its parent."""
    line = Connection(descriptor)
    asked: SimpleQueue[tuple[Path, str, int]] = SimpleQueue()

    def listen() -> None:
        with suppress(EOFError, ConnectionError):
            while True:
                asked.put(line.recv())
        os._exit(1)  # in the middle of a shard, too: nobody waits for it any more

    Thread(target=listen, daemon=True).start()
    while True:
        try:
            line.send(run(*asked.get()))
        except (UserError, OSError) as error:
            line.send(error)
