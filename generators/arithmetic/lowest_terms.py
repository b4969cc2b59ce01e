"""Lowest terms: a fraction, or a ratio of several numbers, reduced as far as it goes.

The answer is the list of its terms, since "6/8" is as much a right value as "3/4". `solve` finds
the common divisor by Euclid's steps; `verify` multiplies crosswise and asks that the first term be
the least that makes all the others whole.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import lcm, prod
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # numbers in the ratio; two of them may be a fraction
    size: int  # the largest term in lowest terms
    shared: int  # the largest prime factor of what is taken out
    factors: int  # primes in what is taken out, at most
    parts: Literal["whole", "fractions"]  # what the terms are


@dataclass(frozen=True, slots=True)
class Ratio:
    above: tuple[int, ...]  # the terms, or their numerators
    below: tuple[int, ...]  # empty, or their denominators
    look: int  # how the ratio is written, an index into LOOKS


def generate(rng: Random, knobs: Knobs) -> Ratio | None:
    terms = knobs.terms if knobs.terms == 2 else rng.randint(2, knobs.terms)
    look = rng.randrange(len(LOOKS))
    reduced = tuple(rng.randint(1, knobs.size) for _ in range(terms))
    if _divisor(reduced) > 1 or len(set(reduced)) < terms or reduced == (2, 3):
        return None
    primes = [prime for prime in PRIMES if prime <= knobs.shared]
    count = rng.randint(1 + knobs.factors // 2, knobs.factors)
    common = prod(rng.choice(primes[len(primes) // 3 :]) for _ in range(count))
    if knobs.parts == "whole":
        return Ratio(tuple(term * common for term in reduced), (), look)
    below = tuple(rng.randint(2, 12) for _ in reduced)
    shared = lcm(*below)
    above = [Fraction(term * common, shared) * each for term, each in zip(reduced, below)]
    scaled = shared // _divisor((shared, *(int(part * shared) for part in above)))
    numerators = tuple(int(part * scaled) for part in above)
    return Ratio(numerators, below, look)


def twin(rng: Random, knobs: Knobs, ratio: Ratio) -> Ratio | None:
    for _ in range(40):
        made = generate(rng, knobs)
        if made and len(made.above) == len(ratio.above) and bool(made.below) == bool(ratio.below):
            return Ratio(made.above, made.below, ratio.look)
    return None


def solve(ratio: Ratio) -> tuple[int, ...] | None:
    """Over one denominator first, then divided by the greatest common divisor."""
    if min(ratio.above + ratio.below) < 1:
        return None
    terms = _whole(ratio)
    shared = _divisor(terms)
    return tuple(term // shared for term in terms)


def verify(ratio: Ratio, answer: tuple[int, ...]) -> float:
    """The same ratio, term by term, and no smaller first term could be had."""
    below = ratio.below or (1,) * len(ratio.above)
    if len(answer) != len(ratio.above) or min(answer) < 1:
        return 0.0
    if max(answer) > max(ratio.above) * prod(below):
        return 0.0
    places = zip(answer, ratio.above, below)
    if any(
        one * over * under != other * above * beneath
        for (one, above, under), (other, over, beneath) in pairwise(places)
    ):
        return 0.0
    first, *others = answer
    return float(first == lcm(*(Fraction(term, first).denominator for term in others)))


def render(ratio: Ratio, style: Style) -> Prompt:
    text, count = _text(ratio), len(ratio.above)
    if count == 2 and not ratio.below:
        asked = style.pick(
            f"Write {text} as a fraction in lowest terms.",
            f"Reduce {text} to a fraction whose numerator and denominator have no common divisor"
            " but 1.",
            f"Which numerator and denominator does {text} have when written as a fraction in"
            " lowest terms?",
        )
        return Prompt(
            asked,
            form="two positive integers separated by a comma, the numerator and then the"
            " denominator of the reduced fraction: for 10/15 that would be 2, 3",
        )
    asked = style.pick(
        f"Simplify the ratio\n\n{text}\n\nto the smallest possible positive integers.",
        f"Write the ratio {text} in positive integers that have no common divisor but 1.",
        f"Which are the smallest positive integers whose ratio is {text}?",
    )
    return Prompt(
        asked,
        form=f"{COUNTS[count]} positive integers separated by commas, in the same order: for"
        f" {EXAMPLES[count]}",
    )


def steps(ratio: Ratio) -> list[str]:
    """Every division of Euclid's, then the terms divided."""
    terms = _whole(ratio)
    lines = []
    if ratio.below:
        shared = lcm(*ratio.below)
        lines.append(f"All times {shared}: {' : '.join(map(str, terms))}")
    shared = terms[0]
    for term in terms[1:]:
        one, other = max(shared, term), min(shared, term)
        while other:
            lines.append(f"{one} = {one // other} * {other} + {one % other}")
            one, other = other, one % other
        shared = one
    lines.append(f"The greatest common divisor is {shared}")
    return [*lines, " : ".join(str(term // shared) for term in terms)]


def progress(ratio: Ratio, lines: Lines) -> float:
    return results_derived(FAMILY, ratio, lines)


def hardness(ratio: Ratio) -> float:
    """The digits in Euclid's divisions."""
    return sum(char.isdigit() for line in steps(ratio) for char in line)


def canon(ratio: Ratio) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The terms; how they are written does not matter."""
    return ratio.above, ratio.below


def _whole(ratio: Ratio) -> tuple[int, ...]:
    if not ratio.below:
        return ratio.above
    shared = lcm(*ratio.below)
    return tuple(above * (shared // under) for above, under in zip(ratio.above, ratio.below))


def _divisor(terms: tuple[int, ...]) -> int:
    found = 0
    for term in terms:
        while term:
            found, term = term, found % term
    return found


def _text(ratio: Ratio) -> str:
    if ratio.below:
        return " : ".join(f"{above}/{below}" for above, below in zip(ratio.above, ratio.below))
    if len(ratio.above) > 2:
        return " : ".join(f"{term}" for term in ratio.above)
    first, second = ratio.above
    return LOOKS[ratio.look].format(first, second)


LOOKS = ("{}/{}", "{} ÷ {}", "{} : {}", "$\\frac{{{}}}{{{}}}$", "the quotient of {} and {}")
COUNTS = {2: "two", 3: "three", 4: "four", 5: "five"}
EXAMPLES = {
    2: "10 : 15 that would be 2, 3",
    3: "10 : 15 : 20 that would be 2, 3, 4",
    4: "10 : 15 : 20 : 35 that would be 2, 3, 4, 7",
    5: "10 : 15 : 20 : 35 : 5 that would be 2, 3, 4, 7, 1",
}
PRIMES = tuple(n for n in range(2, 1000) if all(n % d for d in range(2, int(n**0.5) + 1)))
LADDER = (
    Knobs(2, 12, 7, 1, "whole"),
    Knobs(2, 99, 31, 2, "whole"),
    Knobs(2, 999, 97, 2, "whole"),
    Knobs(3, 999, 97, 2, "fractions"),
    Knobs(5, 1999, 199, 2, "fractions"),
)
FAMILY = Family(
    Ratio,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(notations=("ratio",)),
    hardness=hardness,
    proof="unique",
    solver="Euclid's algorithm",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("above", "below"),
    twin=twin,
    skills=("fractions", "divisibility"),
    peers=("reasoning-gym/fraction_simplification",),
    version=3,
)
