"""Sums: a chain of additions and subtractions.

`solve` goes from left to right; `verify` weighs everything added against everything taken away.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.basics._lines import marked

ROOM = 99  # no running total leaves 0..ROOM


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # how many numbers
    most: int  # the largest of them


@dataclass(frozen=True, slots=True)
class Chain:
    numbers: tuple[int, ...]  # with their signs


def generate(rng: Random, knobs: Knobs) -> Chain:
    numbers = [rng.randint(1, knobs.most)]
    total = numbers[0]
    for _ in range(knobs.terms - 1):
        size = rng.randint(1, knobs.most)
        signs = [sign for sign in (1, -1) if 0 <= total + sign * size <= ROOM]
        numbers.append(rng.choice(signs) * size)
        total += numbers[-1]
    return Chain(tuple(numbers))


def solve(chain: Chain) -> int:
    total = 0
    for number in chain.numbers:
        total += number
    return total


def verify(chain: Chain, total: int) -> float:
    added = sum(number for number in chain.numbers if number > 0)
    taken = sum(-number for number in chain.numbers if number < 0)
    return float(total + taken == added)


def render(chain: Chain, style: Style) -> Prompt:
    first = chain.numbers[0]
    listed = "\n".join(marked(f"{number:+d}" for number in chain.numbers[1:]))
    return Prompt(
        style.pick(
            f"Start at {first} and do this in order. Where do you end?\n{listed}",
            f"What is {first} after all of these steps?\n{listed}",
            f"Take {first} through these steps:\n{listed}",
        ),
        form="one integer",
    )


def steps(chain: Chain) -> list[str]:
    total, lines = chain.numbers[0], []
    for number in chain.numbers[1:]:
        lines.append(f"{total}{number:+d}={total + number}")
        total += number
    return marked(lines)


LADDER = (Knobs(2, 9), Knobs(4, 15), Knobs(6, 20), Knobs(8, 30), Knobs(11, 40))
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
    skills=("arithmetic",),
)
