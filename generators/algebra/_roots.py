"""Roots of whole polynomials, exactly: factors are found near floating roots and then tried.

A factor counts only if it divides without remainder, so the floats decide nothing but where to
look; where they misled, a polynomial would count as irreducible that is not, and the count of real
roots by Sturm's chain, which the verifiers take, would tell.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import isqrt, lcm
from typing import TypeAlias

import numpy as np

from puzzlemill.core.answers import Expr, SolutionSet
from puzzlemill.core.answers.algebra.numeric import DIGITS
from puzzlemill.core.answers.algebra.tree import Tree, add, multiply, root
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._polynomials import (
    common,
    coprime,
    derivative,
    primitive,
    shared,
)

Factor: TypeAlias = tuple[list[int], int]  # and how often it divides
OneRoot: TypeAlias = tuple[Fraction, Fraction, int]  # first + second * sqrt(inside)

LARGEST = 10**40  # of a coefficient: beyond, floats do not reach
DEGREE = 24


def split(polynomial: Sequence[int]) -> list[Factor] | None:
    """The primitive irreducible factors of a polynomial that is not constant; None where one of
    them is of degree 4 or more, or it is too large."""
    left = primitive(polynomial)
    if len(left) > DEGREE or max(map(abs, left)) > LARGEST:
        return None
    simple = left
    if not coprime(left, slope := derivative(left)):
        simple = shared(left, common(left, slope)) or left
    factors = []
    for factor in _apart(simple):
        if len(factor) > 4:
            return None
        times = 0
        while (quotient := shared(left, factor)) is not None:
            left, times = quotient, times + 1
        factors.append((factor, times))
    return sorted(factors, key=lambda found: (len(found[0]), found[0][::-1]))


def _apart(simple: list[int]) -> Iterator[list[int]]:
    """The irreducible factors of a polynomial none of which divides it twice."""
    if len(simple) == 3:
        yield from _quadratic_factors(simple)
        return
    if len(simple) < 3:
        yield simple
        return
    roots = _floating(simple)
    size = 1
    while 2 * size < len(simple):
        for some in combinations(roots, size):
            factor = _near(some, simple[-1])
            if factor and (quotient := shared(simple, factor)) is not None:
                yield factor
                simple, roots = quotient, [each for each in roots if each not in some]
                break
        else:
            size += 1
    if len(simple) > 1:
        yield simple


def _floating(simple: list[int]) -> list[complex]:
    """All roots, nearly: the eigenvalues of the companion matrix."""
    size = len(simple) - 1
    matrix = np.diag(np.ones(size - 1), -1)
    matrix[0] = [-number / simple[-1] for number in simple[-2::-1]]
    return [complex(each) for each in np.linalg.eigvals(matrix)]


def _quadratic_factors(simple: list[int]) -> list[list[int]]:
    low, middle, high = simple
    inside = middle * middle - 4 * low * high
    if inside < 0 or (side := isqrt(inside)) ** 2 != inside:
        return [simple]
    return [primitive((middle + side, 2 * high)), primitive((middle - side, 2 * high))]


def _near(roots: tuple[complex, ...], top: int) -> list[int] | None:
    """The whole polynomial with nearly these roots that may divide one with this first number."""
    total = top * sum(roots)
    slack = 0.001 + 1e-9 * abs(total)
    if abs(total.imag) > slack or abs(total.real - round(total.real)) > slack:
        return None
    found = [complex(top)]
    for each in roots:
        found = [low - each * high for low, high in zip([0j, *found], [*found, 0j])]
    return primitive([round(number.real) for number in found])


def real_solutions(factors: Sequence[Factor]) -> SolutionSet | None:
    """The real roots of factors; None where one is of degree 3, and so has no short roots."""
    found: list[tuple[float, Tree]] = []
    for factor, _ in factors:
        if len(factor) == 4:
            return None
        found += [(about, tree) for about, tree in roots_of(factor) if isinstance(about, float)]
    return SolutionSet(tuple(Expr(tree) for _, tree in sorted(found, key=lambda pair: pair[0])))


def roots_of(factor: Sequence[int]) -> list[tuple[float | None, Tree]]:
    """The real roots of an irreducible polynomial of degree 1 or 2, and about where they are."""
    if len(factor) == 2:
        only = Fraction(-factor[0], factor[1])
        return [(float(only), only)]
    low, middle, high = factor
    inside = middle * middle - 4 * low * high
    if inside < 0:
        return []
    outer, inner = rooted(inside)
    return [
        (
            (-middle + sign * inside**0.5) / (2 * high),
            surd(Fraction(-middle, 2 * high), Fraction(sign * outer, 2 * high), inner),
        )
        for sign in (-1, 1)
    ]


def surd(first: Fraction, second: Fraction, inside: int) -> Tree:
    """first + second * sqrt(inside), as one writes it."""
    return add([first, multiply(second, root(Fraction(inside), 2))])


def rooted(number: int) -> tuple[int, int]:
    """The root of a positive number as a whole number times the root of one without squares."""
    outer, inner, step = 1, number, 2
    while step * step <= inner:
        while inner % (step * step) == 0:
            outer, inner = outer * step, inner // (step * step)
        step += 1
        if step > 1000:
            side = isqrt(inner)
            return (outer * side, 1) if side * side == inner else (outer, inner)
    return outer, inner


def is_root(polynomial: Sequence[int], number: Expr) -> bool:
    """Whether a number is a root: exactly where it has but one square root in it, else to a
    hundred digits."""
    exact = _one_root(number.tree)
    if exact is not None:
        return _vanishes(polynomial, exact)
    near = number.number(DIGITS)
    if near is None:
        return False
    found, size = near * 0, abs(near) * 0
    for each in reversed(polynomial):
        found, size = found * near + each, size * abs(near) + abs(each)
    return bool(abs(found) * 10 ** (DIGITS - 50) <= size)


def _vanishes(polynomial: Sequence[int], at: OneRoot) -> bool:
    """Horner's scheme in whole numbers: what is found is a + b * sqrt(inside), times a power."""
    first, second, inside = at
    below = lcm(first.denominator, second.denominator)
    left, right = int(first * below), int(second * below)
    a, b, scale = 0, 0, 1
    for number in reversed(polynomial):
        a, b = a * left + b * right * inside + number * scale, a * right + b * left
        scale *= below
    return a == 0 and b == 0


def _one_root(tree: Tree) -> OneRoot | None:
    """A number as first + second * sqrt(inside), where arithmetic shows it; inside is 0 or no
    square, and of no more than so many bits."""
    if isinstance(tree, Fraction):
        return tree, Fraction(0), 0
    if isinstance(tree, str):
        return None
    if tree.sign == "root" and tree.parts[1] == 2:
        return _square_root(_one_root(tree.parts[0]))
    if tree.sign not in ("+", "*", "/"):
        return None
    found: OneRoot | None = None
    for part in tree.parts:
        own = _one_root(part)
        if own is None:
            return None
        found = own if found is None else _combined(tree.sign, found, own)
        if found is None or max(each.numerator.bit_length() for each in found[:2]) > 2000:
            return None
    return found


def _square_root(of: OneRoot | None) -> OneRoot | None:
    if of is None or of[2] or of[0] < 0 or of[0].numerator.bit_length() > 60:
        return None
    inside = of[0].numerator * of[0].denominator
    outer, inner = rooted(inside)
    share = Fraction(outer, of[0].denominator)
    return (share, Fraction(0), 0) if inner <= 1 else (Fraction(0), share, inner)


def _combined(sign: str, one: OneRoot, other: OneRoot) -> OneRoot | None:
    inside = one[2] or other[2]
    if one[2] and other[2] and one[2] != other[2]:
        return None
    (a, b, _), (c, d, _) = one, other
    if sign == "+":
        a, b = a + c, b + d
    else:
        if sign == "/":
            norm = c * c - d * d * inside
            if not norm:
                return None
            c, d = c / norm, -d / norm
        a, b = a * c + b * d * inside, a * d + b * c
    return a, b, inside if b else 0
