"""Partial fractions: the numbers above the simple fractions into which a quotient falls apart.

`solve` brings all to one denominator and compares coefficients, which has one solution; `verify`
compares values at more places than two different quotients of this size can agree at.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.unknowns import Values
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.prose import listed
from puzzlemill.generators.algebra._matrices import solved
from puzzlemill.generators.algebra._polynomials import (
    drawn,
    product,
    trimmed,
    value,
    written,
)

Base: TypeAlias = tuple[tuple[int, ...], int]  # a factor below, from the constant upwards; power


@dataclass(frozen=True, slots=True)
class Knobs:
    linear: int  # different linear factors
    repeated: int  # the highest power of one of them
    quadratics: int  # factors without real root, at most
    number: int  # the largest above, and the largest root
    fractions: bool  # whether what is asked for may be fractions
    whole: int  # terms before the fractions: 1 for a number, 2 for ax + b


@dataclass(frozen=True, slots=True)
class Quotient:
    above: tuple[int, ...]  # from the constant upwards
    below: tuple[Base, ...]
    whole: int  # terms before the fractions
    factor: int  # a number below, before all factors


def generate(rng: Random, knobs: Knobs) -> Quotient | None:
    roots = rng.sample(range(-knobs.number, knobs.number + 1), knobs.linear)
    roots.sort(key=bool)  # a factor x goes first
    below: list[Base] = [((-root, 1), 1) for root in roots]
    if knobs.repeated > 1:
        below[0] = (below[0][0], knobs.repeated)
    for _ in range(rng.randint(max(0, knobs.quadratics - 1), knobs.quadratics)):
        middle = rng.choice((0, 0, rng.randint(-3, 3)))
        last = middle * middle // 4 + rng.randint(1, 5)
        if all(base[0] != (last, middle, 1) for base in below):
            below.append(((last, middle, 1), 1))
    return _filled(rng, knobs, tuple(below), rng.randint(0, knobs.whole))


def solve(quotient: Quotient) -> Values | None:
    parts = _parts(quotient)
    size = len(parts)
    if size > MOST or len(trimmed(quotient.above)) > size:
        return None
    # A row for each power of x: what each unknown brings to it, and what is there.
    rows = [
        [quotient.factor * part[row] if row < len(part) else 0 for part in parts]
        for row in range(size)
    ]
    found = solved(rows, [[each] for each in (*quotient.above, *[0] * size)][:size])
    return None if found is None else tuple(zip(NAMES, (row[0] for row in found)))


def verify(quotient: Quotient, answer: Values) -> float:
    values = dict(answer)
    size = quotient.whole + sum((len(base) - 1) * power for base, power in quotient.below)
    if size > len(NAMES) or tuple(values) != NAMES[:size]:
        return 0.0
    places = 0
    for place in range(3 * size + 9):
        floors = [value(base, place) for base, _ in quotient.below]
        if not all(floors):
            continue
        places += 1
        numbers = iter(values.values())
        total = sum((next(numbers) * place**up for up in _downwards(quotient.whole)), Fraction(0))
        under = quotient.factor
        for (base, power), floor in zip(quotient.below, floors):
            for step in range(1, power + 1):
                top = sum(next(numbers) * place**up for up in _downwards(len(base) - 1))
                total += top / Fraction(floor) ** step
            under *= floor**power
        if total * under != value(quotient.above, place):
            return 0.0
        if places > size:
            return 1.0
    return 0.0


def render(quotient: Quotient, style: Style) -> Prompt:
    below = "".join(_power(base, power) for base, power in quotient.below)
    factor = f"{quotient.factor}" if quotient.factor > 1 else ""
    shown = f"({written(quotient.above)})/({factor}{below})"
    pieces = _template(quotient)
    count = len(_parts(quotient))
    names = listed(NAMES[:count])
    equation = f"{shown} = {pieces}"
    question = style.pick(
        f"Find the numbers {names} for which\n\n{equation}\n\nholds for every x where both sides"
        " are defined.",
        f"The partial fraction decomposition of {shown} has the form\n\n{pieces}\n\nDetermine"
        f" {names}.",
        f"Decompose {shown} into partial fractions:\n\n{equation}\n\nWhat are the constants"
        f" {names}?",
    )
    example = ", ".join(f"{name} = ..." for name in NAMES[:count])
    return Prompt(
        question,
        form=f"the value of every constant, written as {example} (each value an integer or an exact"
        " fraction such as -3/2)",
    )


def steps(quotient: Quotient) -> list[str]:
    """The equations between coefficients, then their solution."""
    parts = _parts(quotient)
    lines = ["Multiply by the denominator and compare the coefficients of each power of x:"]
    for row in range(len(parts)):
        text = ""
        for name, part in zip(NAMES, parts):
            number = quotient.factor * part[row] if row < len(part) else 0
            if number:
                size = "" if abs(number) == 1 else f"{abs(number)}"
                sign = "-" if number < 0 else "+"
                text += f" {sign} {size}{name}" if text else f"{sign.strip('+')}{size}{name}"
        right = quotient.above[row] if row < len(quotient.above) else 0
        lines.append(f"x^{row}: {text or '0'} = {right}")
    return [*lines, answers.Unknowns().write(solve(quotient) or ())]


def progress(quotient: Quotient, lines: Lines) -> float:
    return states_followed(FAMILY, quotient, lines)


def hardness(quotient: Quotient) -> float:
    parts = _parts(quotient)
    return len(parts) ** 2 + sum(len(str(abs(number))) for number in quotient.above)


def canon(quotient: Quotient) -> tuple[tuple[int, ...], list[Base], int, int]:
    """The factors in an order of their own."""
    return quotient.above, sorted(quotient.below), quotient.whole, quotient.factor


def twin(rng: Random, knobs: Knobs, quotient: Quotient) -> Quotient | None:
    """Other linear factors, other numbers above."""
    linear = [base for base in quotient.below if len(base[0]) == 2]
    roots = rng.sample(range(-knobs.number, knobs.number + 1), len(linear))
    fresh = iter(sorted(roots, key=bool))
    below = tuple(
        ((-next(fresh), 1), power) if len(base) == 2 else (base, power)
        for base, power in quotient.below
    )
    return _filled(rng, knobs, below, quotient.whole)


def _filled(rng: Random, knobs: Knobs, below: tuple[Base, ...], whole: int) -> Quotient | None:
    """A quotient that falls apart into whole numbers and fractions drawn for it."""
    factor = rng.choice((1, 2, 3, 4)) if knobs.fractions else 1
    draft = Quotient((), below, whole, factor)
    parts = _parts(draft)
    if len(parts) > MOST:
        return None
    numbers = [drawn(rng, knobs.number * factor) for _ in parts]
    above = trimmed(
        sum(number * part[row] for number, part in zip(numbers, parts) if row < len(part))
        for row in range(max(map(len, parts)))
    )
    good = len(above) > 1 and max(above) > 1 and gcd(factor, *above) == 1
    return replace(draft, above=tuple(above)) if good else None


@lru_cache(maxsize=2)
def _parts(quotient: Quotient) -> list[list[int]]:
    """What stands, over the common denominator, above each unknown: powers of x before the
    fractions, then for each factor and power of it, the highest power of x first."""
    everything = product(*(base for base, power in quotient.below for _ in range(power)))
    found = [[*[0] * up, *everything] for up in _downwards(quotient.whole)]
    for place, (base, power) in enumerate(quotient.below):
        rest = [
            other
            for own, (other, times) in enumerate(quotient.below)
            if own != place
            for _ in range(times)
        ]
        for step in range(1, power + 1):
            under = product(*rest, *[base] * (power - step))
            found += [[*[0] * up, *under] for up in _downwards(len(base) - 1)]
    return found


def _downwards(count: int) -> range:
    return range(count - 1, -1, -1)


def _template(quotient: Quotient) -> str:
    """ax + b + c/(x - 1) + d/(x - 1)^2 + (fx + g)/(x^2 + 1)"""
    names = iter(NAMES)
    parts = [f"{next(names)}{'x' if up else ''}" for up in _downwards(quotient.whole)]
    for base, power in quotient.below:
        for step in range(1, power + 1):
            top = next(names)
            if len(base) == 3:
                top = f"({top}x + {next(names)})"
            parts.append(f"{top}/{_power(base, step)}")
    return " + ".join(parts)


def _power(base: tuple[int, ...], power: int) -> str:
    inside = written(base)
    return (inside if inside == "x" else f"({inside})") + (f"^{power}" if power > 1 else "")


NAMES = tuple("abcdfghjkmn")
MOST = len(NAMES)
LADDER = (
    Knobs(2, 1, 0, 5, False, 0),
    Knobs(3, 1, 0, 7, False, 0),
    Knobs(3, 2, 0, 9, True, 1),
    Knobs(3, 2, 1, 9, True, 2),
    Knobs(3, 3, 2, 9, True, 2),
)
FAMILY = Family(
    Quotient,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Unknowns(),
    hardness=hardness,
    proof="unique",
    solver="comparing coefficients",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("above",),
    twin=twin,
    skills=("polynomials", "fractions", "equations"),
)
