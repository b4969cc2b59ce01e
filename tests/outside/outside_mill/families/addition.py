"""Addition: what two numbers make."""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style


@dataclass(frozen=True, slots=True)
class Knobs:
    most: int


@dataclass(frozen=True, slots=True)
class Pair:
    first: int
    second: int


def generate(rng: Random, knobs: Knobs) -> Pair:
    return Pair(rng.randint(0, knobs.most), rng.randint(0, knobs.most))


def solve(pair: Pair) -> int:
    return len(range(pair.first)) + len(range(pair.second))


def verify(pair: Pair, answer: int) -> float:
    return float(answer - pair.first == pair.second)


def render(pair: Pair, style: Style) -> Prompt:
    sum_of = f"{pair.first} + {pair.second}"
    return Prompt(
        style.pick(f"What is {sum_of}?", f"Add: {sum_of}", f"Work out {sum_of}."), form="the sum"
    )


LADDER = (Knobs(9), Knobs(99), Knobs(999))
FAMILY = Family(
    Pair,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=lambda pair: pair.first + pair.second,
    proof="unique",
    solver="counting",
    guess_rate=0.2,
    skills=("arithmetic",),
)
