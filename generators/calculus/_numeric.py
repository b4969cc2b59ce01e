"""Expressions at points, to so many digits that a difference quotient says what a derivative is."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from math import comb
from typing import Any

from puzzlemill.core.answers.algebra.statement import Words, read_tree
from puzzlemill.core.answers.algebra.tree import Node, Tree
from puzzlemill.core.fraction import Fraction

LARGEST = 10**300
TURNS = 10**9  # a larger sine's argument moves too far in a step of a difference quotient


@lru_cache(maxsize=512)
def read(text: str, names: tuple[str, ...] = ("x",)) -> Tree:
    """The expression that a puzzle's text says."""
    tree = read_tree(text, Words(names))
    assert tree is not None, f"cannot read {text!r}"
    return tree


@cache
def context(digits: int) -> Any:
    from mpmath import mp  # type: ignore[import-untyped]

    found = mp.clone()
    found.dps = digits
    return found


@cache
def _largest(digits: int) -> Any:
    """The bound, exactly, as a number that is quick to compare with."""
    from mpmath.libmp import from_int  # type: ignore[import-untyped]

    return context(digits).make_mpf(from_int(LARGEST))


@lru_cache(maxsize=2048)
def number(value: Fraction | int, digits: int) -> Any:
    value = Fraction(value)
    return context(digits).mpf(value.numerator) / value.denominator


def valued(tree: Tree, values: Mapping[str, Any], digits: int) -> Any:
    """The real value of an expression; None where it has none, or is beyond all measure."""
    if isinstance(tree, Fraction):
        return number(tree, digits)
    if isinstance(tree, str):
        return values[tree]
    if not tree.parts:
        constants = context(digits)
        return +getattr(constants, tree.sign) if tree.sign in ("pi", "e") else None
    parts = []
    for part in tree.parts:
        found = valued(part, values, digits)
        if found is None:
            return None
        parts.append(found)
    result = _operated(tree, parts, context(digits))
    return result if result is not None and abs(result) < _largest(digits) else None


def _operated(tree: Node, parts: list[Any], maths: Any) -> Any:
    first = parts[0]
    match tree.sign:
        case "+":
            return maths.fsum(parts)
        case "*":
            return maths.fprod(parts)
        case "/":
            return first / parts[1] if parts[1] else None
        case "^":
            return _power(tree, first, parts[1], maths)
        case "root":
            return maths.root(first, int(parts[1])) if first >= 0 else None
        case "abs":
            return abs(first)
        case "ln":
            return maths.log(first) if first > 0 else None
        case "sin" | "cos" | "tan" | "atan" | "sinh" | "cosh" | "tanh" | "asinh":
            if abs(first) > (600 if tree.sign.endswith("h") else TURNS):
                return None
            return getattr(maths, tree.sign)(first)
        case "asin" | "acos" | "atanh":
            return getattr(maths, tree.sign)(first) if abs(first) < 1 else None
        case _:
            return None


def _power(tree: Node, base: Any, exponent: Any, maths: Any) -> Any:
    whole = tree.parts[1]
    if not base or _is_vast(base, exponent, maths):
        return base if not base and exponent > 0 else None
    if isinstance(whole, Fraction) and whole.denominator == 1:
        return base ** int(whole)
    return base**exponent if base > 0 else None


def _is_vast(base: Any, exponent: Any, maths: Any) -> bool:
    """Whether a power is beyond all measure. A logarithm is dear, and mostly the bits before the
    point, or the zeros behind it, tell that it is not needed."""
    bits = abs(maths.mag(base)) + 1
    return bool(abs(exponent) * bits > 2000 and abs(exponent * maths.log(abs(base))) > 2000)


def difference(function: Callable[[Any], Any], at: Any, step: Any, order: int) -> Any:
    """The central difference of an order, divided: the derivative, up to step^2."""
    total = 0
    for place in range(order + 1):
        found = function(at + (2 * place - order) * step)
        if found is None:
            return None
        total += (-1) ** (order - place) * comb(order, place) * found
    return total / (2 * step) ** order


def close(one: Any, other: Any, digits: int) -> bool:
    """Whether two values agree to so many digits."""
    return bool(abs(one - other) * 10**digits <= max(abs(one), abs(other), 1))


# Where two functions are compared: on both sides of 0, small and large.
PLACES = [Fraction(n, 97) for n in (113, -59, 211, 31, -173, 307, 89, 401, -283, 17, 523, 71)]


def agree(one: Tree, other: Tree, places: Sequence[Fraction] = PLACES) -> bool:
    """Whether two functions of x have the same values, to dozens of digits, where both have any."""
    met = 0
    for place in places:
        at = {"x": number(place, 40)}
        left = valued(one, at, 40)
        right = None if left is None else valued(other, at, 40)
        if right is None:
            continue
        if not close(left, right, 24):
            return False
        met += 1
        if met == 4:
            break
    return met > 1
