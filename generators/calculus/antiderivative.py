"""Antiderivative: of a sum of powers of x, or of a product of such sums.

Any antiderivative will do. `solve` multiplies out and raises each power by one; `verify`
differentiates the answer and compares it with the integrand as it stands, not multiplied out.
"""

from dataclasses import dataclass, replace
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.algebra.derivative import derivative
from puzzlemill.core.answers.algebra.expr import Expr, same
from puzzlemill.core.answers.algebra.tree import (
    Node,
    Tree,
    add,
    apply,
    divide,
    multiply,
    power,
    rebuilt,
    root,
)
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.calculus._polynomials import joined

Shape = Literal["polynomial", "powers", "roots"]
Term: TypeAlias = tuple[int, int, int]  # a number times x to a numerator / a denominator


@dataclass(frozen=True, slots=True)
class Knobs:
    factors: int  # sums that are multiplied
    terms: int  # in each of them
    degree: int  # the largest exponent
    coefficient: int  # the largest
    shape: Shape  # whether exponents may be negative, and then halves and thirds


@dataclass(frozen=True, slots=True)
class Integrand:
    factors: tuple[tuple[Term, ...], ...]


def generate(rng: Random, knobs: Knobs) -> Integrand | None:
    factors = tuple(_factor(rng, knobs) for _ in range(knobs.factors))
    integrand = Integrand(factors)
    return integrand if len(_expanded(integrand)) > 1 else None


def solve(integrand: Integrand) -> Expr | None:
    """Multiply out; x^n becomes x^(n + 1) / (n + 1), and 1/x becomes ln x."""
    if any(abs(up) > BOUND or not 0 < down <= BOUND for _, up, down in _terms(integrand)):
        return None
    expanded = _expanded(integrand)
    return KIND.expr(add([_raised(number, exponent) for exponent, number in expanded]))


def verify(integrand: Integrand, answer: Expr) -> float:
    whole = multiply(*(_tree(factor) for factor in integrand.factors))
    slope = derivative(answer.tree, "x")
    if any(down > 1 for _, _, down in _terms(integrand)):
        whole, slope = _rooted(whole), _rooted(slope)
    return float(same(whole, slope, "positive"))


def render(integrand: Integrand, style: Style) -> Prompt:
    function = _text(integrand)
    simple = all(down == 1 and up >= 0 for _, up, down in _terms(integrand))
    question = style.pick(
        f"Find an antiderivative of f(x) = {function}.",
        f"Compute the indefinite integral of {function} with respect to x.",
        f"Find a function F(x) whose derivative is F'(x) = {function}.",
        f"Integrate with respect to x:\n\n{function}",
    )
    return Prompt(question if simple else f"{question}\n\nHere x > 0.", form=KIND.form)


def steps(integrand: Integrand) -> list[str]:
    expanded = _expanded(integrand)
    lines = []
    if len(integrand.factors) > 1:
        shown = joined([(number, _power(exponent)) for exponent, number in expanded])
        lines.append(f"Multiplied out: {shown}")
    for exponent, number in expanded:
        found = KIND.write(KIND.expr(_raised(number, exponent)))
        lines.append(f"{joined([(number, _power(exponent))])} has the antiderivative {found}")
    return lines


def hardness(integrand: Integrand) -> float:
    """Terms to integrate, each as dear as its exponent is strange, and products before that."""
    terms = _expanded(integrand)
    products = 1
    for factor in integrand.factors:
        products *= len(factor)
    strange = sum(exponent.denominator > 1 or exponent < 0 for exponent, _ in terms)
    digits = sum(len(str(abs(number))) for _, number in terms)
    return len(terms) + strange + digits + (products if len(integrand.factors) > 1 else 0)


def canon(integrand: Integrand) -> list[tuple[int, int, int]]:
    """Multiplied out."""
    return [(number, up.numerator, up.denominator) for up, number in _expanded(integrand)]


def twin(rng: Random, knobs: Knobs, integrand: Integrand) -> Integrand | None:
    """The same exponents with other numbers before them."""
    factors = tuple(
        tuple((_drawn(rng, knobs), up, down) for _, up, down in factor)
        for factor in integrand.factors
    )
    other = replace(integrand, factors=factors)
    return other if len(_expanded(other)) > 1 else None


def _factor(rng: Random, knobs: Knobs) -> tuple[Term, ...]:
    exponents: list[Fraction] = []
    lowest = 0 if knobs.shape == "polynomial" else -knobs.degree
    while len(exponents) < knobs.terms:
        exponent = Fraction(rng.randint(lowest, knobs.degree))
        if knobs.shape == "roots" and rng.random() < 0.5:
            below = rng.choice((2, 2, 3))
            exponent = Fraction(rng.randint(-knobs.degree, knobs.degree), below)
        if exponent not in exponents:
            exponents.append(exponent)
    exponents.sort(reverse=True)
    return tuple((_drawn(rng, knobs), up.numerator, up.denominator) for up in exponents)


def _drawn(rng: Random, knobs: Knobs) -> int:
    return rng.choice((1, 1, -1)) * rng.randint(1, knobs.coefficient)


def _terms(integrand: Integrand) -> list[Term]:
    return [term for factor in integrand.factors for term in factor]


def _expanded(integrand: Integrand) -> list[tuple[Fraction, int]]:
    """Exponents, the largest first, and the numbers before them."""
    found = {Fraction(0): 1}
    for factor in integrand.factors:
        longer: dict[Fraction, int] = {}
        for exponent, number in found.items():
            for own, up, down in factor:
                whole = exponent + Fraction(up, down)
                longer[whole] = longer.get(whole, 0) + number * own
        found = longer
    return sorted(((exponent, n) for exponent, n in found.items() if n), reverse=True)


def _raised(number: int, exponent: Fraction) -> Tree:
    """The antiderivative of one term."""
    if exponent == -1:
        return multiply(Fraction(number), apply("ln", "x"))
    return _scaled(number / (exponent + 1), exponent + 1)


def _tree(factor: tuple[Term, ...]) -> Tree:
    return add([_scaled(Fraction(number), Fraction(up, down)) for number, up, down in factor])


def _scaled(number: Fraction, exponent: Fraction) -> Tree:
    if not exponent:
        return number
    if exponent < 0:
        return divide(number, _x_to(-exponent))
    return multiply(number, _x_to(exponent))


def _x_to(exponent: Fraction) -> Tree:
    if exponent == 1:
        return "x"
    return root("x", 2) if exponent == Fraction(1, 2) else power("x", exponent)


def _rooted(tree: Tree) -> Tree:
    """The expression in the sixth root of x: then roots of x are powers, and comparing is quick."""
    if tree == "x":
        return power("x", SIXTH)
    if not isinstance(tree, Node) or not tree.parts:
        return tree
    first = tree.parts[0]
    if first == "x" and tree.sign in ("^", "root") and isinstance(tree.parts[1], Fraction):
        return power("x", SIXTH * tree.parts[1] if tree.sign == "^" else SIXTH / tree.parts[1])
    return rebuilt(tree.sign, [_rooted(part) for part in tree.parts])


def _text(integrand: Integrand) -> str:
    sums = [
        joined([(number, _shown(up, down)) for number, up, down in factor])
        for factor in integrand.factors
    ]
    if len(sums) == 1:
        return sums[0]
    return "*".join(f"({each})" for each in sums)


def _shown(up: int, down: int) -> str:
    """The power of x in a prompt."""
    if down == 1:
        return "" if not up else "x" if up == 1 else f"x^{up}" if up > 0 else f"x^({up})"
    return "sqrt(x)" if (up, down) == (1, 2) else f"x^({up}/{down})"


def _power(exponent: Fraction) -> str:
    return _shown(exponent.numerator, exponent.denominator)


BOUND = 1000  # of an exponent
SIXTH = Fraction(6)
KIND = answers.Expression(("x",), realm="positive", constant="C")
LADDER = (
    Knobs(1, 2, 4, 9, "polynomial"),
    Knobs(1, 3, 6, 15, "polynomial"),
    Knobs(2, 3, 6, 15, "polynomial"),
    Knobs(2, 3, 6, 15, "powers"),
    Knobs(2, 4, 6, 20, "roots"),
)
FAMILY = Family(
    Integrand,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=KIND,
    hardness=hardness,
    proof="unique",
    solver="the power rule, term by term",
    guess_rate=0.02,
    steps=steps,
    canon=canon,
    inputs=("factors",),
    twin=twin,
    skills=("integrals", "polynomials"),
    peers=("reasoning-gym/simple_integration", "RLVE/integral"),
    theme="antiderivatives",
)
