"""Worker processes for code that may hang or crash: families and verifiers.

A worker that overstays on one call is ended and replaced: threads cannot be stopped and alarms work
only in a main thread. A call that overstays or ends its worker is tried again, since a worker may
also be killed from outside or starved, which must not be told of a puzzle; then it fails
alone. One that asks for too much memory fails at once, where the system keeps such limits (Linux
does), and a worker that has grown is replaced. Results of short calls share a message; how many
calls a worker has begun stands in memory that it shares with its parent, so that the right call is
blamed when it is gone. Workers are plain child processes that import the
function by name, so a caller's script needs no `if __name__ == "__main__"`. They end when their
parent does, however that ends.
"""

import atexit
import fcntl
import gc
import os
import pickle
import re
import resource
import select
import subprocess
import sys
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from mmap import mmap
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from struct import Struct
from tempfile import TemporaryFile
from threading import Event
from time import monotonic
from typing import Any

from puzzlemill.core.counters import count
from puzzlemill.core.errors import FamilyWarning, UserError, shown
from puzzlemill.core.guard import Failure, guarded

CHUNK = 8  # calls handed over at once; 1 for long ones
MEMORY = 4 << 30  # bytes that a worker may take
GROWN = 1 << 30  # bytes after which it is replaced once it has answered
LOOK = 0.01  # seconds in which it does not grow by much: to ask how large it is costs a small call
CORES = "PUZZLEMILL_CORES"  # the variable of the environment by which it is told
LISTENS = 200  # milliseconds in which a worker may answer, before the others are looked after
SHARED = 0.002  # seconds for which results wait for others that share their message
START = 120.0  # seconds for a worker process to come up, on a machine that is busy
DEATHS = 3  # of workers on one call, after which it fails; a killer from outside strikes elsewhere
STAYS = 2  # that are too long
MOST = 65_536  # cores
STILLBORN = 5  # workers in a row that end before they are up


Lost = Counter[tuple[int, str]]  # how often a call was lost, and how
Keep = Callable[[int, Any], None]  # takes a call's place and its result
_over: ContextVar[Event | None] = ContextVar("over", default=None)


Heard = Callable[[int, int], None]  # how many calls are done, and of how many
_heard: ContextVar[Heard | None] = ContextVar("heard", default=None)


@contextmanager
def heard_by(heard: Heard) -> Iterator[None]:
    """All runs in this block, and in what copies its context, say how far they are."""
    token = _heard.set(heard)
    try:
        yield
    finally:
        _heard.reset(token)


@contextmanager
def leaving_together() -> Iterator[None]:
    """Runs in threads that copy this context end when this block fails.

    A thread cannot be stopped from outside, and whoever ends a build does not want to wait for it.
    """
    over = Event()
    token = _over.set(over)
    try:
        yield
    except BaseException:
        over.set()
        raise
    finally:
        _over.reset(token)


def cores() -> int:
    """The cores that this process may use, or as many as it was told to."""
    if text := os.environ.get(CORES, ""):
        if not re.fullmatch("0*[1-9][0-9]{0,4}", text, re.ASCII) or int(text) > MOST:
            raise UserError(f"{CORES} is {shown(text)}; it is a whole number from 1 to {MOST}")
        return int(text)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    function: str,
    calls: Sequence[tuple[Any, ...]],
    workers: int | None = None,
    seconds: float = 60,
    chunk: int = CHUNK,
    tell: Callable[[int], None] | None = None,
    take: Keep | None = None,
) -> list[Any]:
    """`function` ("module:name") on each call's arguments, in order; a Failure where it failed.

    `tell` hears how many calls are done, and `take` each call's place and result as it comes.
    """
    results: list[Any] = [Failure("not run")] * len(calls)

    def keep(place: int, result: Any) -> None:
        results[place] = result
        if take:
            take(place, result)

    waiting = deque(range(len(calls)))
    over, heard = _over.get(), _heard.get()
    lost: Lost = Counter()
    many = max(1, min(workers or cores(), (len(calls) + chunk - 1) // chunk))
    with crew_of(many if calls else 0) as crew:
        while waiting or any(worker.held for worker in crew):
            if over and over.is_set():
                raise UserError("stopped: what ran beside it has failed or was stopped")
            for worker in crew:
                if not worker.held and waiting:
                    places = [waiting.popleft() for _ in range(min(chunk, len(waiting)))]
                    worker.hand(message(function, places, calls), places)
            for worker in _answering(crew):
                worker.collect(keep)
            for worker in crew:
                if worker.held and (worker.gone or worker.left(seconds) < 0):
                    give_back(worker, seconds, waiting, keep, lost)
            done = len(calls) - len(waiting) - sum(len(worker.held) for worker in crew)
            if tell:
                tell(done)
            if heard:
                heard(done, len(calls))
    return results


def _answering(crew: Sequence["Worker"]) -> list["Worker"]:
    """The workers that have sent something, once one has, or none after a while."""
    held = {worker.line.fileno(): worker for worker in crew if worker.held}
    return [held[descriptor] for descriptor in _readable(held, LISTENS)]


def _readable(descriptors: Iterable[int], milliseconds: int) -> list[int]:
    """Those at which something has come or which were closed, once one has.

    `connection.wait` makes a selector for that, which takes as long as a simple call.
    """
    lines = select.poll()
    for descriptor in descriptors:
        lines.register(descriptor, select.POLLIN)
    return [descriptor for descriptor, _ in lines.poll(milliseconds)]


def message(function: str, places: Sequence[int], calls: Sequence[tuple[Any, ...]]) -> bytes:
    """What a worker is sent to do these calls."""
    return pickle.dumps((function, [calls[place] for place in places]), pickle.HIGHEST_PROTOCOL)


_BEGUN = Struct("=I")
_SHORT, _LONG = Struct("!i"), Struct("!iQ")  # of a message's length; a long one's begins with -1


def framed(message: bytes) -> bytes:
    """A message as it goes over a line, for who writes to its socket: as `Connection` writes it."""
    many = len(message)
    return (_SHORT.pack(many) if many < 1 << 31 else _LONG.pack(-1, many)) + message


def unframed(come: bytearray) -> Iterator[bytes]:
    """The whole messages in what has come over a line. One that is only begun stays there."""
    start = 0
    while len(come) - start >= _SHORT.size:
        (many,), head = _SHORT.unpack_from(come, start), _SHORT.size
        if many < 0:
            if len(come) - start < _LONG.size:
                break
            (_, many), head = _LONG.unpack_from(come, start), _LONG.size
        end = start + head + many
        if len(come) < end:
            break
        yield bytes(come[start + head : end])
        start = end
    del come[:start]


def give_back(
    worker: "Worker", seconds: float, waiting: deque[int], keep: Keep, lost: Lost
) -> None:
    """Replace a worker that overstays or is gone. Its calls wait again, but for one that was lost
    often enough: that one fails."""
    reason, most = "its worker process died", DEATHS
    if worker.left(seconds) < 0:
        reason, most = f"overstayed {seconds:g} seconds", STAYS
    place = worker.held[worker.at]
    count("overstays" if most == STAYS else "workers_died")
    lost[place, reason] += worker.ready  # else it was not at the call yet
    if lost[place, reason] == most:
        worker.held.remove(place)
        keep(place, Failure(reason))
    worker.replace(waiting)


def serve(descriptor: int, life: int, shared: int) -> None:
    """What a worker process does: answer calls until the line closes."""
    line = Connection(descriptor)
    with suppress(ValueError, OSError):  # a stricter limit is set already, or none can be
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    _end_with(life)
    warnings.simplefilter("ignore", FamilyWarning)  # the parent has said it
    gc.set_threshold(50_000, 20, 100)  # puzzles have no cycles: looking for them takes a twentieth
    begun = mmap(shared, _BEGUN.size)
    line.send("ready")
    peak, looked, results = 0, 0.0, list[Any]()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        while True:
            function, calls = line.recv()
            call = _named(function)
            sent = monotonic()
            for number, arguments in enumerate(calls, 1):
                _BEGUN.pack_into(begun, 0, number)
                results.append(guarded(call, *arguments))
                now, last = monotonic(), number == len(calls)
                if last and now - looked > LOOK:
                    peak, looked = _peak(), now
                if last or now - sent > SHARED:
                    line.send_bytes(pickle.dumps((results, peak), pickle.HIGHEST_PROTOCOL))
                    sent = now
                    results.clear()


@cache
def _named(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)  # type: ignore[no-any-return]


def _end_with(life: int) -> None:
    """Have the system end this process when the other end of a pipe closes, whatever it is doing.

    Code that hangs never looks at its line again, and a thread that watched it would wait for the
    interpreter.
    """
    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)
    os.set_blocking(life, False)
    with suppress(BlockingIOError):
        if not os.read(life, 1):  # it closed before we asked to be told
            os._exit(1)


def _peak() -> int:
    """Bytes that this process has held at most.

    Linux says so itself; what getrusage says there counts the parent's, from before the exec.
    """
    with suppress(OSError, IndexError):
        return int(os.pread(_status(), 4096, 0).split(b"VmHWM:")[1].split()[0]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


@cache
def _status() -> int:
    return os.open("/proc/self/status", os.O_RDONLY)


class Worker:
    """A worker process, and the line to it."""

    def __init__(self) -> None:
        self.held: deque[int] = deque()  # the calls handed over and not answered yet
        self.handed = 0  # of which so many were handed over
        self.since = 0.0
        self.stillborn = 0  # times in a row that it ended before it was up
        self.start()

    def start(self) -> None:
        self.gone = self.ready = False
        self.peak = 0
        self.line, theirs = Pipe()
        ends, life = os.pipe()
        self.life = os.fdopen(life, "wb", 0)  # open as long as this process lives
        with TemporaryFile() as shared:
            shared.truncate(_BEGUN.size)
            self.begun = mmap(shared.fileno(), _BEGUN.size)  # calls, of those handed over
            passed = (theirs.fileno(), ends, shared.fileno())
            code = f"from puzzlemill.core.storage.pool import serve; serve{passed}"
            self.process = subprocess.Popen(
                [sys.executable, "-c", code],
                pass_fds=passed,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                process_group=0,  # Ctrl-C is for the parent, which then ends its workers
            )
        theirs.close()
        os.close(ends)

    def left(self, seconds: float) -> float:
        """Seconds before it overstays on a call that may take so many. To come up is not the call's
        time."""
        return self.since + seconds + (0.0 if self.ready else START) - monotonic()

    def hand(self, message: bytes, places: Sequence[int]) -> None:
        """Send calls; one that has grown is replaced first."""
        if self.peak > GROWN:
            self.stop()
            self.start()
        self.hold(places)
        try:
            self.line.send_bytes(message)
        except (BrokenPipeError, ConnectionResetError):
            self.gone = True

    def hold(self, places: Sequence[int]) -> None:
        """Wait for these calls, which are handed over now."""
        self.held, self.handed, self.since = deque(places), len(places), monotonic()
        _BEGUN.pack_into(self.begun, 0, 0)

    @property
    def at(self) -> int:
        """Which of the calls it holds it is at. Results of those before may wait to be sent."""
        (begun,) = _BEGUN.unpack_from(self.begun)
        answered = self.handed - len(self.held)
        return int(max(begun - answered - 1, 0))

    def collect(self, keep: Keep) -> None:
        """Take what has come, once there is something."""
        try:
            more = True
            while more:
                self.take(self.line.recv_bytes(), keep)
                more = bool(self.held) and bool(_readable([self.line.fileno()], 0))
        except (EOFError, ConnectionResetError):
            self.gone = True

    def take(self, message: bytes, keep: Keep) -> None:
        """Take a message: that it is up, or the results of calls."""
        if self.ready:
            results, self.peak = pickle.loads(message)  # noqa: S301  (of a process of our own)
            for result in results:
                keep(self.held.popleft(), result)
        self.ready, self.since = True, monotonic()

    def replace(self, waiting: deque[int]) -> None:
        """Give the calls back, and begin anew."""
        waiting.extendleft(reversed(self.held))
        self.held.clear()
        self.stop()
        self.stillborn = 0 if self.ready else self.stillborn + 1
        if self.stillborn == STILLBORN:
            raise UserError(
                f"worker processes end as they start (status {self.process.returncode});"
                " is there memory, and may this user start processes?"
            )
        self.start()

    def stop(self) -> None:
        self.line.close()
        self.life.close()
        self.process.kill()
        self.process.wait()


_resting: list[Worker] = []  # kept for the next run; each ends by itself when this process does


@contextmanager
def crew_of(many: int) -> Iterator[list[Worker]]:
    """Some workers for one run, rested ones first."""
    crew: list[Worker] = []
    try:
        while len(crew) < many:
            crew.append(hired())
        yield crew
        _resting.extend(crew)
    except BaseException:
        for worker in crew:
            worker.stop()
        raise


def hired() -> Worker:
    """A worker that has rested, or a new one."""
    while True:
        try:
            worker = _resting.pop()  # asking first whether there is one would race with threads
        except IndexError:
            return Worker()
        if worker.process.poll() is None:
            return worker
        worker.stop()


def rest(worker: Worker) -> None:
    """Keep a worker for the next run."""
    _resting.append(worker)


@atexit.register
def _send_home() -> None:
    while _resting:
        _resting.pop().stop()


# A forked child has its own end of their lines, but they are its parent's workers: it must neither
# ask them nor send them home.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_resting.clear)
