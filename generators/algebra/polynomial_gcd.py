"""Polynomial gcd: the greatest common divisor of two or more polynomials.

It is fixed up to a number; the prompt asks for whole coprime coefficients, the first positive.
`solve` is Euclid's algorithm. `verify` divides, and shows modulo a prime that the quotients have
nothing more in common.
"""

from dataclasses import dataclass
from math import gcd
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.polynomial import Terms
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.algebra._polynomials import (
    coefficients,
    common,
    coprime,
    drawn,
    primitive,
    product,
    rest,
    shared,
    terms_of,
    written,
)


@dataclass(frozen=True, slots=True)
class Knobs:
    divisor: int  # the degree of what they have in common, at most
    others: int  # the degree of what they have not, at most
    coefficient: int  # the largest in a factor
    leading: int  # the largest at the highest power of a factor
    polynomials: int  # whose common divisor is asked for


@dataclass(frozen=True, slots=True)
class Several:
    polynomials: tuple[tuple[int, ...], ...]  # from the constant upwards


def generate(rng: Random, knobs: Knobs) -> Several | None:
    """A common part times parts that have nothing in common but, with three, in pairs."""
    part = _drawn(rng, knobs, rng.randint(max(1, knobs.divisor - 1), knobs.divisor))
    own = [_drawn(rng, knobs, knobs.others) for _ in range(knobs.polynomials)]
    if knobs.polynomials > 2:
        pairs = [_drawn(rng, knobs, 1) for _ in own]
        own = [product(each, pairs[place - 1], pairs[place]) for place, each in enumerate(own)]
    found = tuple(tuple(product(part, each)) for each in own)
    if len(set(found)) < len(found) or max(map(max, found)) < 2:
        return None
    if any(abs(number) > LARGEST for each in found for number in each):
        return None
    return Several(found)


def solve(several: Several) -> Terms | None:
    found: list[int] = []
    for each in several.polynomials:
        if not each or not each[-1]:
            return None
        found = common(found, each) if found else primitive(each)
    return terms_of(found)


def verify(several: Several, answer: Terms) -> float:
    degree = min(len(each) for each in several.polynomials) - 1
    found = coefficients(answer, degree)
    if not found or any(number.denominator != 1 for number in found):
        return 0.0
    divisor = [int(number) for number in found]
    if gcd(*divisor) != 1 or divisor[-1] < 0:
        return 0.0
    quotients = [shared(each, divisor) for each in several.polynomials]
    first, *others = [each or [] for each in quotients]
    if not all((first, *others)):
        return 0.0
    # A mixture of the others has no divisor in common with the first, or else they all have one.
    for mixture in range(1, TRIES):
        mixed = others[0]
        for step, other in enumerate(others[1:], 1):
            mixed = _mixed(mixed, other, mixture**step)
        if len(first) == 1 or len(mixed) == 1 or coprime(first, mixed):
            return 1.0
    return 0.0


def render(several: Several, style: Style) -> Prompt:
    texts = [written(each) for each in several.polynomials]
    lines = "\n".join(texts)
    those = "two" if len(texts) == 2 else "three"
    question = style.pick(
        f"Find the greatest common divisor of these {those} polynomials:\n\n{lines}",
        f"What is the polynomial of the highest degree that divides each of\n\n{lines}\n\n"
        "without remainder (coefficients may be fractions in the division)?",
        f"Compute the gcd of the {those} polynomials\n\n{lines}\n\nover the rational numbers.",
    )
    return Prompt(
        question,
        form="a polynomial in x that is multiplied out, scaled so that its coefficients are"
        " integers without a common factor and the leading one is positive, such as 2x^2 - x + 5"
        " (1 if they have only constants in common)",
    )


def steps(several: Several) -> list[str]:
    """Every remainder of Euclid's algorithm, scaled."""
    lines = []
    found = list(several.polynomials[0])
    for each in several.polynomials[1:]:
        left, right = sorted((found, list(each)), key=len, reverse=True)
        while right:
            left, right = right, primitive(rest(left, right))
            if right:
                lines.append(f"A remainder, up to a factor: {written(right)}")
        found = primitive(left)
        lines.append(f"No remainder: the gcd so far is {written(found)}")
    return lines


def hardness(several: Several) -> float:
    return sum(
        len(each) + sum(len(str(abs(number))) for number in each) for each in several.polynomials
    )


def canon(several: Several) -> list[tuple[int, ...]]:
    return sorted(several.polynomials)


def twin(rng: Random, knobs: Knobs, several: Several) -> Several | None:
    """Another common part of the same degree, and other parts."""
    part = solve(several) or ()
    degree = max((powers[0] for powers, _ in part), default=0)
    new = _drawn(rng, knobs, degree) if degree else [1]
    found = tuple(
        tuple(product(new, _drawn(rng, knobs, len(each) - 1 - degree)))
        for each in several.polynomials
    )
    other = Several(found)
    whole = solve(other)
    same = whole and whole[0][0] == (degree,)
    return other if same and max(map(max, found)) > 1 else None


def _drawn(rng: Random, knobs: Knobs, degree: int) -> list[int]:
    middle = [rng.randint(-knobs.coefficient, knobs.coefficient) for _ in range(degree - 1)]
    if not degree:
        return [drawn(rng, knobs.coefficient)]
    return primitive([drawn(rng, knobs.coefficient), *middle, rng.randint(1, knobs.leading)])


def _mixed(one: list[int], other: list[int], times: int) -> list[int]:
    size = max(len(one), len(other))
    left, right = ([*each, *[0] * (size - len(each))] for each in (one, other))
    found = [a + times * b for a, b in zip(left, right)]
    while found and not found[-1]:
        found.pop()
    return found


LARGEST = 10**6
TRIES = 9
LADDER = (
    Knobs(1, 1, 9, 1, 2),
    Knobs(2, 1, 9, 3, 2),
    Knobs(2, 2, 10, 3, 2),
    Knobs(3, 3, 10, 3, 2),
    Knobs(4, 4, 12, 4, 3),
)
FAMILY = Family(
    Several,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Polynomial(),
    hardness=hardness,
    proof="unique",
    solver="Euclid's algorithm",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    inputs=("polynomials",),
    twin=twin,
    skills=("polynomials", "factoring", "divisibility"),
)
