"""The audit names what is wrong: families that are broken on purpose, each in its own way."""

import re
from dataclasses import dataclass, replace
from math import isqrt
from random import Random
from typing import Any

import pytest

from puzzlemill.core import answers
from puzzlemill.core.audit import audit
from puzzlemill.core.contract import Depth
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.outputs.truth import record

DEPTH = Depth(items=4, draws=20, probed=2)


@dataclass(frozen=True, slots=True)
class Knobs:
    most: int


@dataclass(frozen=True, slots=True)
class Pair:
    a: int
    b: int


def generate(rng: Random, knobs: Knobs) -> Pair:
    return Pair(rng.randint(knobs.most // 2, knobs.most), rng.randint(knobs.most // 2, knobs.most))


def render(pair: Pair, style: Style) -> Prompt:
    question = style.pick("What is {} plus {}?", "Add {} and {}.", "Sum up {} and {}.")
    return Prompt(question.format(pair.a, pair.b), "an integer")


SOUND: Family[Knobs, Pair, Any] = Family(
    Pair,
    (Knobs(1000), Knobs(100_000), Knobs(10_000_000)),
    generate,
    solve=lambda pair: pair.a + pair.b,
    verify=lambda pair, total: float(total - pair.a == pair.b),
    render=render,
    answer=answers.Integer(),
    hardness=lambda pair: pair.a + pair.b,
    proof="unique",
    name="addition",
    category="tests",
)


class FirstNumber(answers.Integer):
    """Takes the first number of a text, whatever stands around it."""

    def read(self, text: str) -> int | None:
        found = re.search(r"-?\d{1,30}", text)
        return int(found[0]) if found else None


def halves(pair: Pair, answer: tuple[int, ...]) -> float:
    return float(len(answer) == 2 and sum(answer) == pair.a + pair.b)


def shaky(pair: Pair, total: int) -> float:
    return float(isqrt(total) ** 2 <= total and pair.a == total - pair.b)


BROKEN = {
    "wrong gold": (
        replace(SOUND, solve=lambda pair: pair.a + pair.b + (pair.a % 3 == 0)),
        "not certified: solve answers",
    ),
    "leaky verify": (
        replace(SOUND, verify=lambda pair, total: float(abs(total - pair.a - pair.b) < 2)),
        "promises one answer, but takes",
    ),
    "leaky reading": (replace(SOUND, answer=FirstNumber()), r"pays 1 for .*<answer>str\('\d+'\)"),
    "crash": (replace(SOUND, verify=shaky), "the verifier crashes on .*ValueError"),
    "not unique": (
        replace(
            SOUND,
            solve=lambda pair: (pair.a, pair.b),
            verify=halves,
            answer=answers.IntList(),
        ),
        r"promises one answer, but takes '\d+, \d+' beside '\d+, \d+'",
    ),
    "guessable": (
        replace(
            SOUND,
            solve=lambda pair: (pair.a + pair.b) % 3 // 2,
            verify=lambda pair, bit: float(((pair.a + pair.b) % 3 == 2) == bit),
        ),
        "'0' is right .* of the time .* guess_rate declares 0%",
    ),
    "nothing confirms": (replace(SOUND, proof="solved"), "or give recheck"),
}


def test_a_sound_family_has_no_faults() -> None:
    found = audit(SOUND, DEPTH)
    assert found.faults == ()
    assert found.probes
    assert found.probes.right.tried >= 60 * 6
    assert found.probes.hacks.tried >= 200 * 6
    assert record(found)["rho0"]["rate"] == record(found)["rho1"]["rate"] == 0


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_family_is_told_what_is_wrong(fault: str) -> None:
    family, said = BROKEN[fault]
    faults = audit(family, DEPTH).faults
    assert any(re.search(said, each) for each in faults), faults


def test_a_family_that_does_not_run_at_all_is_told_so() -> None:
    def nothing(rng: Random, knobs: Knobs) -> Pair:
        raise KeyError("no such thing")

    assert audit(replace(SOUND, generate=nothing), DEPTH).faults == (
        "cannot make items: KeyError: 'no such thing'",
    )
