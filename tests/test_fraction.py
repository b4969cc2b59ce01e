"""Fractions that are computed sooner are those of the standard library."""

import copy
import fractions
import operator
import pickle
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from test_house import ROOT

from puzzlemill.core.fraction import Fraction

TWO = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, divmod,
)  # fmt: skip
ONE = (
    operator.neg, operator.pos, abs, hash, str, repr, bool, int, float, round,
    operator.attrgetter("numerator"), operator.attrgetter("denominator"),
    operator.methodcaller("as_integer_ratio"), operator.methodcaller("limit_denominator", 7),
    operator.methodcaller("__round__", 1), operator.methodcaller("__floor__"),
    operator.methodcaller("__ceil__"), operator.methodcaller("__trunc__"),
)  # fmt: skip


def _pairs(count: int) -> list[tuple[fractions.Fraction, Fraction]]:
    rng = Random(1)
    parts = [0, 1, -1, 2, 12, -36, 10**20, -(2**61 - 1)]
    drawn = [(rng.choice([*parts, rng.randint(-99, 99)]), rng.randint(1, 60)) for _ in range(count)]
    drawn += [(over, -under) for over, under in drawn[:9]]
    return [(fractions.Fraction(*each), Fraction(*each)) for each in drawn]


def _outcome(call: Callable[..., Any], *values: Any) -> Any:
    try:
        return call(*values)
    except ZeroDivisionError:
        return "divided by 0"


def _same(slow: Any, quick: Any) -> bool:
    if isinstance(slow, fractions.Fraction):
        return type(quick) is Fraction and slow.as_integer_ratio() == quick.as_integer_ratio()
    return type(slow) is type(quick) and slow == quick


@pytest.mark.parametrize("call", TWO)
def test_two_numbers_come_to_what_they_come_to_in_the_standard_library(call: Any) -> None:
    pairs = _pairs(60)
    others = [(0, 0), (7, 7), (-3, -3), (2**70, 2**70), (0.25, 0.25), (True, True)]
    for slow, quick in pairs:
        for old, new in pairs[:25] + others:
            assert _same(_outcome(call, slow, old), _outcome(call, quick, new)), (slow, old)
            assert _same(_outcome(call, old, slow), _outcome(call, new, quick)), (old, slow)
            if isinstance(old, fractions.Fraction):
                assert _outcome(call, quick, old) == _outcome(call, slow, old)
                assert _outcome(call, old, quick) == _outcome(call, old, slow)


@pytest.mark.parametrize("call", ONE)
def test_one_fraction_is_read_as_in_the_standard_library(call: Any) -> None:
    for slow, quick in _pairs(200):
        assert _same(call(slow), call(quick)), slow


def test_powers_are_those_of_the_standard_library() -> None:
    for slow, quick in _pairs(40):
        for power in (0, 1, 2, 5, -1, -3, 0.5, fractions.Fraction(1, 2), Fraction(3)):
            if slow == 0 and power < 0:
                continue
            if slow < 0 and power == 0.5:
                continue
            assert _same(slow**power, quick**power), (slow, power)
            assert 2**slow == 2**quick if abs(slow) < 9 else True


def test_fractions_are_made_of_all_that_the_standard_library_takes() -> None:
    for given in ((), (7,), (6, -4), (0.5,), (True,), (Fraction(1, 3), 2), (Decimal("1.5"),)):
        assert _same(fractions.Fraction(*given), Fraction(*given)), given
    assert Fraction(fractions.Fraction(2, 6)) == fractions.Fraction(1, 3)
    assert fractions.Fraction(Fraction(2, 6)) == Fraction(1, 3)
    with pytest.raises(ZeroDivisionError):
        Fraction(1, 0)
    with pytest.raises(TypeError):
        Fraction("1", 2)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [
    "3/9", "-1.25", "7", "-0", "007", "0.50", "-3/6", "+3", " 1/2 ", "1_000", ".5", "5.", "1e3",
    "-.25", "1.5/2", "1/-2", "--1", "-", "", "1/2/3", "1.2.3", "٣", "1/0", "0/7", "-1/0", "1 /2",
])  # fmt: skip
def test_a_text_is_read_as_in_the_standard_library(text: str) -> None:
    def read(kind: Any) -> Any:
        try:
            return kind(text).as_integer_ratio()
        except (ValueError, ZeroDivisionError) as error:
            return type(error)

    assert read(Fraction) == read(fractions.Fraction)


def test_either_kind_of_fraction_counts_as_the_other() -> None:
    slow, quick = fractions.Fraction(1, 3), Fraction(1, 3)
    assert isinstance(slow, Fraction)
    assert isinstance(quick, fractions.Fraction)
    assert not isinstance(1, Fraction)
    assert {slow: 1}[quick] == 1
    assert sum([quick, quick, quick]) == 1


def test_a_fraction_is_copied_and_pickled() -> None:
    for _, quick in _pairs(20):
        for again in (copy.copy(quick), copy.deepcopy(quick), pickle.loads(pickle.dumps(quick))):
            assert _same(fractions.Fraction(quick), again)


@pytest.mark.parametrize("room", ["core", "generators"])
def test_no_room_computes_with_the_slow_ones(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    slow = [file.name for file in files if "fractions import " in file.read_text()]
    assert slow == (["fraction.py"] if room == "core" else [])
