"""Inclusion and exclusion: how many numbers of a range are divisible by so many of some divisors?

`solve` adds and subtracts the multiples of least common multiples; `verify` goes through the range
and tallies the divisors of each number.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import comb, gcd, lcm
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed


@dataclass(frozen=True, slots=True)
class Knobs:
    divisors: int  # that are told
    largest: int  # the largest divisor
    range: int  # the end of the range, at most
    shared: float  # how often divisors that have a factor in common are preferred
    from_one: float  # how often the range begins at 1
    factor: float  # how often all numbers must have one more divisor


@dataclass(frozen=True, slots=True)
class Multiples:
    low: int
    high: int
    divisors: tuple[int, ...]
    how: str  # what is asked of the divisors
    number: int  # for "exactly" and "at least"; 0 elsewhere
    factor: int  # that all the numbers have; 1: nothing is asked


def generate(rng: Random, knobs: Knobs) -> Multiples | None:
    how = rng.choice(("none", "some", "exactly", "exactly", "at least", "odd"))
    number = 0
    if how in ("exactly", "at least"):
        number = rng.randint(1 if how == "exactly" else 2, max(2, knobs.divisors - 1))
    drawn = Multiples(1, 1, (), how, min(number, knobs.divisors), 1)
    return twin(rng, knobs, drawn)


def twin(rng: Random, knobs: Knobs, puzzle: Multiples) -> Multiples | None:
    """The same question about another range and other divisors."""
    high = rng.randint(knobs.range // 2, knobs.range)
    low = 1 if rng.random() < knobs.from_one else rng.randint(2, high // 2)
    divisors = tuple(sorted(rng.sample(range(2, knobs.largest + 1), knobs.divisors)))
    pairs = list(combinations(divisors, 2))
    if any(other % one == 0 for one, other in pairs):
        return None
    if rng.random() < knobs.shared and all(gcd(one, other) == 1 for one, other in pairs):
        return None
    factor = rng.randint(2, 9) if rng.random() < knobs.factor else 1
    if any(divisor % factor == 0 for divisor in divisors) and factor > 1:
        return None
    made = replace(puzzle, low=low, high=high, divisors=divisors, factor=factor)
    return made if (solve(made) or 0) > 2 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(puzzle: Multiples) -> int | None:
    """From how many multiples each set of divisors has in common."""
    if not 0 < puzzle.low <= puzzle.high <= MOST or min(*puzzle.divisors, puzzle.factor) < 1:
        return None
    shared = [
        sum(_multiples(puzzle, chosen) for chosen in combinations(puzzle.divisors, size))
        for size in range(len(puzzle.divisors) + 1)
    ]
    exactly: list[int] = [
        sum(
            (-1) ** (more - size) * comb(more, size) * shared[more]
            for more in range(size, len(shared))
        )
        for size in range(len(shared))
    ]
    match puzzle.how:
        case "none":
            return exactly[0]
        case "some":
            return sum(exactly[1:])
        case "odd":
            return sum(exactly[1::2])
        case "exactly":
            return exactly[puzzle.number] if puzzle.number < len(exactly) else 0
    return sum(exactly[puzzle.number :])


def verify(puzzle: Multiples, answer: int) -> float:
    return float(_tallied(puzzle) == answer)


def render(puzzle: Multiples, style: Style) -> Prompt:
    divisors = puzzle.divisors
    either = listed(map(str, divisors), "or")
    every = listed(map(str, divisors))
    what = {
        "none": f"not divisible by any of the numbers {every}",
        "some": f"divisible by at least one of the numbers {every}",
        "exactly": f"divisible by exactly {puzzle.number} of the {len(divisors)} numbers {every}",
        "at least": f"divisible by at least {puzzle.number} of the {len(divisors)} numbers {every}",
        "odd": f"divisible by an odd number of the {len(divisors)} numbers {every}",
    }[puzzle.how]
    if puzzle.how == "none" and len(divisors) == 2:
        what = f"divisible neither by {divisors[0]} nor by {divisors[1]}"
    if puzzle.how == "some" and len(divisors) == 2:
        what = f"divisible by {either} (or by both)"
    if puzzle.number == len(divisors):
        what = f"divisible by each of the numbers {every}"
    factor = f"divisible by {puzzle.factor}, and " if puzzle.factor > 1 else ""
    question = style.pick(
        f"How many integers from {puzzle.low} to {puzzle.high}, both included, are {factor}{what}?",
        f"Count the integers n with {puzzle.low} ≤ n ≤ {puzzle.high} that are {factor}{what}.",
        f"The integers {puzzle.low} to {puzzle.high} are written on a board, both ends included."
        f" All those that are {factor}{what} are underlined. How many are underlined?",
    )
    return Prompt(question, form="one integer")


def steps(puzzle: Multiples) -> list[str]:
    """The multiples that each set of divisors has in common, then the sum."""
    lines = []
    size = len(puzzle.divisors)
    for number in range(size + 1):
        said = [
            f"{lcm(puzzle.factor, *chosen)}: {_multiples(puzzle, chosen)}"
            for chosen in combinations(puzzle.divisors, number)
        ]
        total = sum(_multiples(puzzle, chosen) for chosen in combinations(puzzle.divisors, number))
        lines.append(
            f"Multiples in the range of every lcm of {number} of the divisors"
            f"{' with ' + str(puzzle.factor) if puzzle.factor > 1 else ''}: {', '.join(said)};"
            f" together S{number} = {total}"
        )
    signed = [
        f"{'-' if weight < 0 else '+'} {abs(weight)} * S{place}"
        for place, weight in enumerate(_weights(puzzle))
        if weight
    ]
    return [*lines, f"{' '.join(signed).removeprefix('+ ')} = {solve(puzzle)}"]


def hardness(puzzle: Multiples) -> float:
    """The sets of divisors, and the digits in which each is worked out."""
    hard = 1 + 0.3 * (puzzle.low > 1) + 0.3 * (puzzle.factor > 1) + 0.3 * (puzzle.number > 0)
    return (1 << len(puzzle.divisors)) * len(str(puzzle.high)) * hard


def canon(puzzle: Multiples) -> tuple[object, ...]:
    # "At least 2" and "exactly 2" of two divisors ask the same, and so do "odd" and "exactly 1".
    return puzzle.low, puzzle.high, puzzle.divisors, _counted(puzzle), puzzle.factor


def _multiples(puzzle: Multiples, chosen: tuple[int, ...]) -> int:
    shared = lcm(puzzle.factor, *chosen)
    return puzzle.high // shared - (puzzle.low - 1) // shared


def _weights(puzzle: Multiples) -> list[int]:
    """What each S counts for: from how often a number with j divisors is counted in it."""
    wanted = _counted(puzzle)
    return [
        sum((-1) ** (more - few) * comb(more, few) for few in wanted if few <= more)
        for more in range(len(puzzle.divisors) + 1)
    ]


def _counted(puzzle: Multiples) -> tuple[int, ...]:
    """By how many of the divisors a number that is counted may be divisible."""
    size = len(puzzle.divisors)
    match puzzle.how:
        case "none":
            return (0,)
        case "some":
            return tuple(range(1, size + 1))
        case "odd":
            return tuple(range(1, size + 1, 2))
        case "exactly":
            return (puzzle.number,)
    return tuple(range(puzzle.number, size + 1))


@lru_cache(maxsize=64)
def _tallied(puzzle: Multiples) -> int:
    tally = np.zeros(puzzle.high + 1, dtype=np.int8)
    for divisor in puzzle.divisors:
        tally[::divisor] += 1
    tally = tally[puzzle.low :]
    tally = tally[-puzzle.low % puzzle.factor :: puzzle.factor]
    wanted = {
        "none": tally == 0,
        "some": tally > 0,
        "odd": tally % 2 == 1,
        "exactly": tally == puzzle.number,
        "at least": tally >= puzzle.number,
    }[puzzle.how]
    return int(np.count_nonzero(wanted))


MOST = 1_000_000
LADDER = (
    Knobs(2, 9, 60, 0.0, 1.0, 0.0),
    Knobs(2, 20, 900, 0.3, 0.7, 0.0),
    Knobs(3, 20, 2000, 0.6, 0.5, 0.2),
    Knobs(4, 30, 9000, 0.8, 0.3, 0.3),
    Knobs(5, 40, 100000, 0.9, 0.2, 0.5),
)
FAMILY = Family(
    Multiples,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="inclusion and exclusion over least common multiples",
    guess_rate=0.12,
    steps=steps,
    canon=canon,
    inputs=("low", "high"),
    twin=twin,
    skills=("counting", "divisibility"),
    version=2,
)
