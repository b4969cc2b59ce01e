"""Modular chain: add and multiply in turn, keeping only remainders.

`solve` reduces after every step; `verify` works with the full numbers and reduces once.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.basics._lines import marked


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # how many operations
    modulus: int  # of the remainders


@dataclass(frozen=True, slots=True)
class Chain:
    start: int
    operations: tuple[tuple[str, int], ...]  # + or * and a number
    modulus: int


def generate(rng: Random, knobs: Knobs) -> Chain:
    operations = tuple(
        (sign, rng.randint(1, 9) if sign == "+" else rng.randint(2, 5))
        for sign in rng.choices("+*", k=knobs.length)
    )
    return Chain(rng.randrange(knobs.modulus), operations, knobs.modulus)


def solve(chain: Chain) -> int:
    return _values(chain)[-1]


def verify(chain: Chain, said: int) -> float:
    value = chain.start
    for sign, number in chain.operations:
        value = value + number if sign == "+" else value * number
    return float(said == value % chain.modulus)


def render(chain: Chain, style: Style) -> Prompt:
    listed = "\n".join(marked(f"{sign}{number}" for sign, number in chain.operations))
    start, modulus = chain.start, chain.modulus
    return Prompt(
        style.pick(
            f"Start at {start} and do this in order, mod {modulus}. Where do you end?\n{listed}",
            f"What is {start} after all of these steps, mod {modulus}?\n{listed}",
            f"Mod {modulus}, take {start} through these steps:\n{listed}",
        ),
        form=f"one integer from 0 to {modulus - 1}",
    )


def steps(chain: Chain) -> list[str]:
    values = _values(chain)
    return marked(
        f"{before}{sign}{number}={after}"
        for before, (sign, number), after in zip(values, chain.operations, values[1:], strict=False)
    )


def progress(chain: Chain, lines: Lines) -> float:
    return results_derived(FAMILY, chain, lines)


def _values(chain: Chain) -> list[int]:
    """The start and the remainder after each operation."""
    values = [chain.start]
    for sign, number in chain.operations:
        value = values[-1] + number if sign == "+" else values[-1] * number
        values.append(value % chain.modulus)
    return values


LADDER = (Knobs(1, 7), Knobs(4, 7), Knobs(6, 8), Knobs(8, 9), Knobs(11, 11))
FAMILY = Family(
    Chain,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=lambda chain: len(chain.operations) * chain.modulus,
    proof="unique",
    solver="remainders kept after every operation",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("arithmetic", "tracking"),
    theme="small_sums",
)
