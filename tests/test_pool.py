"""Worker processes: what hangs or dies costs its own call only."""

import os

from puzzlemill.core import pool
from puzzlemill.core.guard import Failure


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


def test_what_asks_for_too_much_memory_fails_alone() -> None:
    found = pool.run("builtins:bytearray", [(3,), (pool.MEMORY * 2,), (4,)], workers=1)
    assert found == [bytearray(3), Failure("MemoryError"), bytearray(4)]


def test_a_worker_that_has_grown_is_replaced_and_no_call_is_lost() -> None:
    calls = [(pool.GROWN + 1,), *((n,) for n in range(3 * pool.CHUNK))]
    ballast = b"1" * (pool.GROWN + 1)  # what the parent holds is not the worker's
    found = pool.run("test_pool:filled", calls, workers=1)
    assert ballast
    assert [size for size, _ in found] == [size for (size,) in calls]
    assert len({process for _, process in found}) == 2


def filled(size: int) -> tuple[int, int]:
    return len(b"1" * size), os.getpid()
