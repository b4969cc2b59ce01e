"""`benchmarks/giveaways.py`: what its records keep, and when a variant fails."""

from importlib import import_module
from math import comb
from pathlib import Path
from typing import Any

import pytest

from puzzlemill.core import registry
from puzzlemill.core.guard import Failure

NAME = "vieta+claim"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    return import_module("giveaways")


def test_the_p_value_is_a_binomial_tail_and_the_interval_inverts_it(bench: Any) -> None:
    tail = sum(comb(40, right) * 0.28**right * 0.72 ** (40 - right) for right in range(17, 41))
    assert bench.exceeds(17, 40, 0.28) == pytest.approx(tail)
    assert bench.exceeds(0, 40, 0.28) == 1
    low, high = bench.interval(17, 40)
    assert bench.exceeds(17, 40, low) == pytest.approx(0.025)
    assert 1 - bench.exceeds(18, 40, high) == pytest.approx(0.025)
    assert bench.interval(0, 40)[0] == 0
    assert bench.interval(40, 40)[1] == 1


def test_holm_s_correction_stops_at_the_first_that_does_not_reject(bench: Any) -> None:
    assert bench.holm({"a": 0.01, "b": 0.04, "c": 0.03}) == ["a"]  # 0.03 > 0.05 / 2
    assert bench.holm({"a": 0.01, "b": 0.02}) == ["a", "b"]
    assert bench.holm({}) == []


def test_a_suspect_is_read_again_on_fresh_items(bench: Any) -> None:
    first = bench.read(NAME, 0, 6)
    assert (first["start"], first["drawn"], first["wanted"]) == (0, 6, 6)
    record = bench._with({}, NAME, 0, first | {"p": 0.1})
    summary = bench.summary({NAME: record})
    assert summary["waiting"] == [NAME]
    assert summary["given_away"] == {NAME: first["rate"]}, "until its second reading"
    assert bench._next(record, NAME, 6, 9) == (NAME, 6, 9)
    assert bench._next(record, NAME, 12, 9) == (NAME, 0, 12), "more items were asked for"
    record = bench._with(record, NAME, 6, bench.read(NAME, 6, 9) | {"p": 0.001})
    assert bench._next(record, NAME, 6, 9) is None
    assert bench.summary({NAME: record})["given_away"] == {NAME: record["second"]["rate"]}
    assert (
        bench._next(bench._with({}, NAME, 0, bench.read(NAME, 0, 6) | {"p": 0.5}), NAME, 6, 9)
        is None
    )


def test_an_error_is_kept_and_tried_again(bench: Any) -> None:
    record = bench._with({}, NAME, 0, Failure("it overstayed"))
    assert record == {"version": registry.family(NAME).version, "error": "it overstayed"}
    assert bench._next(record, NAME, 6, 9) == (NAME, 0, 6)
    assert bench.summary({NAME: record})["errors"] == [NAME]
    assert "error" not in bench._with(record, NAME, 0, bench.read(NAME, 0, 6))


def test_a_reading_that_the_cpu_limit_cut_short_says_so(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "CPU", 0.0)
    record = bench._with({}, NAME, 0, bench.read(NAME, 0, 6))
    assert record["first"]["drawn"] == 1
    assert bench.summary({NAME: record})["cut_short"] == [NAME]
