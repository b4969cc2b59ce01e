"""Divisors of a number that keep some conditions: how many there are, or their sum.

`solve` never lists them: each condition bounds the exponents of primes, so that number and sum are
products over the primes; what must not be a multiple is taken off. `verify` lists every divisor
and looks at it.
"""

from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import lcm, prod
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.prose import listed
from puzzlemill.generators.number_theory._numbers import Powers, factorised, powers_text

Condition: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    primes: int  # different ones
    exponent: int  # the largest
    conditions: int  # that the divisors must keep
    told: Literal["number", "powers"]  # how the number is given
    asked: Literal["number", "sum"]  # how many there are, or their sum


@dataclass(frozen=True, slots=True)
class Divisors:
    powers: Powers  # empty where the number is written out
    number: int  # 0 where it is given by its prime factorisation
    conditions: tuple[Condition, ...]
    asked: str


def generate(rng: Random, knobs: Knobs) -> Divisors | None:
    pool = ["multiple", "divides", rng.choice(("square", "cube")), *["not multiple"] * 3]
    kinds = rng.sample(pool, knobs.conditions)
    return _filled(rng, knobs, kinds)


def solve(divisors: Divisors) -> int | None:
    """A product over the primes, with and without what must not divide."""
    powers = _powers(divisors)
    if powers is None:
        return None
    barred = [number for kind, number in divisors.conditions if kind == "not multiple"]
    total = 0
    for size in range(len(barred) + 1):
        for chosen in combinations(barred, size):
            total += (-1) ** size * _counted(divisors, powers, reduce(lcm, chosen, 1))
    return total


def verify(divisors: Divisors, answer: int) -> float:
    found = [1]
    for prime, exponent in divisors.powers or factorised(divisors.number):
        found += [divisor * prime**times for divisor in found for times in range(1, exponent + 1)]
    kept = [divisor for divisor in found if _keeps(divisor, divisors.conditions)]
    return float(answer == (len(kept) if divisors.asked == "number" else sum(kept)))


def render(divisors: Divisors, style: Style) -> Prompt:
    number = powers_text(divisors.powers) if divisors.powers else f"{divisors.number}"
    which = listed([_condition(condition) for condition in divisors.conditions] or [""])
    that = f" that {which}" if which else ""
    if divisors.asked == "number":
        question = style.pick(
            f"How many positive divisors does {number} have{that}?",
            f"Let n = {number}. Count the positive divisors of n{that}.",
            f"Find the number of positive integers d that divide {number}{_and(which)}.",
        )
    else:
        question = style.pick(
            f"What is the sum of all positive divisors of {number}{that}?",
            f"Let n = {number}. Add up the positive divisors of n{that}.",
            f"Find the sum of all positive integers d that divide {number}{_and(which)}.",
        )
    if not divisors.conditions or style.phrasing % 2:
        question += " (1 and the number itself count as divisors.)"
    return Prompt(question, form="one non-negative integer, written out in full")


def steps(divisors: Divisors) -> list[str]:
    powers = _powers(divisors) or ()
    lines = [] if divisors.powers else [f"{divisors.number} = {powers_text(powers)}"]
    barred = [number for kind, number in divisors.conditions if kind == "not multiple"]
    for size in range(len(barred) + 1):
        for chosen in combinations(barred, size):
            common = reduce(lcm, chosen, 1)
            parts = [
                _sum_text(prime, exponents, divisors.asked)
                for prime, exponents in _exponents(divisors, powers, common)
            ]
            sign = "-" if size % 2 else "+"
            of = f"multiples of {common}: " if chosen else ""
            total = _counted(divisors, powers, common)
            lines.append(f"{sign} {of}{' * '.join(parts) or '1'} = {total}")
    return [*lines, f"in all {solve(divisors)}"]


def progress(divisors: Divisors, lines: Lines) -> float:
    return results_derived(FAMILY, divisors, lines)


def hardness(divisors: Divisors) -> float:
    """Primes and exponents, conditions, and the number's length where it is to be factorised."""
    powers = _powers(divisors) or ()
    size = sum(exponent for _, exponent in powers) + 2 * len(powers)
    extra = 6 * len(divisors.conditions) + (4 if divisors.asked == "sum" else 0)
    return size + extra


def canon(divisors: Divisors) -> list[object]:
    return [divisors.powers, divisors.number, sorted(divisors.conditions), divisors.asked]


def twin(rng: Random, knobs: Knobs, divisors: Divisors) -> Divisors | None:
    return _filled(rng, knobs, [kind for kind, _ in divisors.conditions])


def _filled(rng: Random, knobs: Knobs, kinds: list[str]) -> Divisors | None:
    primes = sorted(rng.sample(PRIMES[: 3 * knobs.primes - 2], knobs.primes))
    if knobs.told == "number":
        exponents = [1 + int(rng.random() ** 1.5 * knobs.exponent) for _ in primes]
    else:
        exponents = [rng.randint(1, knobs.exponent) for _ in primes]
    powers = tuple(zip(primes, exponents))
    number = prod(prime**exponent for prime, exponent in powers)
    conditions = []
    for kind in kinds:
        some = prod(prime ** rng.randint(0, max(1, exponent // 2)) for prime, exponent in powers)
        if kind == "divides":
            some *= prod(rng.choice(primes) for _ in range(2)) * rng.choice((1, 2, 6))
        if kind in ("multiple", "not multiple", "divides") and some < 2:
            return None
        conditions.append((kind, 0 if kind in ("square", "cube") else some))
    told: Powers = powers if knobs.told == "powers" else ()
    drawn = Divisors(told, 0 if told else number, tuple(conditions), knobs.asked)
    free = Divisors(told, 0 if told else number, (), knobs.asked)
    found = solve(drawn)
    if not found or len(set(conditions)) < len(conditions) or found > LONGEST:
        return None
    return None if conditions and (found < 5 or found == solve(free)) else drawn


def _powers(divisors: Divisors) -> Powers | None:
    """The prime factorisation; None where what is said to be one is not, or is too large."""
    if not divisors.powers:
        return factorised(divisors.number) if 0 < divisors.number <= LONGEST else None
    if any(not 1 <= exponent <= 30 for _, exponent in divisors.powers):
        return None
    if any(factorised(prime) != ((prime, 1),) for prime, _ in divisors.powers):
        return None
    many = prod(exponent + 1 for _, exponent in divisors.powers) > MANY
    different = len({prime for prime, _ in divisors.powers}) == len(divisors.powers)
    return divisors.powers if different and not many else None


def _exponents(divisors: Divisors, powers: Powers, common: int) -> list[tuple[int, range]]:
    """For each prime the exponents in divisors that are multiples of a number, as bidden."""
    found, step, needed = [], 1, common
    high = dict(powers)
    for kind, number in divisors.conditions:
        if kind == "multiple":
            needed = lcm(needed, number)
        elif kind == "divides":
            given = dict(factorised(number))
            high = {prime: min(exponent, given.get(prime, 0)) for prime, exponent in high.items()}
        elif kind in STEPS:
            step = lcm(step, STEPS[kind])
    low = dict(factorised(needed))
    if any(prime not in high for prime in low):
        return [(2, range(0))]
    for prime, most in high.items():
        least = -(-low.get(prime, 0) // step) * step
        found.append((prime, range(least, most + 1, step)))
    return found


def _counted(divisors: Divisors, powers: Powers, common: int) -> int:
    if divisors.asked == "number":
        return prod(len(exponents) for _, exponents in _exponents(divisors, powers, common))
    return prod(
        sum(prime**exponent for exponent in exponents)
        for prime, exponents in _exponents(divisors, powers, common)
    )


def _keeps(divisor: int, conditions: tuple[Condition, ...]) -> bool:
    for kind, number in conditions:
        match kind:
            case "multiple":
                kept = divisor % number == 0
            case "not multiple":
                kept = divisor % number != 0
            case "divides":
                kept = number % divisor == 0
            case _:
                root = round(divisor ** (1 / STEPS[kind]))
                kept = root ** STEPS[kind] == divisor
        if not kept:
            return False
    return True


def _condition(condition: Condition) -> str:
    kind, number = condition
    match kind:
        case "multiple":
            return f"are multiples of {number}"
        case "not multiple":
            return f"are not multiples of {number}"
        case "divides":
            return f"also divide {number}"
        case "square":
            return "are perfect squares"
        case _:
            return "are perfect cubes"


def _and(which: str) -> str:
    """The same of one divisor d after another."""
    return f" and that {which}" if which else ""


def _sum_text(prime: int, exponents: range, asked: str) -> str:
    if asked == "number":
        return str(len(exponents))
    return f"({' + '.join(str(prime**exponent) for exponent in exponents) or '0'})"


STEPS = {"square": 2, "cube": 3}
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23)
MANY = 20_000  # divisors that are listed
LONGEST = 10**15
LADDER = (
    Knobs(2, 3, 0, "number", "number"),
    Knobs(3, 6, 1, "number", "number"),
    Knobs(4, 6, 2, "powers", "number"),
    Knobs(4, 6, 3, "powers", "sum"),
    Knobs(5, 8, 4, "powers", "number"),
)
FAMILY = Family(
    Divisors,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="products over the primes, inclusion and exclusion",
    guess_rate=0.3,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("number", "conditions"),
    twin=twin,
    skills=("divisibility", "primes", "counting"),
    peers=("RLVE/sum_divisor_num",),
)
