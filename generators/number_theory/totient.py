"""Totients and their like: integers of an interval whose common divisor with m is given.

From 1 to m with common divisor 1, that is Euler's totient. `solve` counts multiples, with inclusion
and exclusion over the primes of m; `verify` counts the residues modulo m one by one, whole periods
at a time.
"""

from dataclasses import dataclass
from itertools import combinations
from math import gcd, prod
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.number_theory._numbers import factorised, powers_text, primes_up_to


@dataclass(frozen=True, slots=True)
class Knobs:
    primes: int  # different ones in m
    most: int  # the largest m
    reach: int  # the end of the interval, at most; not said where it is m itself
    # below m and coprime, in an interval and coprime, or with a given divisor
    question: Literal["totient", "coprime", "shared"]


@dataclass(frozen=True, slots=True)
class Interval:
    low: int
    high: int
    number: int  # m
    shared: int  # what the greatest common divisor with m has to be
    question: str


def generate(rng: Random, knobs: Knobs) -> Interval | None:
    small = primes_up_to(30)
    primes = rng.sample(small[: knobs.primes + 5], knobs.primes)
    number = prod(primes)
    shared = 1
    for _ in range(3):
        prime = rng.choice(primes)
        if number * prime <= knobs.most and rng.random() < 0.6:
            number *= prime
    if not 5 < number <= knobs.most:
        return None
    if knobs.question == "shared":
        shared = rng.choice([d for d in range(2, number) if number % d == 0 and number // d > 5])
    if knobs.question == "totient":
        return Interval(1, number, number, 1, knobs.question)
    low = 1 if knobs.question == "coprime" else rng.randint(2, max(3, knobs.reach // 3))
    high = rng.randint(knobs.reach // 2, knobs.reach)
    return Interval(low, high, number, shared, knobs.question)


def solve(interval: Interval) -> int | None:
    """Multiples of the given divisor, less those of its products with a prime, and so on."""
    low, high, number, shared, question = (
        interval.low,
        interval.high,
        interval.number,
        interval.shared,
        interval.question,
    )
    if question == "totient":
        low, high = 1, number
    if not 0 < low <= high or not 0 < number <= LARGEST or number % shared:
        return None
    primes = [prime for prime, _ in factorised(number // shared)]
    total = 0
    for size in range(len(primes) + 1):
        for chosen in combinations(primes, size):
            step = shared * prod(chosen)
            total += (-1) ** size * (high // step - (low - 1) // step)
    return total


def verify(interval: Interval, answer: int) -> float:
    number, question = interval.number, interval.question
    low, high = (1, number) if question == "totient" else (interval.low, interval.high)
    fits = [gcd(residue, number) == interval.shared for residue in range(number)]
    periods, rest = divmod(high - low + 1, number)
    count = periods * sum(fits) + sum(fits[(low + step) % number] for step in range(rest))
    return float(answer == count)


def render(interval: Interval, style: Style) -> Prompt:
    low, high = f"{interval.low}", f"{interval.high}"
    number, shared = f"{interval.number}", f"{interval.shared}"
    match interval.question:
        case "totient":
            question = style.pick(
                f"How many integers from 1 to {number} have no common divisor with {number} except"
                " 1?",
                f"What is the value of Euler's totient function at {number}? (It counts the"
                " integers from 1 to n that are coprime to n.)",
                f"Count the integers k with 1 <= k <= {number} and gcd(k, {number}) = 1.",
            )
        case "coprime":
            question = style.pick(
                f"How many integers from {low} to {high} (both included) have no common divisor"
                f" with {number} except 1?",
                f"Count the integers k with {low} <= k <= {high} and gcd(k, {number}) = 1.",
                f"How many of the numbers {low}, ..., {high} (both ends included) are coprime to"
                f" {number}?",
            )
        case _:
            question = style.pick(
                f"How many integers from {low} to {high} (both included) have {shared} as their"
                f" greatest common divisor with {number}?",
                f"Count the integers k with {low} <= k <= {high} and gcd(k, {number}) = {shared}.",
                f"For how many of the numbers k = {low}, ..., {high} (both ends included) is"
                f" {shared} the highest common factor of k and {number}?",
            )
    return Prompt(question, form="one non-negative integer")


def steps(interval: Interval) -> list[str]:
    """What is counted and taken off, term by term."""
    low, high = interval.low, interval.high
    number, shared = interval.number, interval.shared
    lines = [f"{number} = {powers_text(factorised(number))}"]
    if shared > 1:
        lines.append(f"k = {shared} * j, where j is coprime to {number // shared}")
    primes = [prime for prime, _ in factorised(number // shared)]
    for size in range(len(primes) + 1):
        for chosen in combinations(primes, size):
            step = shared * prod(chosen)
            count = high // step - (low - 1) // step
            lines.append(f"{'-' if size % 2 else '+'} multiples of {step}: {count}")
    return [*lines, f"in all {solve(interval)}"]


def progress(interval: Interval, lines: Lines) -> float:
    return results_derived(FAMILY, interval, lines)


def hardness(interval: Interval) -> float:
    """Terms of inclusion and exclusion, and the digits in them."""
    terms = 1 << len(factorised(interval.number // interval.shared))
    extra = {"totient": 0, "coprime": 4, "shared": 8}[interval.question]
    return terms + 3 * len(str(interval.high)) + extra


def twin(rng: Random, knobs: Knobs, interval: Interval) -> Interval | None:
    return generate(rng, knobs)


LARGEST = 50_000  # m, whose residues are counted
LADDER = (
    Knobs(1, 150, 150, "totient"),
    Knobs(2, 900, 5000, "coprime"),
    Knobs(3, 2500, 9000, "coprime"),
    Knobs(4, 9000, 20_000, "shared"),
    Knobs(5, 40_000, 10**9, "shared"),
)
FAMILY = Family(
    Interval,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="inclusion and exclusion over primes",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    inputs=("low", "high", "number", "shared"),
    twin=twin,
    skills=("divisibility", "primes", "counting"),
    peers=("RLVE/sum_phi_interval",),
    version=2,
)
