"""Addition: what two numbers make.

It is worded as the bundled policy's own families are, so that this policy solves some of it.
"""

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
    start, step = pair.first, f"a +{pair.second}"
    return Prompt(
        style.pick(
            f"Start at {start} and do this in order. Where do you end?\n{step}",
            f"What is {start} after all of these steps?\n{step}",
            f"Take {start} through these steps:\n{step}",
        ),
        form="one integer",
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
