"""Sums of quotients of polynomials in x: their text, one fraction for them all, and its roots.

A polynomial is its coefficients, the highest power first and that one not 0; () is 0.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from math import gcd, isqrt, lcm
from typing import TypeAlias

from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.algebra._terms import powers

Poly: TypeAlias = tuple[int, ...]
# A number, and what it is multiplied with and divided by.
Quotient: TypeAlias = tuple[int, tuple[Poly, ...], tuple[Poly, ...]]
Quotients: TypeAlias = tuple[Quotient, ...]
Exact: TypeAlias = Sequence[Fraction | int]

LARGEST = 10**6  # an end coefficient whose divisors are looked through


def shown(quotients: Quotients) -> str:
    """3/(x - 2) - (x + 1)/((x - 2)(x + 3)) + 4"""
    text = ""
    for number, above, below in quotients:
        size = number if number > 0 else -number
        alone = number == 1 and len(above) == 1 and not below
        top = _factors(above)
        if above and len(above) == 1 and (alone or (size == 1 and above[0] == (1, 0))):
            top = powers(above[0], "x")
        top = top if top and size == 1 else f"{size}{top}"
        bottom = _factors(below)
        if len(below) > 1 or below == ((1, 0),):
            bottom = f"({bottom})" if len(below) > 1 else "x"
        text += (f" {'-' if number < 0 else '+'} " if text else "-" * (number < 0)) + top
        text += f"/{bottom}" if below else ""
    return text or "0"


def _factors(polynomials: tuple[Poly, ...]) -> str:
    """(x - 2)^2(x + 3)"""
    text = ""
    for factor, group in groupby(polynomials):
        count = len(list(group))
        base = "x" if factor == (1, 0) else f"({powers(factor, 'x')})"
        text += base + (f"^{count}" if count > 1 else "")
    return text


def joined(left: Quotients, right: Quotients) -> tuple[Poly, Poly]:
    """Numerator and denominator of the left side less the right side; not in lowest terms, so that
    the denominator is 0 wherever one of theirs is."""
    above: Poly = (0,)
    below: Poly = (1,)
    sides = [(1, quotient) for quotient in left] + [(-1, quotient) for quotient in right]
    for sign, (number, over, under) in sides:
        top = product([(sign * number,), *over])
        bottom = product(under)
        above = plus(times(above, bottom), times(top, below))
        below = times(below, bottom)
    return trimmed(above), trimmed(below)


def product(polynomials: Iterable[Poly]) -> Poly:
    found: Poly = (1,)
    for polynomial in polynomials:
        found = times(found, polynomial)
    return found


def times(one: Poly, other: Poly) -> Poly:
    found = [0] * (len(one) + len(other) - 1)
    for place, left in enumerate(one):
        for shift, right in enumerate(other):
            found[place + shift] += left * right
    return tuple(found)


def plus(one: Poly, other: Poly) -> Poly:
    size = max(len(one), len(other))
    both = zip((0,) * (size - len(one)) + one, (0,) * (size - len(other)) + other)
    return tuple(left + right for left, right in both)


def trimmed(polynomial: Poly) -> Poly:
    """Without zeros in front and in whole numbers without a common divisor."""
    start = next((place for place, one in enumerate(polynomial) if one), len(polynomial))
    divisor = gcd(*polynomial) or 1
    return tuple(one // divisor for one in polynomial[start:])


def at(polynomial: Poly, value: Fraction) -> Fraction:
    """The value at a number, in whole numbers until the end."""
    above, below = value.numerator, value.denominator
    whole, power = 0, 1
    for coefficient in polynomial:
        whole = whole * above + coefficient * power
        power *= below
    return Fraction(whole * below, power)


def rational_roots(polynomial: Poly) -> tuple[list[tuple[Fraction, int]], Poly] | None:
    """The rational roots, ascending, each with its multiplicity, and what is left without them;
    None where the ends are too large to be looked through."""
    found: dict[Fraction, int] = {}
    left = trimmed(polynomial)
    while len(left) > 1 and not left[-1]:
        found[Fraction(0)] = found.get(Fraction(0), 0) + 1
        left = left[:-1]
    if len(left) == 3:
        return _quadratic(left, found)
    if len(left) > 1 and max(abs(left[0]), abs(left[-1])) > LARGEST:
        return None
    if len(left) > 1:
        lows, highs = _divisors(abs(left[0])), _divisors(abs(left[-1]))
        # What has the root a/b, bx - a, divides the polynomial also where x is 1 or -1.
        plus_one, minus_one = sum(left), sum(left[-1::-2]) - sum(left[-2::-2])
        for below in lows:
            for above in (sign * size for size in highs for sign in (1, -1)):
                if not (_divides(below - above, plus_one) and _divides(below + above, minus_one)):
                    continue
                root = Fraction(above, below)
                while len(left) > 1 and (rest := _without(left, root)) is not None:
                    found[root] = found.get(root, 0) + 1
                    left = rest
    return sorted(found.items()), left


def _quadratic(left: Poly, found: dict[Fraction, int]) -> tuple[list[tuple[Fraction, int]], Poly]:
    a, b, c = left
    inner = b * b - 4 * a * c
    if inner < 0 or isqrt(inner) ** 2 != inner:
        return sorted(found.items()), left
    for sign in (1, -1):
        root = Fraction(-b + sign * isqrt(inner), 2 * a)
        found[root] = found.get(root, 0) + 1
    return sorted(found.items()), (1,)


def _without(polynomial: Poly, root: Fraction) -> Poly | None:
    """The polynomial divided by what has that root; None where it is no root."""
    above, below = root.numerator, root.denominator
    carried, found = 0, []
    for coefficient in polynomial[:-1]:
        carried, rest = divmod(coefficient + above * carried, below)
        if rest:
            return None
        found.append(carried)
    return None if polynomial[-1] + above * carried else tuple(found)


def _divides(one: int, other: int) -> bool:
    return other % one == 0 if one else other == 0


def _divisors(number: int) -> list[int]:
    low = [one for one in range(1, isqrt(number) + 1) if number % one == 0]
    return sorted({*low, *(number // one for one in low)})


def real_roots(polynomial: Poly, low: Fraction | None = None, high: Fraction | None = None) -> int:
    """How many different real roots there are above low and up to high, by Sturm's theorem."""
    chain = [list(map(Fraction, trimmed(polynomial)))]
    top = len(chain[0]) - 1
    if top < 1:
        return 0
    chain.append([one * (top - place) for place, one in enumerate(chain[0][:-1])])
    while len(chain[-1]) > 1 and (rest := remainder(chain[-2], chain[-1])):
        chain.append([-one for one in rest])

    def changes(value: Fraction | None, end: int) -> int:
        if value is None:
            signs = [one[0] * (end ** (len(one) - 1)) for one in chain]
        else:
            signs = [_horner(one, value) for one in chain]
        kept = [sign > 0 for sign in signs if sign]
        return sum(one != other for one, other in pairwise(kept))

    return changes(low, -1) - changes(high, 1)


def _horner(polynomial: Exact, value: Fraction) -> Fraction:
    found = Fraction(0)
    for coefficient in polynomial:
        found = found * value + coefficient
    return found


def remainder(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    """What is left when one polynomial is divided by another; [] for nothing."""
    left = list(one)
    while len(left) >= len(other):
        factor = left[0] / other[0]
        for place, coefficient in enumerate(other):
            left[place] -= factor * coefficient
        left.pop(0)
    start = next((place for place, coefficient in enumerate(left) if coefficient), len(left))
    return left[start:]


def common(one: Poly, other: Poly) -> Poly:
    """The greatest common divisor, in whole numbers."""
    first, second = list(map(Fraction, trimmed(one))), list(map(Fraction, trimmed(other)))
    while second:
        first, second = second, remainder(first, second) if len(first) >= len(second) else first
    scale = lcm(*(coefficient.denominator for coefficient in first))
    return trimmed(tuple(int(coefficient * scale) for coefficient in first))
