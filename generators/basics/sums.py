"""Sums: a chain of additions and subtractions.

`solve` goes from left to right; `verify` weighs everything added against everything taken away.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.basics._lines import marked

ROOM = 99  # no running total leaves 0..ROOM


@dataclass(frozen=True, slots=True)
class Knobs:
    steps: int  # how many numbers are added or taken away
    most: int  # the largest of them


@dataclass(frozen=True, slots=True)
class Chain:
    start: int
    numbers: tuple[int, ...]  # with their signs


def generate(rng: Random, knobs: Knobs) -> Chain:
    start = total = rng.randint(1, ROOM)
    numbers = []
    for _ in range(knobs.steps):
        size = rng.randint(1, knobs.most)
        signs = [sign for sign in (1, -1) if 0 <= total + sign * size <= ROOM]
        numbers.append(rng.choice(signs) * size)
        total += numbers[-1]
    return Chain(start, tuple(numbers))


def solve(chain: Chain) -> int:
    total = chain.start
    for number in chain.numbers:
        total += number
    return total


def verify(chain: Chain, total: int) -> float:
    added = chain.start + sum(number for number in chain.numbers if number > 0)
    taken = sum(-number for number in chain.numbers if number < 0)
    return float(total + taken == added)


def render(chain: Chain, style: Style) -> Prompt:
    start = chain.start
    listed = "\n".join(marked(f"{number:+d}" for number in chain.numbers))
    return Prompt(
        style.pick(
            f"Start at {start} and do this in order. Where do you end?\n{listed}",
            f"What is {start} after all of these steps?\n{listed}",
            f"Take {start} through these steps:\n{listed}",
        ),
        form="one integer",
    )


def steps(chain: Chain) -> list[str]:
    total, lines = chain.start, []
    for number in chain.numbers:
        lines.append(f"{total}{number:+d}={total + number}")
        total += number
    return marked(lines)


def progress(chain: Chain, lines: Lines) -> float:
    return results_derived(FAMILY, chain, lines)


LADDER = (Knobs(1, 9), Knobs(3, 9), Knobs(5, 9), Knobs(7, 11), Knobs(10, 20))
FAMILY = Family(
    Chain,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=lambda chain: len(chain.numbers),
    proof="unique",
    solver="addition from left to right",
    guess_rate=0.12,
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("arithmetic",),
    theme="small_sums",
)
