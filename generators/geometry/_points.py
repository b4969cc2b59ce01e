"""Exact points of the plane, and exact lengths as answers."""

from math import isqrt
from typing import TypeAlias

from puzzlemill.core.answers import Expr
from puzzlemill.core.answers.algebra.tree import Tree, multiply, root
from puzzlemill.core.fraction import Fraction

Point: TypeAlias = tuple[Fraction, Fraction]
Spot: TypeAlias = tuple[int, int]  # a point as a puzzle holds it

LARGEST = 10**15  # whose square factors are looked for


def exact(spot: Spot) -> Point:
    return Fraction(spot[0]), Fraction(spot[1])


def minus(one: Point, other: Point) -> Point:
    return one[0] - other[0], one[1] - other[1]


def dot(one: Point, other: Point) -> Fraction:
    return one[0] * other[0] + one[1] * other[1]


def cross(one: Point, other: Point) -> Fraction:
    return one[0] * other[1] - one[1] * other[0]


def turn(a: Point, b: Point, c: Point) -> Fraction:
    """Twice the area of the triangle; positive where a, b, c go counterclockwise."""
    return cross(minus(b, a), minus(c, a))


def meeting(a: Point, b: Point, c: Point, d: Point) -> Point | None:
    """Where the lines ab and cd meet; None where they are parallel, or one is no line."""
    along, other = minus(b, a), minus(d, c)
    apart = cross(along, other)
    if not apart:
        return None
    share = cross(minus(c, a), other) / apart
    return a[0] + share * along[0], a[1] + share * along[1]


def surd(square: Fraction) -> Tree | None:
    """The root of a number that is not negative, as 3sqrt(2)/2 is written; None if too large."""
    number = square.numerator * square.denominator
    if number > LARGEST:
        return None
    whole, left = _squares(number)
    scale = Fraction(whole, square.denominator)
    return scale if left == 1 or not number else multiply(scale, root(Fraction(left), 2))


def length(square: Fraction) -> Expr | None:
    tree = surd(square)
    return None if tree is None else Expr(tree)


def is_root(answer: Expr, square: Fraction) -> bool:
    return square >= 0 and answer == Expr(root(square, 2))


def _squares(number: int) -> tuple[int, int]:
    """w and n without square factors, whose w^2 n is the number: what has no prime factor up to
    its cube root is a prime, the square of one, or a product of two."""
    whole, rest, factor, left = 1, 1, 2, number
    while factor**3 <= left:
        if left % factor:
            factor += 1
            continue
        left //= factor
        if left % factor:
            rest *= factor
        else:
            left, whole = left // factor, whole * factor
    side = isqrt(left)
    return (whole * side, rest) if side * side == left else (whole, rest * left)
