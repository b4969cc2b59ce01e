"""Binomial coefficients: the coefficient of one term in the expansion of a product of powers.

`solve` multiplies the factors out, truncating nothing but what cannot matter; `verify` sums the
multinomial coefficients of all ways to reach the term.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import comb, prod
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

Exponents: TypeAlias = tuple[int, ...]  # one for each letter; they may be negative
Term: TypeAlias = tuple[int, Exponents]  # coefficient first
Factor: TypeAlias = tuple[tuple[Term, ...], int]  # a sum, and the power to which it is raised
Sum: TypeAlias = dict[Exponents, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    factors: int  # powers of sums that are multiplied
    terms: int  # in a factor, at most
    power: int  # the largest exponent of a factor
    coefficient: int  # the largest in a factor
    letters: int  # at most
    inverse: float  # how often a term is divided by a power of its letter


@dataclass(frozen=True, slots=True)
class Expansion:
    letters: tuple[str, ...]
    factors: tuple[Factor, ...]
    target: Exponents


def generate(rng: Random, knobs: Knobs) -> Expansion | None:
    count = rng.randint(1, knobs.letters)
    letters = rng.choice([letters for letters in ALPHABETS if len(letters) >= count])[:count]
    drawn = []
    for place in range(knobs.factors):
        power = rng.randint(max(2, knobs.power * 2 // 3), knobs.power)
        drawn.append((_sum(rng, knobs, count), max(2, power // (1 if place == 0 else 2))))
    puzzle = Expansion(tuple(letters), tuple(drawn), ())
    expanded = _expanded(puzzle.factors, count)
    free = sum(len(terms) for terms, _ in puzzle.factors)
    inner = [
        target
        for target, value in sorted(expanded.items())
        if abs(value) > 3 and len(expanded) > free
    ]
    if not inner:
        return None
    constant = (0,) * count
    target = constant if constant in inner and rng.random() < 0.2 else rng.choice(inner)
    return Expansion(puzzle.letters, puzzle.factors, target)


def solve(puzzle: Expansion) -> int | None:
    """Multiply everything out."""
    if any(not 0 < power <= MOST for _, power in puzzle.factors):
        return None
    return _expanded(puzzle.factors, len(puzzle.letters)).get(puzzle.target, 0)


def verify(puzzle: Expansion, answer: int) -> float:
    return float(_gathered(puzzle) == answer)


def render(puzzle: Expansion, style: Style) -> Prompt:
    text = "*".join(
        f"({_sum_text(terms, puzzle.letters)})^{power}" for terms, power in puzzle.factors
    )
    term = _monomial(puzzle.target, puzzle.letters)
    if not any(puzzle.target):
        letters = " and ".join(puzzle.letters)
        question = style.pick(
            f"What is the constant term in the expansion of {text}?",
            f"Multiply out {text} and collect like terms. What is the term without"
            f" {letters.replace(' and ', ' or ')}?",
            f"Find the term that does not contain {letters.replace(' and ', ' or ')} in the"
            f" expansion of\n\n{text}",
        )
    else:
        question = style.pick(
            f"What is the coefficient of {term} in the expansion of {text}?",
            f"The product\n\n{text}\n\nis multiplied out, and like terms are collected. What"
            f" is the coefficient of {term} then?",
            f"Let c be the coefficient of {term} in {text}. Find c.",
        )
    return Prompt(question, form="one integer, with a minus sign if it is negative")


def hardness(puzzle: Expansion) -> float:
    """How many ways there are to choose terms from all factors, in logarithms of sorts."""
    size = sum(comb(power + len(terms) - 1, len(terms) - 1) for terms, power in puzzle.factors)
    return size * len(puzzle.factors) + 2 * len(str(solve(puzzle)))


def canon(puzzle: Expansion) -> tuple[object, ...]:
    """Without the names of the letters."""
    factors = sorted((sorted(terms), power) for terms, power in puzzle.factors)
    return len(puzzle.letters), factors, puzzle.target


def renamed(rng: Random, knobs: Knobs, puzzle: Expansion) -> Expansion | None:
    count = len(puzzle.letters)
    letters = rng.choice([letters for letters in ALPHABETS if len(letters) >= count])[:count]
    return Expansion(tuple(letters), puzzle.factors, puzzle.target)


def _sum(rng: Random, knobs: Knobs, letters: int) -> tuple[Term, ...]:
    """A sum of different monomials: a constant, or else one for each letter, and more."""
    size = rng.randint(2, knobs.terms)
    pool: list[Exponents] = []
    for place in range(letters):
        for exponent in (1, 2, 3) if letters == 1 else (1, 2):
            pool.append(tuple(exponent * (place == other) for other in range(letters)))
        if rng.random() < knobs.inverse:
            pool.append(tuple(-rng.randint(1, 2) * (place == other) for other in range(letters)))
    pool.append((0,) * letters)
    chosen = rng.sample(pool, min(size, len(pool)))
    ordered = sorted(chosen, reverse=True)
    values = [_coefficient(rng, knobs.coefficient) for _ in ordered]
    return tuple(zip((abs(values[0]), *values[1:]), ordered))


def _coefficient(rng: Random, most: int) -> int:
    return rng.choice((1, -1)) * rng.choice((1, rng.randint(1, most), rng.randint(1, most)))


@lru_cache(maxsize=2)
def _expanded(factors: tuple[Factor, ...], letters: int) -> Sum:
    product: Sum = {(0,) * letters: 1}
    for terms, power in factors:
        for _ in range(power):
            grown: Sum = {}
            for exponents, value in product.items():
                for coefficient, more in terms:
                    key = tuple(one + other for one, other in zip(exponents, more))
                    grown[key] = grown.get(key, 0) + value * coefficient
            product = grown
    return product


@lru_cache(maxsize=64)
def _gathered(puzzle: Expansion) -> int:
    """How often each term is taken from each factor, with its multinomial coefficient."""
    found: Sum = {(0,) * len(puzzle.letters): 1}
    for terms, power in puzzle.factors:
        ways: Sum = {}
        for taken in _compositions(power, len(terms)):
            key = tuple(
                sum(times * more[letter] for times, (_, more) in zip(taken, terms))
                for letter in range(len(puzzle.letters))
            )
            value = prod(coefficient**times for times, (coefficient, _) in zip(taken, terms))
            left = power
            for times in taken:
                value *= comb(left, times)
                left -= times
            ways[key] = ways.get(key, 0) + value
        joined: Sum = {}
        for one, value in found.items():
            for other, factor in ways.items():
                key = tuple(map(sum, zip(one, other)))
                joined[key] = joined.get(key, 0) + value * factor
        found = joined
    return found.get(puzzle.target, 0)


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _sum_text(terms: tuple[Term, ...], letters: tuple[str, ...]) -> str:
    said = []
    for coefficient, exponents in terms:
        size = abs(coefficient)
        positive = tuple(max(exponent, 0) for exponent in exponents)
        below = _monomial(tuple(max(-exponent, 0) for exponent in exponents), letters)
        above = _monomial(positive, letters)
        text = above if size == 1 and above else f"{size}{above}"
        said.append(f"{'-' if coefficient < 0 else '+'} {text}{f'/{below}' if below else ''}")
    return " ".join(said).removeprefix("+ ")


def _monomial(exponents: Exponents, letters: tuple[str, ...]) -> str:
    return "*".join(filter(bool, map(_power, letters, exponents)))


def _power(letter: str, exponent: int) -> str:
    if exponent in (0, 1):
        return letter * exponent
    return f"{letter}^{exponent}" if exponent > 0 else f"{letter}^({exponent})"


ALPHABETS = ("xyz", "abc", "uvw", "pqr", "t", "n")
MOST = 40
LADDER = (
    Knobs(1, 2, 5, 3, 1, 0.0),
    Knobs(1, 3, 7, 9, 2, 0.3),
    Knobs(1, 3, 10, 12, 2, 0.4),
    Knobs(2, 3, 10, 12, 2, 0.5),
    Knobs(3, 4, 10, 12, 2, 0.5),
)
FAMILY = Family(
    Expansion,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="multiplying out",
    guess_rate=0.17,
    canon=canon,
    renamed=renamed,
    redraws=True,
    skills=("polynomials", "counting"),
    peers=("mathematics_dataset/expand",),
    version=3,
)
