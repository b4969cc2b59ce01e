"""Polynomials in one letter: exact coefficients, from the constant upwards, the last not 0.

No coefficients at all are the polynomial 0.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest
from math import gcd, lcm
from random import Random
from typing import TypeAlias, TypeVar

from puzzlemill.core.answers.polynomial import Terms
from puzzlemill.core.fraction import Fraction

Exact: TypeAlias = int | Fraction
PRIME = 2**61 - 1
N = TypeVar("N", int, Fraction)


def trimmed(polynomial: Iterable[N]) -> list[N]:
    found = list(polynomial)
    while found and not found[-1]:
        found.pop()
    return found


def sum_of(one: Sequence[int], other: Sequence[int], times: int = 1) -> list[int]:
    """One plus so many times the other."""
    return trimmed(a + times * b for a, b in zip_longest(one, other, fillvalue=0))


def product(*factors: Sequence[int]) -> list[int]:
    found = [1]
    for factor in factors:
        if not factor:
            return []
        before, found = found, [0] * (len(found) + len(factor) - 1)
        for place, left in enumerate(before):
            for shift, right in enumerate(factor):
                found[place + shift] += left * right
    return found


def divided(
    above: Sequence[Exact], below: Sequence[Exact]
) -> tuple[list[Fraction], list[Fraction]]:
    """The quotient and the remainder, by long division."""
    left, top = [Fraction(number) for number in above], below[-1]
    quotient = []
    while len(left) >= len(below):
        factor = left.pop() / top
        quotient.append(factor)
        if factor:
            start = len(left) - len(below) + 1
            for place, number in enumerate(below[:-1]):
                left[start + place] -= factor * number
    return trimmed(quotient[::-1]), trimmed(left)


def shared(above: Sequence[int], below: Sequence[int]) -> list[int] | None:
    """The quotient where it is whole and nothing remains."""
    left, top = list(above), below[-1]
    quotient = []
    while len(left) >= len(below):
        factor, rest = divmod(left.pop(), top)
        if rest:
            return None
        quotient.append(factor)
        start = len(left) - len(below) + 1
        for place, number in enumerate(below[:-1]):
            left[start + place] -= factor * number
    return None if any(left) else quotient[::-1]


def value(polynomial: Sequence[Exact], at: N) -> N:
    found = at - at
    for number in reversed(polynomial):
        found = found * at + number  # type: ignore[assignment]
    return found


def derivative(polynomial: Sequence[int]) -> list[int]:
    return [place * number for place, number in enumerate(polynomial)][1:]


def primitive(polynomial: Sequence[Exact]) -> list[int]:
    """The multiple whose coefficients are whole and coprime, the last of them positive."""
    if not polynomial:
        return []
    below = lcm(*(number.denominator for number in polynomial))
    whole = [int(number * below) for number in polynomial]
    scale = gcd(*whole) if whole[-1] > 0 else -gcd(*whole)
    return [number // scale for number in whole]


def rest(above: Sequence[int], below: Sequence[int]) -> list[int]:
    """A positive multiple of the remainder, in whole numbers as small as can be."""
    left, top = list(above), below[-1]
    size, sign = abs(top), 1 if top > 0 else -1
    while len(left) >= len(below):
        factor = left.pop() * sign
        if factor:
            start = len(left) - len(below) + 1
            left = [number * size for number in left]
            for place, number in enumerate(below[:-1]):
                left[start + place] -= factor * number
    scale = gcd(*left) or 1
    return trimmed(number // scale for number in left)


def common(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """The greatest common divisor, primitive."""
    left, right = list(one), list(other)
    while right:
        left, right = right, rest(left, right) if len(left) >= len(right) else left
    return primitive(left)


def coprime(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether they have no common divisor modulo a large prime, and so none at all; False where
    that does not tell."""
    left, right = ([number % PRIME for number in each] for each in (one, other))
    if not (left and right and left[-1] and right[-1]):
        return False
    while len(right) > 1:
        inverse = pow(right[-1], -1, PRIME)
        while len(left) >= len(right):
            factor = left.pop() * inverse % PRIME
            start = len(left) - len(right) + 1
            for place, number in enumerate(right[:-1]):
                left[start + place] = (left[start + place] - factor * number) % PRIME
        left, right = right, trimmed(left)
    return bool(right)


def real_roots(polynomial: Sequence[int]) -> int:
    """How many different real roots there are, by Sturm's chain."""
    if len(polynomial) < 2:
        return 0
    chain = [list(polynomial), derivative(polynomial)]
    while following := [-number for number in rest(chain[-2], chain[-1])]:
        chain.append(following)
    right = [each[-1] > 0 for each in chain]
    left = [(each[-1] > 0) == (len(each) % 2 == 1) for each in chain]
    return _changes(left) - _changes(right)


def _changes(signs: Sequence[bool]) -> int:
    return sum(a != b for a, b in pairwise(signs))


def drawn(rng: Random, most: int) -> int:
    """A number that is not 0."""
    return rng.choice((-1, 1)) * rng.randint(1, most)


def redrawn(rng: Random, polynomial: Sequence[int], most: int) -> tuple[int, ...]:
    """Other coefficients where there are any; a leading 1 stays."""
    top = len(polynomial) - 1
    return tuple(
        number if not number or (place == top and number == 1) else drawn(rng, most)
        for place, number in enumerate(polynomial)
    )


def written(polynomial: Sequence[Exact], name: str = "x") -> str:
    """2x^2 - x/3 + 5"""
    text = ""
    for place in range(len(polynomial) - 1, -1, -1):
        number = polynomial[place]
        if number:
            thing = "" if not place else name if place == 1 else f"{name}^{place}"
            text += signed(number, thing, bool(text))
    return text or "0"


def signed(number: Exact, thing: str, later: bool) -> str:
    """A number times a thing, with the sign that a sum wants before it."""
    minus = number < 0
    size: Exact = -number if minus else number
    if thing and isinstance(size, Fraction) and size.denominator > 1:
        above = "" if size.numerator == 1 else f"{size.numerator}"
        shown = f"{above}{thing}/{size.denominator}"
    else:
        shown = thing if thing and size == 1 else f"{size}{thing}"
    return (f" {'-' if minus else '+'} " if later else "-" * minus) + shown


def terms_of(polynomial: Sequence[Exact]) -> Terms:
    """The polynomial as an answer."""
    return tuple(
        ((place,), Fraction(polynomial[place]))
        for place in range(len(polynomial) - 1, -1, -1)
        if polynomial[place]
    )


def coefficients(terms: Terms, most: int) -> list[Fraction] | None:
    """The polynomial of an answer; None where its degree is more than so much."""
    if not terms:
        return []
    top = max(powers[0] for powers, _ in terms)
    if top > most:
        return None
    found = [Fraction(0)] * (top + 1)
    for powers, number in terms:
        found[powers[0]] = number
    return found
