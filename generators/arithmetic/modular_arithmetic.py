"""Modular arithmetic: the remainder of a sum of products of powers.

The numbers are far too long to write out. `solve` keeps every intermediate result below the modulus
and squares its way to each power; `verify` never squares: it splits the modulus into prime powers,
walks the powers of each base until they repeat, and asks that the answer agree with every part.
"""

from dataclasses import dataclass
from math import gcd
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived

Power: TypeAlias = tuple[int, int]  # base, exponent
Term: TypeAlias = tuple[str, tuple[Power, ...]]  # sign, factors


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # products that are added or subtracted
    factors: int  # powers in a product, at most
    base: int  # the largest base
    exponent: int  # the largest exponent
    modulus: int  # the largest modulus


@dataclass(frozen=True, slots=True)
class Residue:
    terms: tuple[Term, ...]  # the first one's sign is +
    modulus: int


def generate(rng: Random, knobs: Knobs) -> Residue:
    modulus = rng.randint(knobs.modulus // 2, knobs.modulus)
    terms = [
        (
            rng.choice("+-") if place else "+",
            tuple(
                _power(rng, knobs, modulus)
                for _ in range(rng.randint(min(knobs.factors, 2), knobs.factors))
            ),
        )
        for place in range(knobs.terms)
    ]
    return Residue(tuple(terms), modulus)


def solve(residue: Residue) -> int:
    """Reduce after every operation; a power by squaring, bit by bit."""
    total = 0
    for sign, factors in residue.terms:
        product = 1
        for base, exponent in factors:
            product = product * _squared(base, exponent, residue.modulus)[1] % residue.modulus
        total = (total + product if sign == "+" else total - product) % residue.modulus
    return total


def verify(residue: Residue, answer: int) -> float:
    if not 0 <= answer < residue.modulus:
        return 0.0
    parts = _prime_powers(residue.modulus)
    return float(all((_walked(residue.terms, part) - answer) % part == 0 for part in parts))


def render(residue: Residue, style: Style) -> Prompt:
    text = _text(residue)
    modulus = residue.modulus
    question = style.pick(
        f"What is the remainder when this number is divided by {modulus}?\n\n{text}",
        f"Compute ({text}) mod {modulus}.",
        f"Find the integer r with 0 ≤ r < {modulus} for which\n\n{text} ≡ r (mod {modulus}).",
    )
    if any(sign == "-" for sign, _ in residue.terms):
        question += f"\n\nA remainder is never negative: -1 leaves {modulus - 1}."
    return Prompt(question, form=f"one integer from 0 to {modulus - 1}")


def steps(residue: Residue) -> list[str]:
    """Every power by squaring, then every product, then the sum; all modulo the modulus."""
    lines = [f"Modulo {residue.modulus}:"]
    products: list[str] = []
    for sign, factors in residue.terms:
        values = []
        for base, exponent in factors:
            line, value = _squared(base, exponent, residue.modulus)
            lines += [line] if line else []
            values.append(value)
        product = values[0]
        for value in values[1:]:
            lines.append(f"{product} * {value} = {product * value % residue.modulus}")
            product = product * value % residue.modulus
        products += [sign, str(product)]
    return [*lines, f"{' '.join(products[1:])} = {solve(residue)}"]


def progress(residue: Residue, lines: Lines) -> float:
    return results_derived(FAMILY, residue, lines)


def hardness(residue: Residue) -> float:
    """Squarings and products, each as long as the modulus."""
    powers = [exponent for _, factors in residue.terms for _, exponent in factors]
    return len(str(residue.modulus)) * sum(1 + 2 * power.bit_length() for power in powers)


def canon(residue: Residue) -> tuple[int, list[tuple[str, list[Power]]]]:
    """Terms and factors in order of size."""
    return residue.modulus, sorted((sign, sorted(factors)) for sign, factors in residue.terms)


def _power(rng: Random, knobs: Knobs, modulus: int) -> Power:
    """A raised base has no factor in common with the modulus: its powers never sink to zero."""
    exponent = rng.randint(max(1, knobs.exponent // 2), knobs.exponent)
    bases = [
        base
        for base in range(2, knobs.base + 1)
        if base % modulus > 1 and (exponent == 1 or gcd(base, modulus) == 1)
    ]
    return rng.choice(bases), exponent


def _squared(base: int, exponent: int, modulus: int) -> tuple[str, int]:
    """A power by squaring: a line of working, empty where nothing is to be done, and the value."""
    square, result, said = base % modulus, 1, []
    for bit in range(exponent.bit_length()):
        if bit or square != base:
            said.append(f"{_written((base, 2**bit))} = {square}")
        if exponent >> bit & 1:
            result = result * square % modulus
        square = square * square % modulus
    if exponent.bit_count() > 1:
        said.append(f"{base}^{exponent} = {result}")
    return ", ".join(said), result


def _prime_powers(modulus: int) -> list[int]:
    """The powers of different primes whose product is the modulus."""
    parts, left = [], modulus
    for prime in range(2, modulus + 1):
        part = 1
        while left % prime == 0:
            left, part = left // prime, part * prime
        if part > 1:
            parts.append(part)
    return parts


def _walked(terms: tuple[Term, ...], modulus: int) -> int:
    total = 0
    for sign, factors in terms:
        product = 1 if sign == "+" else -1
        for base, exponent in factors:
            product *= _cycled(base, exponent, modulus)
        total += product
    return total


def _cycled(base: int, exponent: int, modulus: int) -> int:
    """A power modulo a small number: the powers run into a cycle, of fewer steps than that."""
    seen: dict[int, int] = {}
    power = 1 % modulus
    for done in range(exponent):
        if power in seen:
            length = done - seen[power]
            place = seen[power] + (exponent - seen[power]) % length
            return next(value for value, when in seen.items() if when == place)
        seen[power] = done
        power = power * base % modulus
    return power


def _written(power: Power) -> str:
    base, exponent = power
    return str(base) if exponent == 1 else f"{base}^{exponent}"


def _text(residue: Residue) -> str:
    words: list[str] = []
    for sign, factors in residue.terms:
        words += [sign, " * ".join(map(_written, factors))]
    return " ".join(words[1:])


LADDER = (
    Knobs(2, 1, 30, 1, 12),
    Knobs(2, 2, 30, 3, 20),
    Knobs(3, 2, 60, 12, 60),
    Knobs(4, 3, 200, 60, 300),
    Knobs(6, 3, 999, 1000, 3000),
)
FAMILY = Family(
    Residue,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    notation=lambda residue: answers.Integer(modulus=residue.modulus),
    hardness=hardness,
    proof="unique",
    solver="square and multiply",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("terms", "modulus"),
    redraws=True,
    skills=("number theory", "calculation"),
    peers=("RLVE/congruent_equation",),
)
