"""Bezout: whole numbers x, y, ... of bounded size with a*x + b*y + ... = c.

There are usually several answers, so `verify` puts them in. `solve` tries values for all but
two unknowns, and has the last two from Euclid's algorithm; `recheck` counts units off the total.
"""

from dataclasses import dataclass
from itertools import product
from math import gcd
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.prose import listed


@dataclass(frozen=True, slots=True)
class Knobs:
    unknowns: int  # of the equation
    factor: int  # the largest coefficient
    bound: int  # no unknown is further from 0


@dataclass(frozen=True, slots=True)
class Equation:
    factors: tuple[int, ...]
    total: int
    bound: int


def generate(rng: Random, knobs: Knobs) -> Equation | None:
    shared = rng.choice((1, 1, 2, 3, 5))
    low = max(2, knobs.factor // (4 * shared))
    factors = [shared * rng.randint(low, knobs.factor // shared) for _ in range(knobs.unknowns)]
    values = [rng.choice((-1, 1)) * rng.randint(1, knobs.bound) for _ in factors]
    total = sum(factor * value for factor, value in zip(factors, values))
    # not a multiple of a single coefficient that lies within the bounds
    easy = any(total % factor == 0 for factor in factors)
    if easy or len(set(factors)) < len(factors) or total < 1:
        return None
    return Equation(tuple(factors), total, knobs.bound)


def solve(equation: Equation) -> tuple[int, ...] | None:
    """Every choice of the first unknowns against what the last two can make up for."""
    *head, one, other = equation.factors
    bound = equation.bound
    if (2 * bound + 1) ** len(head) > TRIED or min(one, other) < 1:
        return None
    shared = gcd(one, other)
    step = other // shared
    inverse = pow(one // shared, -1, step) if step > 1 else 0
    for values in product(range(-bound, bound + 1), repeat=len(head)):
        missing = equation.total - sum(f * value for f, value in zip(head, values))
        if missing % shared:
            continue
        rest = missing // shared * inverse % step
        least = max(-bound, -((other * bound - missing) // one))  # x for which y is small enough
        x = least + (rest - least) % step
        if x <= bound and abs(y := (missing - one * x) // other) <= bound:
            return (*values, x, y)
    return None


def verify(equation: Equation, answer: tuple[int, ...]) -> float:
    if len(answer) != len(equation.factors) or any(abs(x) > equation.bound for x in answer):
        return 0.0
    return float(sum(f * x for f, x in zip(equation.factors, answer)) == equation.total)


def recheck(equation: Equation, answer: tuple[int, ...]) -> bool:
    """What remains of the total when each unknown's part is taken off, one unit at a time."""
    left, places = equation.total, list(answer)
    for factor in equation.factors:
        if not places or not -equation.bound <= places[0] <= equation.bound:
            return False
        value = places.pop(0)
        for _ in range(abs(value)):
            left -= factor if value > 0 else -factor
    return not places and left == 0


def render(equation: Equation, style: Style) -> Prompt:
    names = [*"xyzwuv"][: len(equation.factors)]
    sides = " + ".join(f"{factor}{name}" for factor, name in zip(equation.factors, names))
    text, bound = f"{sides} = {equation.total}", f"{equation.bound}"
    who = listed(names)
    question = style.pick(
        f"Find integers {who}, each from -{bound} to {bound}, such that {text}.",
        f"The equation {text} has solutions in integers of absolute value at most {bound}. Give one"
        f" of them: {who}.",
        f"Give one solution of {text} in integers {who}, each of absolute value at most"
        f" {bound}. They may be negative or zero.",
    )
    if style.phrasing % 2:
        question += " If there are several, any one will do."
    return Prompt(
        question, form=f"{len(names)} integers separated by commas, in the order {', '.join(names)}"
    )


def steps(equation: Equation) -> list[str]:
    """The first unknowns as found, and what Euclid's algorithm says of the last two."""
    found = solve(equation)
    if found is None:
        return ["too many to try"]
    *head, one, other = equation.factors
    lines = []
    left = equation.total - sum(factor * x for factor, x in zip(head, found))
    names = "xyzwuv"
    for name, factor, x in zip(names, head, found):
        lines.append(f"try {name} = {x}: {factor}{name} = {factor * x}")
    first, second = names[len(head)], names[len(head) + 1]
    lines.append(f"{one}{first} + {other}{second} = {left}")
    high, low = max(one, other), min(one, other)
    while low:
        lines.append(f"{high} = {high // low} * {low} + {high % low}")
        high, low = low, high % low
    lines.append(f"{first} = {found[-2]} and {second} = {found[-1]} fit")
    return lines


def progress(equation: Equation, lines: Lines) -> float:
    return results_derived(FAMILY, equation, lines)


def hardness(equation: Equation) -> float:
    """Digits of the coefficients, and values among which each unknown is to be found."""
    digits = sum(len(str(factor)) for factor in equation.factors)
    return digits * len(equation.factors) + len(str(equation.bound))


def canon(equation: Equation) -> list[object]:
    return [sorted(equation.factors), equation.total, equation.bound]


def twin(rng: Random, knobs: Knobs, equation: Equation) -> Equation | None:
    return generate(rng, knobs)


TRIED = 20_000
LADDER = (
    Knobs(2, 15, 6),
    Knobs(2, 150, 40),
    Knobs(2, 4000, 60),
    Knobs(3, 6000, 60),
    Knobs(4, 30_000, 60),
)
FAMILY = Family(
    Equation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    notation=lambda equation: answers.IntList(names=tuple("xyzwuv"[: len(equation.factors)])),
    hardness=hardness,
    solver="search over some unknowns, Euclid's algorithm for the last two",
    guess_rate=0.06,
    version=2,
    recheck=recheck,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("factors", "total"),
    twin=twin,
    skills=("divisibility", "equations"),
    peers=("RLVE/bezout_identity",),
)
