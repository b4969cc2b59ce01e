"""Greatest common divisor of several numbers, written out or as powers, products and factorials.

`solve` works every number out and divides with remainder, as Euclid did. `verify` never divides to
find a divisor: the answer must go into every number, and what is left of them must have nothing in
common, which halving and subtracting alone decide.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.prose import listed
from puzzlemill.generators.number_theory._numbers import Term, worth, written


@dataclass(frozen=True, slots=True)
class Knobs:
    numbers: int  # whose common divisor is asked for
    most: int  # the largest number that is written out
    shape: Literal["plain", "products", "expressions"]  # how the numbers are written


@dataclass(frozen=True, slots=True)
class Numbers:
    terms: tuple[Term, ...]


def generate(rng: Random, knobs: Knobs) -> Numbers | None:
    shapes = [rng.choice(SHAPES[knobs.shape]) for _ in range(knobs.numbers)]
    if (
        len(shapes) > 1 and shapes.count("gap") == 1
    ):  # a second one, so that they have much in common
        shapes[(shapes.index("gap") + 1) % len(shapes)] = "gap"
    return _filled(rng, knobs, shapes)


def solve(numbers: Numbers) -> int | None:
    """Divide with remainder, again and again."""
    values = _values(numbers)
    if not values:
        return None
    found = values[0]
    for value in values[1:]:
        while value:
            found, value = value, found % value
    return found


def verify(numbers: Numbers, answer: int) -> float:
    values = _values(numbers)
    if answer < 1 or any(value % answer for value in values):
        return 0.0
    found = 0
    for value in values:
        found = _halving(found, value // answer)
    return float(found == 1)


def render(numbers: Numbers, style: Style) -> Prompt:
    texts = [written(term) for term in numbers.terms]
    question = style.pick(
        f"What is the greatest common divisor of {listed(texts)}?",
        f"Find the largest whole number that divides each of {listed(texts)} without remainder.",
        f"Compute gcd({', '.join(texts)}).",
        f"{len(texts)} numbers are given: {'; '.join(texts)}. What is their highest common factor?",
    )
    if any(shape == "factorial" for shape, _ in numbers.terms):
        question += " (n! stands for 1 * 2 * ... * n.)"
    return Prompt(question, form="one positive integer, written out in full")


def steps(numbers: Numbers) -> list[str]:
    """Every division, number after number."""
    values = _values(numbers)
    lines = [
        f"{written(term)} = {value}"
        for term, value in zip(numbers.terms, values)
        if term[0] != "plain"
    ]
    found = values[0]
    for value in values[1:]:
        lines.append(f"gcd({found}, {value}):")
        while value:
            lines.append(f"{found} = {found // value} * {value} + {found % value}")
            found, value = value, found % value
        lines.append(f"so {found}")
    return lines


def progress(numbers: Numbers, lines: Lines) -> float:
    return results_derived(FAMILY, numbers, lines)


def hardness(numbers: Numbers) -> float:
    """Digits of all the numbers."""
    return sum(len(str(value)) for value in _values(numbers))


def canon(numbers: Numbers) -> list[Term]:
    return sorted(numbers.terms)


def without(numbers: Numbers) -> Iterator[Numbers]:
    terms = numbers.terms
    return (Numbers(terms[:place] + terms[place + 1 :]) for place in range(len(terms)))


def twin(rng: Random, knobs: Knobs, numbers: Numbers) -> Numbers | None:
    """Other numbers, written in the same ways."""
    return _filled(rng, knobs, [shape for shape, _ in numbers.terms])


def _filled(rng: Random, knobs: Knobs, shapes: list[str]) -> Numbers | None:
    """The first draw in which every number is needed; one in ten is, where they are products."""
    tried = (_drawn(rng, knobs, shapes) for _ in range(TRIES))
    return next((numbers for numbers in tried if numbers is not None), None)


def _drawn(rng: Random, knobs: Knobs, shapes: list[str]) -> Numbers | None:
    own = rng.sample(PRIMES, len(shapes))  # each number lacks one of them, and so is needed
    times = [prod(own) // lacking if len(own) > 2 else 1 for lacking in own]
    largest = min(int(knobs.most**0.6), knobs.most // ROOM // max(times))
    shared = rng.randint(2, max(2, largest))
    base = rng.choice(BASES)
    terms: list[Term] = []
    for place, shape in enumerate(shapes):
        match shape:
            case "plain":
                most = max(3, knobs.most // shared // times[place])
                drawn: tuple[int, ...] = (shared * times[place] * rng.randint(2, most),)
            case "power":
                drawn = (rng.choice(SMOOTH), rng.randint(3, 9))
            case "product":
                drawn = (rng.choice(SMOOTH), rng.randint(2, 5), rng.choice(SMOOTH))
            case "factorial":
                drawn = (rng.randint(7, 30),)
            case _:
                drawn = (base, rng.choice(EXPONENTS))
        terms.append((shape, drawn))
    numbers = Numbers(tuple(terms))
    values = _values(numbers)
    found = solve(numbers) or 1
    # neither trivial nor one of the numbers, and not so long that writing it is the task
    least = 2 if set(shapes) == {"plain"} else 16
    if any(shape == "plain" and drawn[0] > knobs.most for shape, drawn in terms):
        return None
    dull = found < least or found in values or found > LONGEST or len(set(terms)) < len(terms)
    return None if dull or any(solve(fewer) == found for fewer in without(numbers)) else numbers


def _values(numbers: Numbers) -> list[int]:
    """All the numbers, or nothing where one of them cannot be worked out."""
    values = [worth(term) for term in numbers.terms]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def _halving(one: int, other: int) -> int:
    """The greatest common divisor of an odd and any number, or of two; 0 counts as no number."""
    if not one or not other:
        return one or other
    twos = ((one | other) & -(one | other)).bit_length() - 1
    one >>= (one & -one).bit_length() - 1
    while other:
        other >>= (other & -other).bit_length() - 1
        if other < one:
            one, other = other, one
        other -= one
    return one << twos


SHAPES = {
    "plain": ("plain",),
    "products": ("product", "product", "power"),
    "expressions": ("product", "power", "factorial", "gap"),
}
SMOOTH = (
    *(6, 10, 12, 14, 15, 18, 20, 21, 22, 24, 26, 28, 30, 33, 35, 36, 40, 42, 44, 45, 48, 50, 52),
    *(54, 55, 56, 60, 63, 65, 66, 70, 72, 75, 77, 78, 80, 84, 88, 90, 91, 96, 98, 99, 105),
)
PRIMES = (2, 3, 5, 7)
LONGEST = 10**10
TRIES = 20
ROOM = 5  # multiples to choose from, or the same numbers would come again
BASES = range(2, 16)  # of gaps
# Exponents that often have much in common; with fewer, or fewer bases, the same gaps come again.
EXPONENTS = tuple(number for number in range(12, 61) if number % 4 == 0 or number % 6 == 0)
LADDER = (
    Knobs(2, 60, "plain"),
    Knobs(2, 5000, "plain"),
    Knobs(3, 30_000, "plain"),
    Knobs(3, 30_000, "products"),
    Knobs(3, 60_000, "expressions"),
)
FAMILY = Family(
    Numbers,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="division with remainder",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("terms",),
    twin=twin,
    without=without,
    skills=("divisibility", "calculation"),
    peers=("reasoning-gym/gcd", "mathematics_dataset/gcd"),
    theme="common_divisors",
    version=4,
)
