"""Worker processes: what hangs or dies costs its own call only."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import Pipe
from pathlib import Path

import pytest

from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure
from puzzlemill.core.storage import pool


def test_results_come_in_order() -> None:
    assert pool.run("math:isqrt", [(n * n,) for n in range(50)]) == list(range(50))


def test_what_raises_fails_alone() -> None:
    found = pool.run("math:isqrt", [(4,), (-1,), (9,)])
    assert [found[0], found[2]] == [2, 3]
    assert isinstance(found[1], Failure)
    assert "ValueError" in found[1].reason


def test_what_overstays_is_ended_and_fails_alone() -> None:
    found = pool.run("time:sleep", [(0,), (60,), (0,)], seconds=1.0)
    assert [found[0], found[2]] == [None, None]
    assert found[1] == Failure("overstayed 1 seconds")


def test_a_worker_that_dies_is_replaced() -> None:
    found = pool.run("os:_exit", [(3,), (3,)], workers=1)
    assert found == [Failure("its worker process died")] * 2
    assert pool.run("math:isqrt", [(16,)]) == [4]


def test_the_call_that_ends_its_worker_is_blamed_and_not_those_whose_results_wait() -> None:
    found = pool.run("test_pool:deadly", [(n, 5) for n in range(8)], workers=1)
    assert found[5] == Failure("its worker process died")
    assert [*found[:5], *found[6:]] == [0, 1, 2, 3, 4, 6, 7]


def deadly(number: int, to: int) -> int:
    if number == to:
        os._exit(3)
    return number


def test_a_call_whose_worker_is_killed_from_outside_does_not_fail(tmp_path: Path) -> None:
    calls = [(str(tmp_path / str(n)), n % 4 == 1) for n in range(12)]
    assert pool.run("test_pool:killed_at_first", calls, workers=2) == list(range(12))


def killed_at_first(mark: str, strike: bool) -> int:
    if strike and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return int(Path(mark).name)


def test_workers_end_with_their_parent_even_in_code_that_never_comes_back(tmp_path: Path) -> None:
    code = (
        "from puzzlemill.core.storage import pool;"
        f"pool.run('test_pool:stuck', [({str(tmp_path / 'one')!r},), ({str(tmp_path / 'two')!r},)],"
        " workers=2, chunk=1)"
    )
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    parent = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths})
    found = [read_soon(tmp_path / name) for name in ("one", "two")]
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 5
    while any(map(runs, found)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(runs, found))


def stuck(path: str) -> None:
    Path(path).with_suffix(".part").write_text(str(os.getpid()))
    Path(path).with_suffix(".part").rename(path)
    __import__("re").match("(a+)+$", "a" * 60 + "b")  # holds the interpreter for ages


def read_soon(path: Path) -> int:
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    return int(path.read_text())


def runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_workers_that_cannot_start_are_told_and_no_call_is_blamed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool, "_resting", [])
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(UserError, match="worker processes end as they start"):
        pool.run("math:isqrt", [(4,)])


def test_what_asks_for_too_much_memory_fails_alone() -> None:
    found = pool.run("builtins:bytearray", [(3,), (pool.MEMORY * 2,), (4,)], workers=1)
    assert found == [bytearray(3), Failure("MemoryError"), bytearray(4)]


def test_a_worker_that_has_grown_is_replaced_and_no_call_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool, "GROWN", 256 << 20)  # a gigabyte takes seconds to fill
    calls = [(pool.GROWN + 1,), *((n,) for n in range(3 * pool.CHUNK))]
    ballast = b"1" * (pool.GROWN + 1)  # what the parent holds is not the worker's
    found = pool.run("test_pool:filled", calls, workers=1)
    assert ballast
    assert [size for size, _ in found] == [size for (size,) in calls]
    assert len({process for _, process in found}) == 2


def filled(size: int) -> tuple[int, int]:
    return len(b"1" * size), os.getpid()


def test_messages_are_taken_whole_in_whatever_pieces_they_come() -> None:
    messages = [b"", b"short", b"x" * 70_000]
    here, there = Pipe()
    for message in messages[:2]:
        there.send_bytes(message)
    written = b"".join(map(pool.framed, messages))
    assert os.read(here.fileno(), 100) == written[: len(messages[0] + messages[1]) + 8]
    there.close()
    here.close()
    for step in (1, 7, 70_005):
        come, found = bytearray(), list[bytes]()
        for start in range(0, len(written), step):
            come += written[start : start + step]
            found += pool.unframed(come)
        assert found == messages
        assert not come
