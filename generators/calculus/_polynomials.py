"""Polynomials in one letter: exact coefficients, from the constant term upwards."""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import comb, gcd, isqrt, lcm
from typing import TypeAlias

from puzzlemill.core.answers.algebra.tree import Tree, add, multiply, power
from puzzlemill.core.fraction import Fraction

Exact: TypeAlias = int | Fraction
Coefficients: TypeAlias = Sequence[Exact]


def text(polynomial: Coefficients, name: str = "x") -> str:
    """3x^2 - x + 5"""
    return joined(
        [
            (number, "" if not place else name if place == 1 else f"{name}^{place}")
            for place, number in reversed(list(enumerate(polynomial)))
        ]
    )


def joined(terms: Sequence[tuple[Exact, str]]) -> str:
    """A sum of numbers times things, such as 3x^2 - x + 5; the thing of a constant is empty."""
    found = ""
    for number, thing in terms:
        if not number:
            continue
        size = number if number > 0 else -number
        shown = f"{size}" if not thing or size != 1 else ""
        if isinstance(size, Fraction) and size.denominator > 1 and thing:
            shown = f"({shown})"
        if found:
            found += f" {'-' if number < 0 else '+'} {shown}{thing}"
        else:
            found = f"{'-' if number < 0 else ''}{shown}{thing}"
    return found or "0"


def tree(polynomial: Coefficients, name: str = "x") -> Tree:
    """The polynomial as an expression, highest power first."""
    terms: list[Tree] = []
    for place, number in reversed(list(enumerate(polynomial))):
        if number:
            raised = () if not place else (name if place == 1 else power(name, Fraction(place)),)
            terms.append(multiply(Fraction(number), *raised))
    return add(terms)


def value(polynomial: Coefficients, at: Exact) -> Fraction:
    found = Fraction(0)
    for number in reversed(polynomial):
        found = found * at + number
    return found


def derived(polynomial: Coefficients, times: int = 1) -> list[Fraction]:
    found = [Fraction(number) for number in polynomial]
    for _ in range(times):
        found = [place * number for place, number in enumerate(found)][1:]
    return found


def integrated(polynomial: Coefficients) -> list[Fraction]:
    """The antiderivative without constant term."""
    return [Fraction(0), *(Fraction(number) / place for place, number in enumerate(polynomial, 1))]


def plus(one: Coefficients, other: Coefficients, times: Exact = 1) -> list[Exact]:
    """One plus so many times the other, without zeros at the top."""
    size = max(len(one), len(other))
    left, right = [*one, *[0] * (size - len(one))], [*other, *[0] * (size - len(other))]
    return trimmed([a + times * b for a, b in zip(left, right)])


def trimmed(polynomial: Coefficients) -> list[Exact]:
    found = list(polynomial)
    while found and not found[-1]:
        found.pop()
    return found


def product(one: Coefficients, other: Coefficients) -> list[Exact]:
    found: list[Exact] = [0] * max(len(one) + len(other) - 1, 0)
    for place, left in enumerate(one):
        for shift, right in enumerate(other):
            found[place + shift] += left * right
    return found


def from_roots(roots: Sequence[int], factor: Exact = 1) -> list[Exact]:
    found: list[Exact] = [factor]
    for root in roots:
        found = product(found, (-root, 1))
    return found


def moved(polynomial: Coefficients, by: Exact) -> list[Exact]:
    """The polynomial in t where the letter is `by` + t."""
    found: list[Exact] = [0] * len(polynomial)
    for place, number in enumerate(polynomial):
        for low in range(place + 1):
            found[low] += number * comb(place, low) * by ** (place - low)
    return found


def without_root(polynomial: Coefficients, root: Exact) -> tuple[list[Exact], Exact]:
    """The quotient by (letter - root), and the remainder."""
    found: list[Exact] = []
    carried: Exact = 0
    for number in reversed(polynomial):
        carried = carried * root + number
        found.append(carried)
    return found[-2::-1], found[-1] if found else 0


def rational_roots(polynomial: Coefficients, most: int = 10**7) -> list[Fraction] | None:
    """All real roots, each as often as it counts; None where one is irrational, or hard to find."""
    found: list[Fraction] = []
    left = _whole(trimmed(polynomial))
    while len(left) > 1 and not left[0]:
        found.append(Fraction(0))
        left = left[1:]
    while len(left) > 3:
        if abs(left[0]) > most or abs(left[-1]) > most:
            return None
        root = next(
            (root for root in _candidates(left[0], left[-1]) if not value(left, root)), None
        )
        if root is None:
            return None
        found.append(root)
        left = _whole(without_root(left, root)[0])
    if len(left) == 3:
        low, middle, high = left
        inside = middle * middle - 4 * low * high
        if inside < 0:
            return sorted(found)
        rooted = _root(inside)
        if rooted is None:
            return None
        found += [Fraction(-middle + sign * rooted, 2 * high) for sign in (1, -1)]
    elif len(left) == 2:
        found.append(Fraction(-left[0], left[1]))
    return sorted(found)


def _candidates(low: int, high: int) -> list[Fraction]:
    above, below = divisors(abs(low)), divisors(abs(high))
    return [Fraction(sign * a, b) for b in below for a in above for sign in (1, -1)]


def divisors(number: int) -> list[int]:
    small = [each for each in range(1, int(number**0.5) + 1) if number % each == 0]
    return sorted({*small, *(number // each for each in small)})


def _whole(polynomial: Coefficients) -> list[int]:
    shared = lcm(*(number.denominator for number in polynomial))
    whole = [int(number * shared) for number in polynomial]
    divisor = gcd(*whole) or 1
    return [number // divisor for number in whole]


def _root(number: int) -> int | None:
    found = isqrt(number)
    return found if found * found == number else None


def area(polynomial: Coefficients, low: Exact, high: Exact) -> Fraction:
    """The integral, by the antiderivative."""
    whole = integrated(polynomial)
    return value(whole, high) - value(whole, low)


def weighed(polynomial: Coefficients, low: Exact, high: Exact) -> Fraction:
    """The integral from as many values as fix a polynomial, in equal steps: no antiderivative."""
    parts = max(len(polynomial) - 1, 1)
    step = Fraction(high - low) / parts
    values = [value(polynomial, low + place * step) for place in range(parts + 1)]
    # Newton's forward differences; the integral of each binomial is a number of its own.
    total = Fraction(0)
    for weight in _binomial_areas(parts):
        total += weight * values[0]
        values = [right - left for left, right in pairwise(values)]
    return total * step


@cache
def _binomial_areas(parts: int) -> list[Fraction]:
    """The integral of binomial(t, k) for t from 0 to `parts`, for each k."""
    falling: list[Exact] = [Fraction(1)]
    found = []
    for place in range(parts + 1):
        found.append(area(falling, 0, parts))
        falling = product(falling, (Fraction(-place, place + 1), Fraction(1, place + 1)))
    return found


def sign_changes(polynomial: Coefficients, low: Exact, high: Exact) -> int:
    """How many different roots lie in low < x <= high (Sturm)."""
    chain = _sturm_chain(tuple(polynomial))
    return _variations(chain, Fraction(low)) - _variations(chain, Fraction(high))


@lru_cache(maxsize=8)  # one polynomial is asked about on many intervals
def _sturm_chain(polynomial: tuple[Exact, ...]) -> list[list[int]]:
    """Remainders with alternating signs; positive factors leave all signs as they are, so that
    whole numbers do. Empty for a constant."""
    whole = _whole(trimmed(polynomial))
    if len(whole) < 2:
        return []
    chain = [whole, _whole([place * number for place, number in enumerate(whole)][1:])]
    while chain[-1]:
        chain.append([-number for number in _whole_remainder(chain[-2], chain[-1])])
    return chain[:-1]


def _whole_remainder(above: list[int], below: list[int]) -> list[int]:
    """A positive multiple of the remainder."""
    left, top = above, below[-1]
    while len(left) >= len(below):
        factor, start = left[-1] if top > 0 else -left[-1], len(left) - len(below)
        left = [number * abs(top) for number in left]
        for place, number in enumerate(below):
            left[start + place] -= factor * number
        left.pop()
    while left and not left[-1]:
        left.pop()
    divisor = gcd(*left) or 1
    return [number // divisor for number in left]


def remainder(above: Coefficients, below: Coefficients) -> list[Exact]:
    left = [Fraction(number) for number in above]
    top = Fraction(below[-1])
    while len(left) >= len(below):
        factor = left[-1] / top
        start = len(left) - len(below)
        for place, number in enumerate(below):
            left[start + place] -= factor * number
        left.pop()
    return trimmed(left)


def _signed(polynomial: list[int], at: Fraction) -> int:
    """A number with the sign of the value, by whole numbers."""
    found, below = 0, 1
    for number in reversed(polynomial):
        found = found * at.numerator + number * below
        below *= at.denominator
    return found


def _variations(chain: list[list[int]], at: Fraction) -> int:
    signs = [found > 0 for each in chain if (found := _signed(each, at))]
    return sum(left != right for left, right in pairwise(signs))
