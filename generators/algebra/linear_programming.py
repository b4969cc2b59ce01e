"""Linear programming: the best value of a linear expression in two unknowns under inequalities.

Both unknowns are 0 or more, and in half of the puzzles whole numbers. `solve` looks at every corner
of the region, or at every whole x with the best y for it; `verify` cuts the region out of a large
square, inequality by inequality, or goes along every whole y.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._terms import total

Bound: TypeAlias = tuple[int, int, str, int]  # ax + by ≤ c: a, b, the sign, c
Corner: TypeAlias = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Knobs:
    bounds: int  # inequalities besides x ≥ 0 and y ≥ 0
    factor: int  # the largest coefficient
    size: int  # how far the region goes, more or less
    whole: float  # how often x and y must be whole
    turned: float  # how often an inequality says ≥, or has a negative coefficient


@dataclass(frozen=True, slots=True)
class Program:
    goal: tuple[int, int]
    largest: bool  # or the smallest value
    bounds: tuple[Bound, ...]
    whole: bool


def generate(rng: Random, knobs: Knobs) -> Program | None:
    largest = rng.random() < 0.7 or knobs.turned == 0
    whole = rng.random() < knobs.whole
    signs = ["≤"] + ["≥" if rng.random() < knobs.turned else "≤" for _ in range(knobs.bounds - 1)]
    if not largest:
        signs[-1] = "≥"
    shape = Program((1, 1), largest, tuple((1, 1, sign, 1) for sign in signs), whole)
    return twin(rng, knobs, shape)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(program: Program) -> Fraction | None:
    if program.whole:
        found = [_value(program, x, y) for x, y in _columns(program)]
    else:
        found = [_value(program, x, y) for x, y in _corners(program)] if _bounded(program) else []
    if not found:
        return None
    return Fraction(max(found) if program.largest else min(found))


def verify(program: Program, answer: Fraction) -> float:
    if not _bounded(program):
        return 0.0
    if program.whole:
        values = [_value(program, x, y) for x, y in _rows(program)]
    else:
        values = [_value(program, *corner) for corner in _cut(program)]
    if not values:
        return 0.0
    return float(answer == (max(values) if program.largest else min(values)))


def render(program: Program, style: Style) -> Prompt:
    goal = total(zip(program.goal, "xy"))
    lines = "\n".join(f"{total(zip((a, b), 'xy'))} {sign} {c}" for a, b, sign, c in program.bounds)
    lines += "\nx ≥ 0\ny ≥ 0"
    extreme = "largest" if program.largest else "smallest"
    kind = "integers" if program.whole else "real numbers"
    verb = "Maximise" if program.largest else "Minimise"
    return Prompt(
        style.pick(
            f"The {kind} x and y satisfy\n\n{lines}\n\nWhat is the {extreme} possible value of"
            f" {goal}?",
            f"{verb} {goal} over all {kind} x and y with\n\n{lines}\n\nWhat is the {extreme}"
            " value?",
            f"Find the {extreme} value that {goal} takes for {kind} x and y under these"
            f" conditions:\n\n{lines}",
        ),
        form=answers.Number().form,
    )


def steps(program: Program) -> list[str]:
    """The corners of the region, or the best y for each whole x."""
    goal = total(zip(program.goal, "xy"))
    if program.whole:
        found = sorted(
            _columns(program), key=lambda pair: _value(program, *pair), reverse=program.largest
        )
        lines = [f"x = {x}, y = {y}: {goal} = {_value(program, x, y)}" for x, y in found[:8]]
        lines.insert(0, "The best y for each x, the best pairs first:")
    else:
        corners = sorted(set(_corners(program)))
        lines = [f"Corner ({x}, {y}): {goal} = {_value(program, x, y)}" for x, y in corners]
    return [*lines, f"The {'largest' if program.largest else 'smallest'} value is {solve(program)}"]


def hardness(program: Program) -> float:
    digits = sum(len(str(one)) for bound in program.bounds for one in bound)
    return digits * (1.6 if program.whole else 1.0) + len(str(program.goal))


def twin(rng: Random, knobs: Knobs, program: Program) -> Program | None:
    for _ in range(TRIES):
        inside = rng.randint(1, knobs.size), rng.randint(1, knobs.size)
        bounds = []
        for place, (*_, sign, _) in enumerate(program.bounds):
            a, b = rng.randint(1, knobs.factor), rng.randint(1, knobs.factor)
            if place and rng.random() < knobs.turned:
                a, b = rng.choice(((-a, b), (a, -b)))
            slack = rng.randint(0, knobs.size)
            at_point = a * inside[0] + b * inside[1]
            bounds.append((a, b, sign, at_point + slack if sign == "≤" else at_point - slack))
        goal = rng.randint(1, knobs.factor + 2), rng.randint(1, knobs.factor + 2)
        if any(bound[3] == 0 for bound in bounds) or len(set(bounds)) < len(bounds):
            continue
        made = Program(goal, program.largest, tuple(bounds), program.whole)
        answer = solve(made)
        if answer and _told(made) and _matters(made, answer):
            return made
    return None


def _told(program: Program) -> bool:
    return max(*program.goal, *(one for a, b, _, c in program.bounds for one in (a, b, c))) >= 2


def _matters(program: Program, answer: Fraction) -> bool:
    """Whether whole numbers make a difference where they are asked for, and two bounds meet where
    they are not."""
    if program.whole:
        return solve(Program(program.goal, program.largest, program.bounds, False)) != answer
    axes = {_value(program, x, y) for x, y in _corners(program) if not x or not y}
    return len(program.bounds) < 2 or answer not in axes


def _value(program: Program, x: Fraction | int, y: Fraction | int) -> Fraction:
    return Fraction(program.goal[0] * x + program.goal[1] * y)


def _normal(program: Program) -> list[tuple[int, int, int]]:
    """Every inequality as ax + by ≤ c."""
    found = [(a, b, c) if sign == "≤" else (-a, -b, -c) for a, b, sign, c in program.bounds]
    return [*found, (-1, 0, 0), (0, -1, 0)]


def _bounded(program: Program) -> bool:
    """Whether some inequality alone keeps the region small."""
    return any(a > 0 and b > 0 and 0 <= c <= FARTHEST * min(a, b) for a, b, c in _normal(program))


def _corners(program: Program) -> Iterator[Corner]:
    sides = _normal(program)
    for (a, b, c), (d, e, f) in combinations(sides, 2):
        x, y, below = c * e - b * f, a * f - c * d, a * e - b * d
        if below < 0:
            x, y, below = -x, -y, -below
        if below and all(p * x + q * y <= r * below for p, q, r in sides):
            yield Fraction(x, below), Fraction(y, below)


def _columns(program: Program) -> Iterator[tuple[int, int]]:
    """For every whole x the best whole y."""
    if not _bounded(program):
        return
    sides = _normal(program)
    reach = min(c // a for a, b, c in sides if a > 0 and b > 0)
    for x in range(reach + 1):
        low, high = 0, FARTHEST
        for a, b, c in sides:
            left = c - a * x
            if b > 0:
                high = min(high, left // b)
            elif b < 0:
                low = max(low, -(left // -b))
            elif left < 0:
                high = -1
        if low <= high:
            yield x, high if (program.goal[1] > 0) == program.largest else low


def _rows(program: Program) -> Iterator[tuple[int, int]]:
    """For every whole y both ends of the whole x that it may stand with."""
    sides = _normal(program)
    closing = [
        (c // a, c // b) for a, b, c in sides if a > 0 and b > 0 and 0 <= c <= FARTHEST * min(a, b)
    ]
    wide, reach = (min(reaches) for reaches in zip(*closing))
    for y in range(reach + 1):
        fits = [x for x in range(wide + 1) if all(a * x + b * y <= c for a, b, c in sides)]
        if fits:
            yield fits[0], y
            yield fits[-1], y


def _cut(program: Program) -> list[Corner]:
    """The corners of what is left of a large square."""
    side = Fraction(2 * FARTHEST)
    region: list[Corner] = [(-side, -side), (side, -side), (side, side), (-side, side)]
    for a, b, c in _normal(program):
        left: list[Corner] = []
        for place, (x, y) in enumerate(region):
            before = region[place - 1]
            here, there = a * x + b * y - c, a * before[0] + b * before[1] - c
            if here * there < 0:
                share = there / (there - here)
                left.append(
                    (before[0] + (x - before[0]) * share, before[1] + (y - before[1]) * share)
                )
            if here <= 0:
                left.append((x, y))
        region = left
    return region


TRIES = 80
FARTHEST = 1000  # x and y stay below
LADDER = (
    Knobs(1, 4, 9, 0.0, 0.0),
    Knobs(2, 5, 12, 0.0, 0.0),
    Knobs(3, 7, 15, 0.3, 0.2),
    Knobs(4, 9, 20, 0.6, 0.4),
    Knobs(6, 13, 30, 0.8, 0.5),
)
FAMILY = Family(
    Program,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="all corners, or the best y for every whole x",
    guess_rate=0.05,
    steps=steps,
    inputs=("goal", "bounds"),
    twin=twin,
    skills=("inequalities", "coordinates", "calculation"),
)
