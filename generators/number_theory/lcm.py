"""Least common multiple, and the least number of some kind that several numbers divide.

With a remainder, a bound or a power asked for, the numbers sought are still the multiples of one
number (or powers of such), plus the remainder. `solve` builds that one number from the largest
exponents of primes; `verify` starts from the answer and strips primes from it for as long as all
the numbers go into what is left.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd, lcm, prod
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.prose import listed
from puzzlemill.generators._misreadings import misreadings
from puzzlemill.generators.number_theory._numbers import factorised, powers_text


@dataclass(frozen=True, slots=True)
class Knobs:
    numbers: int  # whose multiple is asked for
    most: int  # the largest of them
    # the least multiple, one beyond a bound, one plus a remainder, or a power
    question: Literal["multiple", "beyond", "remainder", "power"]


@dataclass(frozen=True, slots=True)
class Multiple:
    numbers: tuple[int, ...]
    question: str
    beyond: int  # the answer is more than this; 0 where nothing is said of it
    remainder: int  # what each number leaves
    exponent: int  # 2: a square is asked for, 3: a cube; 1: any number


def generate(rng: Random, knobs: Knobs) -> Multiple | None:
    return _filled(rng, knobs, rng.choice((2, 3)) if knobs.question == "power" else 1)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(multiple: Multiple) -> int | None:
    """From the largest exponent of each prime, rounded up to one that a power may have."""
    root = prod(prime**exponent for prime, exponent in _root(multiple))
    if multiple.remainder >= min(multiple.numbers) or multiple.beyond < multiple.remainder:
        return None
    return _first(multiple, root)


def verify(multiple: Multiple, answer: int) -> float:
    size = answer - multiple.remainder
    if answer <= multiple.beyond or size < 1 or size >= 10**60:
        return 0.0
    root = _floor_root(size, multiple.exponent)
    if root**multiple.exponent != size or not _divided(multiple, root):
        return 0.0
    least = gcd(root, prod(multiple.numbers))
    for number in multiple.numbers:
        for prime, _ in factorised(number):
            while least % prime == 0 and _divided(multiple, least // prime):
                least //= prime
    before = (root - least) ** multiple.exponent + multiple.remainder
    return float(before <= multiple.beyond if multiple.beyond else root == least)


def render(multiple: Multiple, style: Style) -> Prompt:
    each = listed([f"{number}" for number in multiple.numbers])
    beyond, left = f"{multiple.beyond}", f"{multiple.remainder}"
    power = {2: "perfect square", 3: "perfect cube"}.get(multiple.exponent, "number")
    match multiple.question:
        case "multiple":
            question = style.pick(
                f"What is the least common multiple of {each}?",
                f"Find the smallest positive integer that is divisible by each of {each}.",
                f"Compute lcm({', '.join(f'{number}' for number in multiple.numbers)}).",
            )
        case "beyond":
            question = style.pick(
                f"What is the smallest integer greater than {beyond} that is divisible by each of"
                f" {each}?",
                f"Find the first number after {beyond} that is a common multiple of {each}.",
                f"A whole number is more than {beyond}, and all of {each} divide it. What is the"
                " least that it can be?",
            )
        case "remainder":
            question = style.pick(
                f"What is the smallest integer greater than {beyond} that leaves the remainder"
                f" {left} when it is divided by each of {each}?",
                f"Divided by any of {each}, a number leaves {left} over. The number is greater than"
                f" {beyond}. What is the smallest that it can be?",
                f"Find the first integer n after {beyond} for which n mod m = {left} for every m"
                f" among {each}.",
            )
        case _:
            question = style.pick(
                f"What is the smallest {power} greater than {beyond} that is divisible by each of"
                f" {each}?",
                f"A {power} is greater than {beyond} and a multiple of each of {each}. What is the"
                " least that it can be?",
                f"Find the first {power} after {beyond} into which all of {each} go without"
                " remainder.",
            )
    return Prompt(question, form="one positive integer, written out in full")


def steps(multiple: Multiple) -> list[str]:
    lines = [f"{number} = {powers_text(factorised(number))}" for number in multiple.numbers]
    root = _root(multiple)
    value = prod(prime**exponent for prime, exponent in root)
    if multiple.exponent > 1:
        lines.append(f"The number is x^{multiple.exponent} where x is a multiple of"
                     f" {powers_text(root)} = {value}")  # fmt: skip
    else:
        lines.append(f"The least common multiple is {powers_text(root)} = {value}")
    if multiple.beyond:
        found = solve(multiple) or 0
        times = _floor_root(found - multiple.remainder, multiple.exponent) // value
        lines.append(f"The first that is large enough is {times} * {value}, so {found}")
    return lines


def progress(multiple: Multiple, lines: Lines) -> float:
    return results_derived(FAMILY, multiple, lines)


def hardness(multiple: Multiple) -> float:
    """Digits of what is built, and what is asked for besides."""
    extra = {"multiple": 0, "beyond": 10, "remainder": 20, "power": 40}[multiple.question]
    found = prod(prime**exponent for prime, exponent in _root(multiple))
    return len(str(found)) + 2 * len(multiple.numbers) + extra


def canon(multiple: Multiple) -> list[object]:
    return [
        sorted(multiple.numbers),
        multiple.beyond,
        multiple.remainder,
        multiple.exponent,
    ]


def without(multiple: Multiple) -> Iterator[Multiple]:
    numbers = multiple.numbers
    for place in range(len(numbers)):
        yield replace(multiple, numbers=numbers[:place] + numbers[place + 1 :])


def twin(rng: Random, knobs: Knobs, multiple: Multiple) -> Multiple | None:
    return _filled(rng, knobs, multiple.exponent)


def _filled(rng: Random, knobs: Knobs, exponent: int) -> Multiple | None:
    """Numbers that have something in common, so that their product is not the answer."""
    shared = rng.choice((2, 3, 4, 5, 6))
    numbers = [shared * rng.randint(2, max(5, knobs.most // shared)) for _ in range(knobs.numbers)]
    if rng.random() < 0.5:
        numbers[-1] = rng.randint(4, knobs.most)
    numbers = rng.sample(numbers, len(numbers))
    if len(set(numbers)) < len(numbers):
        return None
    kind = knobs.question
    remainder = rng.randint(1, min(min(numbers) - 1, 30)) if kind == "remainder" else 0
    root = lcm(*[_base(number, exponent) for number in numbers])
    low, high = root**exponent, (root * (6 if exponent == 1 else 4)) ** exponent
    beyond = 0 if kind == "multiple" else rng.randint(low, high)
    drawn = Multiple(tuple(numbers), kind, beyond, remainder, exponent)
    return None if _idle(drawn) or (solve(drawn) or LONGEST) >= LONGEST else drawn


def _idle(multiple: Multiple) -> bool:
    """Whether one of the numbers changes nothing: the answer is the same without it."""
    found = solve(multiple)
    bases = [_base(number, multiple.exponent) for number in multiple.numbers]
    others = (lcm(*bases[:at], *bases[at + 1 :]) for at in range(len(bases)))
    return found is None or any(_first(multiple, root) == found for root in others)


@lru_cache(maxsize=1024)
def _base(number: int, exponent: int) -> int:
    """The least number whose power a number divides."""
    return prod([prime ** -(-power // exponent) for prime, power in factorised(number)])


def _first(multiple: Multiple, root: int) -> int:
    """The answer, where the numbers divide the powers of the multiples of a root."""
    times = _floor_root(multiple.beyond - multiple.remainder, multiple.exponent) // root + 1
    found: int = (root * times) ** multiple.exponent + multiple.remainder
    return found


def _misread(rng: Random, multiple: Multiple) -> Multiple | None:
    """One number for another that has as much in common with the others."""
    at, numbers = rng.randrange(len(multiple.numbers)), multiple.numbers
    shared = gcd(numbers[at], rng.choice([*numbers[:at], *numbers[at + 1 :]]))
    other = numbers[at] + rng.choice((-2, -1, 1, 2)) * shared
    if other < 2 or other in numbers:
        return None
    misread = replace(multiple, numbers=(*numbers[:at], other, *numbers[at + 1 :]))
    return None if _idle(misread) else misread


def _root(multiple: Multiple) -> tuple[tuple[int, int], ...]:
    """The least number whose power all the numbers divide."""
    largest: dict[int, int] = {}
    for number in multiple.numbers:
        for prime, exponent in factorised(number):
            largest[prime] = max(largest.get(prime, 0), -(-exponent // multiple.exponent))
    return tuple(sorted(largest.items()))


def _divided(multiple: Multiple, root: int) -> bool:
    power = root**multiple.exponent
    return not any(power % number for number in multiple.numbers)


def _floor_root(number: int, exponent: int) -> int:
    """The largest whole number whose power is no more than a number: Newton, from above."""
    if exponent == 1 or number < 1:
        return max(number, 0)
    root = 1 << -(-number.bit_length() // exponent)
    while (lower := ((exponent - 1) * root + number // root ** (exponent - 1)) // exponent) < root:
        root = lower
    return root


LONGEST = 10**15
LADDER = (
    Knobs(2, 30, "multiple"),
    Knobs(3, 200, "multiple"),
    Knobs(3, 200, "beyond"),
    Knobs(4, 200, "remainder"),
    Knobs(4, 300, "power"),
)
FAMILY = Family(
    Multiple,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="largest exponents of primes",
    guess_rate=0.13,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("numbers", "beyond", "remainder"),
    twin=twin,
    without=without,
    slips=misreadings(solve, _misread),
    slips_version=2,
    skills=("divisibility", "primes", "calculation"),
    peers=("reasoning-gym/lcm", "mathematics_dataset/lcm"),
    theme="common_divisors",
    version=3,
)
