"""Worker processes for code that may hang or crash: families and verifiers.

A worker that overstays on one call is ended and replaced, and that call alone fails: threads cannot
be stopped and alarms work only in a main thread. One that asks for too much memory fails the same
way, where the system keeps such limits (Linux does), and one that has grown is replaced. Workers
are plain child processes that import the function by name, so a caller's script needs no
`if __name__ == "__main__"`.
"""

import atexit
import os
import resource
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any

from puzzlemill.core.guard import Failure, guarded

CHUNK = 8  # calls handed over at once; 1 for long ones
MEMORY = 4 << 30  # bytes that a worker may take
GROWN = 1 << 30  # bytes after which it is replaced once it has answered
CORES = "PUZZLEMILL_CORES"  # the variable of the environment by which it is told
START = 120.0  # seconds for a worker process to come up, on a machine that is busy


def cores() -> int:
    """The cores that this process may use, or as many as it was told to."""
    if told := os.environ.get(CORES, ""):
        return max(1, int(told))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    function: str,
    calls: Sequence[tuple[Any, ...]],
    workers: int | None = None,
    seconds: float = 60,
    chunk: int = CHUNK,
    tell: Callable[[int], None] | None = None,
) -> list[Any]:
    """`function` ("module:name") on each call's arguments, in order; a Failure where it failed.

    `tell` hears how many calls are done.
    """
    results: list[Any] = [Failure("not run")] * len(calls)
    waiting = deque(range(len(calls)))
    many = max(1, min(workers or cores(), (len(calls) + chunk - 1) // chunk))
    with _crew(many if calls else 0) as crew:
        while waiting or any(worker.held for worker in crew):
            for worker in crew:
                if not worker.held and waiting:
                    if worker.peak > GROWN:
                        worker.stop()
                        worker.start()
                    places = [waiting.popleft() for _ in range(min(chunk, len(waiting)))]
                    worker.hand(function, places, calls)
            for ready in wait([worker.line for worker in crew if worker.held], timeout=0.2):
                next(worker for worker in crew if worker.line is ready).collect(results)
            for worker in crew:
                if worker.held and monotonic() - worker.since > seconds + worker.starting:
                    worker.replace(results, f"overstayed {seconds:g} seconds", waiting)
                elif worker.held and worker.gone:
                    worker.replace(results, "its worker process died", waiting)
            if tell:
                tell(len(calls) - len(waiting) - sum(len(worker.held) for worker in crew))
    return results


def serve(descriptor: int) -> None:
    """What a worker process does: answer calls until the line closes."""
    line = Connection(descriptor)
    with suppress(ValueError, OSError):  # a stricter limit is set already, or none can be
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    line.send("ready")
    with suppress(EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        while True:
            function, calls = line.recv()
            module, _, name = function.partition(":")
            for left, arguments in zip(range(len(calls))[::-1], calls):
                result = guarded(getattr(import_module(module), name), *arguments)
                line.send((result, 0 if left else _peak()))  # it is asked for when all are done


def _peak() -> int:
    """Bytes that this process has held at most.

    Linux says so itself; what getrusage says there counts the parent's, from before the exec.
    """
    with suppress(OSError, IndexError):
        return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class _Worker:
    def __init__(self) -> None:
        self.held: deque[int] = deque()  # the calls handed over and not answered yet
        self.since = 0.0
        self.start()

    def start(self) -> None:
        self.gone = self.ready = False
        self.peak = 0
        self.line, theirs = Pipe()
        code = f"from puzzlemill.core.pool import serve; serve({theirs.fileno()})"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        theirs.close()

    @property
    def starting(self) -> float:
        """Seconds allowed for the process to come up, which is not the call's time."""
        return 0.0 if self.ready else START

    def hand(self, function: str, places: list[int], calls: Sequence[tuple[Any, ...]]) -> None:
        self.held = deque(places)
        self.since = monotonic()
        try:
            self.line.send((function, [calls[place] for place in places]))
        except (BrokenPipeError, ConnectionResetError):
            self.gone = True

    def collect(self, results: list[Any]) -> None:
        try:
            if not self.ready:
                self.line.recv()
                self.ready, self.since = True, monotonic()
            while self.held and self.line.poll():
                results[self.held[0]], self.peak = self.line.recv()
                self.held.popleft()
                self.since = monotonic()
        except (EOFError, ConnectionResetError):
            self.gone = True

    def replace(self, results: list[Any], reason: str, waiting: deque[int]) -> None:
        """Fail the call at hand, give the others back, and begin anew."""
        results[self.held.popleft()] = Failure(reason)
        waiting.extendleft(reversed(self.held))
        self.held.clear()
        self.stop()
        self.start()

    def stop(self) -> None:
        self.line.close()
        self.process.kill()
        self.process.wait()


_resting: list[_Worker] = []  # kept for the next run; each ends by itself when this process does


@contextmanager
def _crew(many: int) -> Iterator[list[_Worker]]:
    """Some workers for one run, rested ones first."""
    crew: list[_Worker] = []
    try:
        while len(crew) < many:
            try:
                worker = _resting.pop()  # asking first whether there is one would race with threads
            except IndexError:
                worker = _Worker()
            if worker.process.poll() is None:
                crew.append(worker)
            else:
                worker.stop()
        yield crew
        _resting.extend(crew)
    except BaseException:
        for worker in crew:
            worker.stop()
        raise


@atexit.register
def _send_home() -> None:
    while _resting:
        _resting.pop().stop()


# A forked child has its own end of their lines, but they are its parent's workers: it must neither
# ask them nor send them home.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_resting.clear)
