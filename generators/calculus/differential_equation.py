"""Differential equation: linear, with constant coefficients and starting values.

The answer is the solution as an expression. `solve` takes the roots of the characteristic equation
and undetermined coefficients; `verify` only puts the answer and its derivatives into the equation
and the starting values.
"""

from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.algebra.derivative import derivative
from puzzlemill.core.answers.algebra.expr import Expr
from puzzlemill.core.answers.algebra.tree import Node, Tree, add, multiply
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.calculus._numeric import agree, close, number, read, valued
from puzzlemill.generators.calculus._polynomials import Exact, joined
from puzzlemill.generators.calculus._polynomials import text as written
from puzzlemill.generators.calculus._polynomials import tree as polynomial_tree
from puzzlemill.generators.calculus._trees import simplified

Force: TypeAlias = tuple[tuple[int, ...], int]  # a polynomial times e^(rate x)


@dataclass(frozen=True, slots=True)
class Knobs:
    order: int  # of the highest derivative: 1 or 2
    forces: int  # terms on the right side
    degree: int  # of the polynomials in them, at most
    number: int  # the largest
    waves: bool  # whether the roots may be complex


@dataclass(frozen=True, slots=True)
class Equation:
    factors: tuple[int, ...]  # of y, y', ... ; the last one is 1
    forces: tuple[Force, ...]
    start: tuple[int, ...]  # y(0), y'(0)


def generate(rng: Random, knobs: Knobs) -> Equation:
    order = knobs.order
    if order == 1:
        factors: tuple[int, ...] = (_nonzero(rng, knobs.number), 1)
    elif knobs.waves and rng.random() < 0.4:
        middle, width = rng.randint(-3, 3), rng.randint(1, 5)
        factors = (middle * middle + width * width, 2 * middle, 1)
    else:
        one, other = (rng.randint(-min(knobs.number, 6), min(knobs.number, 6)) for _ in range(2))
        factors = (one * other, -one - other, 1)
    rates = rng.sample(range(-3, 4), knobs.forces)
    forces = tuple((_polynomial(rng, knobs), rate) for rate in rates)
    start = tuple(rng.randint(-knobs.number, knobs.number) for _ in range(order))
    if not forces and not any(start):
        start = (1, *start[1:])
    return Equation(factors, forces, start)


def solve(equation: Equation) -> Expr | None:
    """One solution for each force, then the free solution that mends the starting values."""
    if equation.factors[-1] != 1 or len(equation.factors) not in (2, 3):
        return None
    parts: list[Tree] = []
    low, slope = Fraction(0), Fraction(0)  # of the solutions for the forces, at 0
    for polynomial, rate in equation.forces:
        own = _forced(equation.factors, polynomial, rate)
        parts.append(multiply(polynomial_tree(own), _exponential(rate)))
        low += own[0]
        slope += rate * Fraction(own[0]) + (own[1] if len(own) > 1 else 0)
    left = [equation.start[0] - low, *(each - slope for each in equation.start[1:])]
    free = _free(equation.factors, left)
    return None if free is None else KIND.expr(simplified(add([*parts, free])))


def verify(equation: Equation, answer: Expr) -> float:
    slopes = [answer.tree]
    for _ in equation.start:
        slopes.append(derivative(slopes[-1], "x"))
    at = {"x": number(0, 40)}
    for slope, wanted in zip(slopes, equation.start):
        found = valued(slope, at, 40)
        if found is None or not close(found, number(wanted, 40), 25):
            return 0.0
    terms = zip(equation.factors, slopes)
    left = add([multiply(Fraction(factor), slope) for factor, slope in terms if factor])
    return float(agree(left, read(_right(equation))))


def render(equation: Equation, style: Style) -> Prompt:
    marks = ["y", "y'", "y''"]
    left = joined(list(zip(reversed(equation.factors), marks[len(equation.start) :: -1])))
    whole = f"{left} = {_right(equation)}"
    start = " and ".join(f"{mark}(0) = {value}" for mark, value in zip(marks, equation.start))
    return Prompt(
        style.pick(
            f"Solve the differential equation {whole} with {start}, where y is a function of x.",
            f"The function y(x) satisfies {whole} for all real x, and {start}. Find y(x).",
            f"Find the solution y(x) of the initial value problem\n\n{whole}, {start}.",
        ),
        form="y(x) as an expression in x, such as 3e^(2x) - x/2",
    )


def steps(equation: Equation) -> list[str]:
    lines = []
    for polynomial, rate in equation.forces:
        own = _forced(equation.factors, polynomial, rate)
        found = KIND.write(
            KIND.expr(simplified(multiply(polynomial_tree(own), _exponential(rate))))
        )
        lines.append(f"For {_force((polynomial, rate))} on the right, {found} is a solution")
    lines.append(f"Characteristic equation: {written(equation.factors, 'r')} = 0")
    gold = solve(equation)
    return [*lines, f"With the starting values: y = {KIND.write(gold)}"] if gold else lines


def hardness(equation: Equation) -> float:
    size = sum(2 + 3 * len(polynomial) + bool(rate) for polynomial, rate in equation.forces)
    return 10 * len(equation.start) + size


def _nonzero(rng: Random, most: int) -> int:
    return rng.choice([each for each in range(-most, most + 1) if each])


def _polynomial(rng: Random, knobs: Knobs) -> tuple[int, ...]:
    degree = rng.randint(0, knobs.degree)
    low = [rng.randint(-knobs.number, knobs.number) for _ in range(degree)]
    return (*low, _nonzero(rng, knobs.number))


def _forced(factors: tuple[int, ...], polynomial: tuple[int, ...], rate: int) -> list[Exact]:
    """q with y = q(x) e^(rate x): from its highest power downwards.

    With q, q', q'' the equation reads a q + b q' + q'' = polynomial, where a and b are the
    characteristic polynomial and its derivative at the rate; where a is 0, q' is found instead.
    """
    high = factors[2] if len(factors) > 2 else 0
    weights = [
        Fraction(factors[0] + factors[1] * rate + high * rate * rate),
        Fraction(factors[1] + 2 * high * rate),
        Fraction(high),
    ]
    lost = next(place for place, weight in enumerate(weights) if weight)
    found: list[Fraction] = [Fraction(0)] * (len(polynomial) + lost)
    for power in range(len(polynomial) - 1, -1, -1):
        rest = Fraction(polynomial[power])
        for order in range(lost + 1, 3):
            if power + order < len(found):
                rest -= weights[order] * found[power + order] * _falling(power + order, order)
        found[power + lost] = rest / (weights[lost] * _falling(power + lost, lost))
    return list(found)


def _falling(number: int, times: int) -> int:
    """number (number - 1) ..., so many factors."""
    found = 1
    for place in range(times):
        found *= number - place
    return found


def _free(factors: tuple[int, ...], start: list[Fraction]) -> Tree | None:
    """The solution with nothing on the right side."""
    if len(factors) == 2:
        return multiply(start[0], _exponential(-factors[0]))
    low, middle, _ = factors
    inside = middle * middle - 4 * low
    root = Fraction(-middle, 2)
    first, slope = start
    if inside == 0:
        return multiply(polynomial_tree([first, slope - root * first]), _exponential(root))
    width = Fraction(round(abs(inside) ** 0.5), 2)
    if 4 * width * width != abs(inside):
        return None
    side = (slope - root * first) / width
    if inside < 0:
        waves = add([multiply(first, _wave("cos", width)), multiply(side, _wave("sin", width))])
        return multiply(_exponential(root), waves)
    up, down = (first + side) / 2, (first - side) / 2
    return add(
        [multiply(up, _exponential(root + width)), multiply(down, _exponential(root - width))]
    )


def _exponential(rate: Exact) -> Tree:
    if not rate:
        return Fraction(1)
    return Node("^", (Node("e"), multiply(Fraction(rate), "x")))


def _wave(name: str, width: Fraction) -> Tree:
    return Node(name, (multiply(width, "x"),))


def _right(equation: Equation) -> str:
    return " + ".join(map(_force, equation.forces)).replace("+ -", "- ") or "0"


def _force(force: Force) -> str:
    polynomial, rate = force
    text = written(polynomial)
    if not rate:
        return f"({text})" if len([each for each in polynomial if each]) > 1 else text
    power = f"e^({written([0, rate])})"
    if text in ("1", "-1"):
        return f"{text[:-1]}{power}"
    return (
        f"({text})*{power}" if len([each for each in polynomial if each]) > 1 else f"{text}*{power}"
    )


KIND = answers.Expression(("x",))
LADDER = (
    Knobs(1, 0, 0, 6, False),
    Knobs(1, 1, 1, 9, False),
    Knobs(2, 1, 1, 9, False),
    Knobs(2, 2, 1, 9, True),
    Knobs(2, 3, 2, 12, True),
)
FAMILY = Family(
    Equation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=KIND,
    hardness=hardness,
    proof="unique",
    solver="characteristic roots and undetermined coefficients",
    guess_rate=0.02,
    steps=steps,
    redraws=True,
    skills=("derivatives", "equations", "functions"),
    version=2,
)
