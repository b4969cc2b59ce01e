"""Number filtering: keep the numbers of a list that pass some tests.

Numbers may be written as fractions and decimals, and are compared by value. `solve` sieves the list
with one test after the other, in fractions; `verify` goes along the list and asks of each number
whether it had to be kept, in whole multiples of the finest unit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import lcm
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import states_followed

Kept: TypeAlias = tuple[Fraction, ...]
Test: TypeAlias = tuple[str, str, bool]  # which, compared with what, and whether to keep or remove

TRIES = 20
DENOMINATORS = (2, 3, 4, 5, 8, 10)
TESTS = {
    "above": "that are greater than {}",
    "below": "that are less than {}",
    "large": "whose absolute value is greater than {}",
    "rising": "that exceed the number directly before them by more than {} (the first number, with"
    " none before it, does not)",
    "paired": "whose sum with the number directly after them is less than {} (the last number,"
    " with none after it, has no such sum)",
}


@dataclass(frozen=True, slots=True)
class Knobs:
    numbers: int  # in the list
    tests: int  # that a number has to pass
    kinds: int  # of tests, how many may come
    most: int  # the largest value
    mixed: float  # share of the numbers that are not whole


@dataclass(frozen=True, slots=True)
class Sieve:
    numbers: tuple[str, ...]  # as they are written
    tests: tuple[Test, ...]


def generate(rng: Random, knobs: Knobs) -> Sieve | None:
    """With several tests, most lists have one that removes nothing more."""
    tried = (_drawn(rng, knobs) for _ in range(TRIES))
    return next((sieve for sieve in tried if sieve is not None), None)


def solve(sieve: Sieve) -> Kept:
    values = [_read(text) for text in sieve.numbers]
    return _sieved(values, [(_passing(values, *test[:2]), test[2]) for test in sieve.tests])


def _passing(values: list[Fraction], kind: str, text: str) -> set[int]:
    """The places of numbers that pass a test."""
    bound = _read(text)
    match kind:
        case "above":
            return {at for at, value in enumerate(values) if value > bound}
        case "below":
            return {at for at, value in enumerate(values) if value < bound}
        case "large":
            return {at for at, value in enumerate(values) if abs(value) > bound}
        case "rising":
            return {at for at in range(1, len(values)) if values[at] - values[at - 1] > bound}
    sums = [one + other for one, other in pairwise(values)]
    return {at for at, both in enumerate(sums) if both < bound}


def _sieved(values: list[Fraction], tests: Iterable[tuple[set[int], bool]]) -> Kept:
    places = set(range(len(values)))
    for passing, keep in tests:
        places = places & passing if keep else places - passing
    return tuple(values[at] for at in sorted(places))


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> Fraction:
    return Fraction(text)


def verify(sieve: Sieve, kept: Kept) -> float:
    texts = [*sieve.numbers, *(text for _, text, _ in sieve.tests)]
    unit = lcm(*(Fraction(text).denominator for text in texts))
    numbers = [int(Fraction(text) * unit) for text in texts[: len(sieve.numbers)]]
    right = []
    for at, number in enumerate(numbers):
        before = numbers[at - 1] if at else None
        after = numbers[at + 1] if at + 1 < len(numbers) else None
        if all(
            _passes(kind, int(Fraction(text) * unit), before, number, after) == keep
            for kind, text, keep in sieve.tests
        ):
            right.append(Fraction(number, unit))
    return float(list(kept) == right)


def render(sieve: Sieve, style: Style) -> Prompt:
    numbers = ", ".join(sieve.numbers)
    rules = "\n".join(
        f"- {'Keep only' if keep else 'Remove all'} numbers {TESTS[kind].format(text)}."
        for kind, text, keep in sieve.tests
    )
    always = ""
    if any(kind in ("rising", "paired") for kind, _, _ in sieve.tests):
        always = (
            " Before and after always refer to the list as it is given here, before anything is"
            " removed."
        )
    several = len(sieve.tests) > 1
    return Prompt(
        style.pick(
            f"Filter this list of numbers:\n{numbers}\n\n{rules}\n\n"
            + ("A number stays only if every one of these rules lets it stay." if several else "")
            + f"{always} Which numbers are left, in the order of the list?",
            f"Numbers: {numbers}\n\nApply "
            + (f"all of these rules:\n{rules}" if several else f"this rule:\n{rules}")
            + f"\n\nNumbers are compared by value, however they are written.{always} List what"
            " remains, in the original order.",
            f"{rules}\n\nDo this to the list {numbers} and say what is left of it, without changing"
            f" the order. If a number occurs more than once, each occurrence is judged for itself."
            f"{always}",
        )
        .replace("\n\n Which", "\n\nWhich")
        .replace("\n\n Before", "\n\nBefore"),
        form="the remaining numbers in order, separated by commas, such as 3, -1/2, 0.75",
    )


def steps(sieve: Sieve) -> list[str]:
    """What is left after each rule."""
    lines = []
    for count, (kind, text, keep) in enumerate(sieve.tests, 1):
        left = solve(Sieve(sieve.numbers, sieve.tests[:count]))
        said = f"{'keep' if keep else 'remove'} numbers {TESTS[kind].format(text)}"
        lines.append(f"{said}: {', '.join(map(str, left)) or 'nothing is left'}")
    return lines


def progress(sieve: Sieve, lines: Lines) -> float:
    return states_followed(FAMILY, sieve, lines)


def without(sieve: Sieve) -> Iterator[Sieve]:
    tests = sieve.tests
    return (replace(sieve, tests=tests[:place] + tests[place + 1 :]) for place in range(len(tests)))


def hardness(sieve: Sieve) -> float:
    """Numbers to look at, for each test; those that are not whole count twice."""
    return sum(1 + ("." in text or "/" in text) for text in sieve.numbers) * len(sieve.tests)


def _drawn(rng: Random, knobs: Knobs) -> Sieve | None:
    kinds = rng.sample(tuple(TESTS)[: knobs.kinds], min(knobs.tests, knobs.kinds))
    bounds = [_value(rng, knobs.most, knobs.mixed) for _ in kinds]
    texts = [
        _written(rng, abs(bound) / 2 if kind in ("large", "rising") else bound)
        for kind, bound in zip(kinds, bounds, strict=True)
    ]
    values: list[Fraction] = []
    while len(values) < knobs.numbers:
        value = _value(rng, knobs.most, knobs.mixed)
        if rng.random() < 0.3:  # close to a bound, so that it must be looked at twice
            step = Fraction(rng.randint(-3, 3), rng.choice(DENOMINATORS) if knobs.mixed else 1)
            value = _read(rng.choice(texts)) + step
        values.append(value)
    numbers = tuple(_written(rng, value) for value in values)
    tests: list[Test] = []
    sieves: list[tuple[set[int], bool]] = []
    for kind, text in zip(kinds, texts, strict=True):
        passing = _passing(values, kind, text)
        # Mostly what more numbers live through: after several tests some shall be left.
        keep = (2 * len(passing) > len(numbers)) == (rng.random() < 0.8)
        tests.append((kind, text, keep))
        sieves.append((passing, keep))
    kept = _sieved(values, sieves)
    if any(_sieved(values, sieves[:at] + sieves[at + 1 :]) == kept for at in range(len(sieves))):
        return None
    count = len(kept)
    right = max(2, knobs.numbers // 10) <= count <= knobs.numbers * 0.8
    return Sieve(numbers, tuple(tests)) if right else None


def _passes(kind: str, bound: int, before: int | None, number: int, after: int | None) -> bool:
    match kind:
        case "above":
            return number > bound
        case "below":
            return bound > number
        case "large":
            return not -bound <= number <= bound
        case "rising":
            return before is not None and number > before + bound
        case _:
            return after is not None and after + number < bound


def _value(rng: Random, most: int, mixed: float) -> Fraction:
    if rng.random() < mixed:
        denominator = rng.choice(DENOMINATORS)
        return Fraction(rng.randint(-most * denominator, most * denominator), denominator)
    return Fraction(rng.randint(-most, most))


def _written(rng: Random, value: Fraction) -> str:
    """As a decimal where that is exact, mostly; else as a fraction."""
    if value.denominator == 1:
        return str(value.numerator)
    if 1000 % value.denominator == 0 and rng.random() < 0.6:
        return f"{float(value):.3f}".rstrip("0")
    return str(value)


LADDER = (
    Knobs(7, 1, 2, 20, 0.0),
    Knobs(12, 2, 3, 20, 0.4),
    Knobs(18, 3, 4, 20, 0.7),
    Knobs(30, 4, 5, 20, 0.8),
    Knobs(60, 5, 5, 20, 1.0),
)
FAMILY = Family(
    Sieve,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.NumberList(),
    hardness=hardness,
    proof="unique",
    solver="a sieve for each test",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    without=without,
    skills=("comparison", "calculation"),
    peers=("reasoning-gym/number_filtering",),
    version=3,
)
