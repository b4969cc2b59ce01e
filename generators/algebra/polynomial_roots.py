"""Polynomial roots: every real number at which two polynomials are equal.

The roots are rational, or rational plus a multiple of one square root. `solve` breaks the
difference into irreducible factors, and so has all roots; `verify` counts the real roots by Sturm's
chain and puts each number of the answer in.
"""

from dataclasses import dataclass
from math import isqrt
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers import SolutionSet
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.algebra._polynomials import (
    drawn,
    product,
    real_roots,
    redrawn,
    sum_of,
    written,
)
from puzzlemill.generators.algebra._roots import is_root, real_solutions, split


@dataclass(frozen=True, slots=True)
class Knobs:
    rational: int  # rational roots, at most
    root: int  # the largest numerator
    denominator: int  # the largest
    quadratics: int  # factors whose roots are not rational or not real, at most
    repeated: float  # how often a factor is there twice
    balanced: bool  # with terms on both sides


@dataclass(frozen=True, slots=True)
class Equation:
    left: tuple[int, ...]  # coefficients, from the constant upwards
    right: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Equation | None:
    factors = []
    fewest = knobs.rational - (knobs.quadratics > 0)
    for _ in range(rng.randint(fewest, knobs.rational)):
        below = rng.randint(1, knobs.denominator) if rng.random() < 0.5 else 1
        factors.append([drawn(rng, knobs.root), below])
    for _ in range(rng.randint(max(0, knobs.quadratics - 1), knobs.quadratics)):
        factors.append(_quadratic(rng, knobs, rng.random() < REAL))
    if rng.random() < knobs.repeated:
        factors.append(min(factors, key=len))
    left = product(*factors, [drawn(rng, 3)])
    if not 3 <= len(left) <= LONGEST:
        return None
    right: list[int] = []
    if knobs.balanced:
        right = [rng.choice((0, drawn(rng, 9))) for _ in range(rng.randint(2, len(left)))]
    equation = Equation(tuple(sum_of(left, right)), tuple(sum_of(right, [])))
    return equation if max(equation.left, default=0) > 1 else None


def solve(equation: Equation) -> SolutionSet | None:
    polynomial = sum_of(equation.left, equation.right, -1)
    factors = split(polynomial) if len(polynomial) > 1 else None
    return real_solutions(factors) if factors else None


def verify(equation: Equation, answer: SolutionSet) -> float:
    polynomial = sum_of(equation.left, equation.right, -1)
    if answer.everything or not polynomial or len(answer.numbers) != real_roots(polynomial):
        return 0.0
    return float(all(is_root(polynomial, number) for number in answer.numbers))


def render(equation: Equation, style: Style) -> Prompt:
    text = f"{written(equation.left)} = {written(equation.right)}"
    return Prompt(
        style.pick(
            f"Find all real solutions of the equation\n\n{text}",
            f"Solve for real x:\n\n{text}",
            f"For which real numbers x does {text} hold? Give every one of them.",
            f"The real number x satisfies\n\n{text}\n\nList every possible value of x.",
        ),
        form="all real solutions with exact values, each once, separated by commas, such as x = -7,"
        ' x = 2/9, x = 1 + sqrt(11), x = 1 - sqrt(11); or "no real solution"',
    )


def steps(equation: Equation) -> list[str]:
    """All on one side, then its factors, then their roots."""
    polynomial = sum_of(equation.left, equation.right, -1)
    lines = [f"{written(polynomial)} = 0"]
    for factor, times in split(polynomial) or ():
        often = f", {times} times" if times > 1 else ""
        lines.append(f"{written(factor)} is a factor{often}")
        if len(factor) == 3:
            inside = factor[1] ** 2 - 4 * factor[0] * factor[2]
            none = ": no real root" if inside < 0 else ""
            lines.append(f"its discriminant is {inside}{none}")
    found = solve(equation)
    return [*lines, answers.Solutions().write(found)] if found else lines


def hardness(equation: Equation) -> float:
    polynomial = sum_of(equation.left, equation.right, -1)
    digits = sum(len(str(abs(number))) for number in polynomial)
    surds = sum(len(factor) == 3 for factor, _ in split(polynomial) or ())
    return 2 * len(polynomial) + 6 * surds + digits + len(equation.right) / 2


def canon(equation: Equation) -> list[int]:
    """All on one side, the first coefficient positive."""
    polynomial = sum_of(equation.left, equation.right, -1)
    sign = 1 if polynomial[-1] > 0 else -1
    return [sign * number for number in polynomial]


def twin(rng: Random, knobs: Knobs, equation: Equation) -> Equation | None:
    """Other roots of the same sort, as often, and other terms on the right."""
    factors: list[list[int]] = []
    for factor, times in split(sum_of(equation.left, equation.right, -1)) or ():
        if len(factor) == 2:
            new = [drawn(rng, knobs.root), rng.randint(1, factor[1])]
        else:
            new = _quadratic(rng, knobs, factor[1] ** 2 > 4 * factor[0] * factor[2])
        factors += [new] * times
    right = redrawn(rng, equation.right, 9)
    other = Equation(tuple(sum_of(product(*factors, [drawn(rng, 3)]), right)), right)
    counts = {real_roots(sum_of(each.left, each.right, -1)) for each in (equation, other)}
    return other if len(counts) == 1 and max(other.left, default=0) > 1 else None


def _quadratic(rng: Random, knobs: Knobs, real: bool) -> list[int]:
    """Irreducible, with real roots or without."""
    for _ in range(40):
        first = rng.choice((1, 1, 2, 3)) if knobs.denominator > 1 else 1
        second, last = rng.randint(-knobs.root, knobs.root), drawn(rng, knobs.root)
        inside = second * second - 4 * first * last
        if (isqrt(inside) ** 2 != inside and real) if inside > 0 else not real:
            return [last, second, first]
    return [-2 if real else 2, 0, 1]


LONGEST = 9  # coefficients
REAL = 0.7  # how often the roots of a quadratic factor are real
LADDER = (
    Knobs(2, 5, 1, 0, 0.0, False),
    Knobs(3, 18, 4, 0, 0.1, True),
    Knobs(3, 18, 4, 1, 0.2, True),
    Knobs(3, 12, 4, 2, 0.3, True),
    Knobs(4, 12, 5, 3, 0.3, True),
)
FAMILY = Family(
    Equation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Solutions(),
    hardness=hardness,
    proof="unique",
    solver="irreducible factors",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    inputs=("left", "right"),
    twin=twin,
    skills=("polynomials", "equations", "factoring"),
    peers=("reasoning-gym/polynomial_equations", "mathematics_dataset/polynomial_roots"),
    theme="polynomial_factors",
    version=3,
)
