"""Factorial tail: with how many zeros does n! end?

`solve` counts multiples of 5, 25, 125 and so on; `verify` uses Legendre's formula, from base 5.
"""

from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.proof.audit import audit


@dataclass(frozen=True, slots=True)
class Knobs:
    digits: int  # of n


@dataclass(frozen=True, slots=True)
class Factorial:
    n: int


def generate(rng: Random, knobs: Knobs) -> Factorial:
    return Factorial(rng.randrange(10 ** (knobs.digits - 1), 10**knobs.digits))


def solve(factorial: Factorial) -> int:
    powers = (5**k for k in range(1, factorial.n.bit_length()))
    return sum(factorial.n // power for power in powers)


def verify(factorial: Factorial, zeros: int) -> float:
    left, digit_sum = factorial.n, 0
    while left:
        left, digit = divmod(left, 5)
        digit_sum += digit
    return float(4 * zeros == factorial.n - digit_sum)


def render(factorial: Factorial, style: Style) -> Prompt:
    question = style.pick(
        "With how many zeros does {}! (the factorial) end?",
        "How many trailing zeros does the factorial of {} have in decimal notation?",
        "Multiply all whole numbers from 1 to {}. How many zeros does the product end with?",
    )
    return Prompt(question.format(factorial.n), form="an integer")


FAMILY = Family(
    Factorial,
    (Knobs(4), Knobs(5), Knobs(6), Knobs(8)),
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=lambda factorial: len(str(factorial.n)),
    proof="unique",
    solver="multiples of powers of 5",
)

if __name__ == "__main__":
    found = audit(replace(FAMILY, name="factorial_tail"))
    print("\n".join(found.faults) or "The audit finds no fault.")
