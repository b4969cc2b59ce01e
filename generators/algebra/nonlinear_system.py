"""Nonlinear system: two equations in x and y; all real solutions are wanted, and all are whole.

`solve` eliminates y by a resultant, takes its roots, and for each of them solves for y; it gives up
unless that proves that no real solution is missing. `verify` tries every pair of whole numbers in
a square around the origin.
"""

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._quotients import (
    Poly,
    common,
    plus,
    rational_roots,
    real_roots,
    times,
    trimmed,
)
from puzzlemill.generators.algebra._terms import drawn, total

Pair: TypeAlias = tuple[int, int]
Form: TypeAlias = tuple[Pair, ...]  # the powers of x and y in each term


@dataclass(frozen=True, slots=True)
class Knobs:
    forms: int  # how many pairs of forms there are to choose from
    easiest: int  # the first of them that is used
    factor: int  # the largest coefficient, where there are any
    value: int  # the largest in the solution that is drawn


@dataclass(frozen=True, slots=True)
class System:
    forms: tuple[Form, ...]
    factors: tuple[tuple[int, ...], ...]
    rights: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> System | None:
    forms = rng.choice(FORMS[min(knobs.easiest, knobs.forms - 1) : knobs.forms])
    if rng.random() < 0.5:
        forms = (forms[1], forms[0])
    return twin(rng, knobs, System(forms, (), ()))


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(system: System) -> tuple[Pair, ...] | None:
    if max(map(abs, system.rights)) > LARGEST:
        return None
    first, second = (_in_y(system, place) for place in (0, 1))
    eliminated = _resultant(first, second)
    if not eliminated:
        return None
    roots = rational_roots(eliminated)
    if roots is None or (len(roots[1]) > 1 and real_roots(roots[1])):
        return None
    found = []
    for x, _ in roots[0]:
        one, two = (_valued(side, x) for side in (first, second))
        shared = common(one, two) if one and two else one or two
        if not shared:
            return None
        ys = rational_roots(shared)
        if ys is None or (len(ys[1]) > 1 and real_roots(ys[1])):
            return None
        if ys[0] and (x.denominator > 1 or any(y.denominator > 1 for y, _ in ys[0])):
            return None
        found += [(int(x), int(y)) for y, _ in ys[0]]
    if not found or any(abs(one) > FARTHEST for pair in found for one in pair):
        return None
    return tuple(sorted(found))


def verify(system: System, answer: tuple[Pair, ...]) -> float:
    given = set(answer)
    if len(given) > 40 or not all(
        isinstance(one, int) and abs(one) <= FARTHEST for pair in given for one in pair
    ):
        return 0.0
    if not all(_holds(system, x, y) for x, y in given):
        return 0.0
    first, second = (
        sum(factor * _values(*powers) for powers, factor in zip(form, factors)) == right
        for form, factors, right in zip(system.forms, system.factors, system.rights)
    )
    found = np.argwhere(first & second) - FARTHEST
    return float(all((x, y) in given for x, y in found.tolist()))


def render(system: System, style: Style) -> Prompt:
    lines = "\n".join(
        f"{_text(form, factors)} = {right}"
        for form, factors, right in zip(system.forms, system.factors, system.rights)
    )
    return Prompt(
        style.pick(
            f"Find all pairs (x, y) of real numbers that satisfy both equations:\n\n{lines}",
            f"Solve the system over the real numbers:\n\n{lines}\n\nGive every solution (x, y).",
            f"Which pairs of real numbers (x, y) solve this system of equations?\n\n{lines}",
        )
        + "\n\nAll real solutions are pairs of integers.",
        form="all solutions as a list of pairs (x, y), such as (-7, 0), (0, -7)",
    )


def steps(system: System) -> list[str]:
    """The equation that is left without y, its roots, and what y is for each."""
    first, second = (_in_y(system, place) for place in (0, 1))
    eliminated = _resultant(first, second)
    roots = rational_roots(eliminated)
    assert roots is not None
    found = solve(system) or ()
    terms = [(one, len(eliminated) - 1 - place) for place, one in enumerate(eliminated)]
    text = total((one, f"x^{power}" if power > 1 else "x" * power) for one, power in terms)
    lines = [f"Without y: {text} = 0"]
    for x, _ in roots[0]:
        ys = [str(y) for one, y in found if one == x]
        lines.append(f"x = {x}: " + (f"y = {' or '.join(ys)}" if ys else "no real y fits both"))
    return lines


def hardness(system: System) -> float:
    degrees = [max(map(sum, form)) for form in system.forms]
    terms = sum(map(len, system.forms))
    digits = sum(len(str(one)) for factors in system.factors for one in factors)
    return 4.0 * degrees[0] * degrees[1] + terms + digits + len(str(system.rights))


def twin(rng: Random, knobs: Knobs, system: System) -> System | None:
    """Other numbers for the same forms."""
    for _ in range(TRIES):
        x, y = drawn(rng, knobs.value), drawn(rng, knobs.value)
        factors = tuple(
            tuple(_coefficient(rng, knobs, form, place) for place in range(len(form)))
            for form in system.forms
        )
        made = replace(system, factors=factors, rights=(0, 0))
        rights = tuple(_left(made, place, x, y) for place in (0, 1))
        made = replace(made, rights=rights)
        told = [one for row in factors for one in row] + list(rights)
        if max(told) >= 2 and solve(made) is not None:
            return made
    return None


def _coefficient(rng: Random, knobs: Knobs, form: Form, place: int) -> int:
    if knobs.factor < 2 or rng.random() < 0.4:
        return 1 if place == 0 else rng.choice((1, 1, -1))
    return rng.randint(1, knobs.factor) if place == 0 else drawn(rng, knobs.factor)


@cache
def _values(i: int, j: int) -> NDArray[np.int64]:
    """Powers of x, times powers of y, wherever a solution may lie."""
    line = np.arange(-FARTHEST, FARTHEST + 1, dtype=np.int64)
    values: NDArray[np.int64] = line[:, None] ** i * line**j
    values.setflags(write=False)
    return values


def _left(system: System, place: int, x: int, y: int) -> int:
    terms = zip(system.forms[place], system.factors[place])
    return sum(int(factor * x**i * y**j) for (i, j), factor in terms)


def _holds(system: System, x: int, y: int) -> bool:
    return all(_left(system, place, x, y) == system.rights[place] for place in (0, 1))


def _in_y(system: System, place: int) -> list[Poly]:
    """An equation as a polynomial in y, the highest power first, over polynomials in x."""
    form, factors = system.forms[place], system.factors[place]
    top = max(j for _, j in form)
    found: list[Poly] = [(0,)] * (top + 1)
    for (i, j), factor in zip(form, factors):
        found[top - j] = plus(found[top - j], (factor, *[0] * i))
    found[top] = plus(found[top], (-system.rights[place],))
    return found


def _resultant(first: list[Poly], second: list[Poly]) -> Poly:
    """The determinant of Sylvester's matrix; () where it is 0."""
    one, two = len(first) - 1, len(second) - 1
    zero: Poly = (0,)
    rows = [[zero] * shift + first + [zero] * (two - 1 - shift) for shift in range(two)]
    rows += [[zero] * shift + second + [zero] * (one - 1 - shift) for shift in range(one)]
    return trimmed(_determinant(rows))


def _determinant(rows: list[list[Poly]]) -> Poly:
    if not rows:
        return (1,)
    found: Poly = (0,)
    for place, row in enumerate(rows):
        if any(row[0]):
            rest = [other[1:] for index, other in enumerate(rows) if index != place]
            sign = (-1) ** place
            found = plus(found, times(times((sign,), row[0]), _determinant(rest)))
    return found


def _valued(side: list[Poly], x: Fraction) -> Poly:
    """The polynomial in y alone, in whole numbers, where x has a value."""
    top = max(len(one) for one in side) - 1
    above, below = x.numerator, x.denominator
    numbers = []
    for one in side:
        degree = len(one) - 1
        numbers.append(
            sum(c * above ** (degree - p) * below ** (top - degree + p) for p, c in enumerate(one))
        )
    return trimmed(tuple(numbers))


def _text(form: Form, factors: tuple[int, ...]) -> str:
    names = []
    for i, j in form:
        names.append("*".join(
            name + (f"^{power}" if power > 1 else "")
            for name, power in (("x", i), ("y", j)) if power
        ))  # fmt: skip
    names = ["xy" if name == "x*y" else name.replace("*", "") for name in names]
    return total(zip(factors, names))


LINE: Form = ((1, 0), (0, 1))
PRODUCT: Form = ((1, 1),)
SQUARES: Form = ((2, 0), (0, 2))
CONIC: Form = ((2, 0), (1, 1), (0, 2))
MIXED: Form = ((1, 0), (0, 1), (1, 1))
CIRCLE: Form = ((2, 0), (0, 2), (1, 0), (0, 1))
HALF: Form = ((2, 0), (1, 1))
CUBES: Form = ((3, 0), (0, 3))
CORNERS: Form = ((2, 1), (1, 2))
PARABOLA: Form = ((2, 0), (0, 1))
FORMS: tuple[tuple[Form, Form], ...] = (
    (LINE, PRODUCT),
    (LINE, SQUARES),
    (LINE, MIXED),
    (LINE, CONIC),
    (LINE, HALF),
    (LINE, CIRCLE),
    (PRODUCT, SQUARES),
    (MIXED, SQUARES),
    (PRODUCT, CONIC),
    (HALF, SQUARES),
    (LINE, CUBES),
    (MIXED, CORNERS),
    (CONIC, SQUARES),
    (PARABOLA, CIRCLE),
    (CONIC, CIRCLE),
    (CONIC, CONIC),
    (PRODUCT, CUBES),
    (CORNERS, CUBES),
)
TRIES = 60
FARTHEST = 25  # no solution is farther from 0
LARGEST = 10**5  # on the right side
LADDER = (
    Knobs(2, 0, 1, 9),
    Knobs(6, 0, 3, 9),
    Knobs(10, 2, 3, 10),
    Knobs(15, 6, 4, 12),
    Knobs(18, 11, 5, 12),
)
FAMILY = Family(
    System,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(
        ordered=False, form="pairs of integers, such as (-7, 0), (0, -7)", sides=("x", "y")
    ),
    hardness=hardness,
    proof="unique",
    solver="a resultant, its roots, and Sturm's theorem for what is left",
    guess_rate=0.05,
    steps=steps,
    inputs=("factors", "rights"),
    twin=twin,
    skills=("equations", "polynomials", "factoring"),
    peers=("reasoning-core/equation_system",),
    version=3,
)
