"""Worker processes: what hangs or dies costs its own call only."""

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
