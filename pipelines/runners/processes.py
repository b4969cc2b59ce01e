"""In processes of this machine, each of which makes shards whole, one at a time."""

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from queue import PriorityQueue, SimpleQueue
from threading import Thread

from puzzlemill.core.errors import FamilyWarning, UserError
from puzzlemill.core.storage import pool
from puzzlemill.pipelines.dispatch import make_shard
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.pipelines.runners import TRIES, Runner
from puzzlemill.pipelines.shards import Done


@contextmanager
def processes(recipe: Recipe) -> Iterator[Runner]:
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
        code = f"from puzzlemill.pipelines.runners.processes import serve; serve({theirs.fileno()})"
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

    warnings.simplefilter("ignore", FamilyWarning)  # the parent has said it
    Thread(target=listen, daemon=True).start()
    while True:
        try:
            line.send(make_shard(*asked.get()))
        except (UserError, OSError) as error:
            line.send(error)


RUNNER = processes
