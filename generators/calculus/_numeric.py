"""Expressions at points, to so many digits that a difference quotient says what a derivative is."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from math import comb
from typing import Any

from puzzlemill.core.answers.algebra.statement import Words, read_tree
from puzzlemill.core.answers.algebra.tree import E, Node, Tree
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


@lru_cache(maxsize=2048)
def number(value: Fraction | int, digits: int) -> Any:
    value = Fraction(value)
    return context(digits).mpf(value.numerator) / value.denominator


def valued(tree: Tree, values: Mapping[str, Any], digits: int) -> Any:
    """The real value of an expression; None where it has none, or is beyond all measure.

    Each part that differs from the others is worked out once, on the numbers that mpmath keeps
    inside its own: (sign, mantissa, exponent, bits of the mantissa).
    """
    maths, found = context(digits), list[Any]()
    for part, places, known in _program(tree, digits):
        if known is not None:
            found.append(known)
        elif places and isinstance(part, Node):
            result = _operated(part, [found[place] for place in places], maths.prec)
            if result is None or _against(result, LARGEST) >= 0:
                return None
            found.append(result)
        elif isinstance(part, str):
            found.append(values[part]._mpf_)
        else:
            return None  # a constant that is not real
    return maths.make_mpf(found[-1])


@lru_cache(maxsize=64)
def _program(tree: Tree, digits: int) -> list[tuple[Tree, list[int], Any]]:
    """The different parts of an expression, each behind its own parts: their places are told, and
    the value of a number."""
    places: dict[Tree, int] = {}
    program = list[tuple[Tree, list[int], Any]]()

    def put(part: Tree) -> int:
        if part not in places:
            inner, known = list[int](), None
            if isinstance(part, Fraction):
                known = number(part, digits)._mpf_
            elif isinstance(part, Node):
                inner = [put(each) for each in part.parts]
                if part.sign in ("pi", "e"):
                    known = (+getattr(context(digits), part.sign))._mpf_
            places[part] = len(program)
            program.append((part, inner, known))
        return places[part]

    put(tree)
    return program


def _operated(tree: Node, parts: list[Any], bits: int) -> Any:
    maths, first = _libmp(), parts[0]
    match tree.sign:
        case "+":
            return maths.mpf_sum(parts, bits, "n")
        case "*":
            for part in parts[1:]:
                first = maths.mpf_mul(first, part, bits, "n")
            return first
        case "/":
            return maths.mpf_div(first, parts[1], bits, "n") if parts[1][1] else None
        case "^":
            return _power(tree, first, parts[1], bits)
        case "root":
            index = maths.to_int(parts[1])
            return None if first[0] else maths.mpf_nthroot(first, index, bits, "n")
        case "abs":
            return maths.mpf_abs(first)
        case "ln":
            return maths.mpf_log(first, bits, "n") if first[1] and not first[0] else None
        case "sin" | "cos" | "tan" | "atan" | "sinh" | "cosh" | "tanh" | "asinh":
            if _against(first, 600 if tree.sign.endswith("h") else TURNS) > 0:
                return None
        case "asin" | "acos" | "atanh":
            if _against(first, 1) >= 0:
                return None
        case _:
            return None
    return getattr(maths, f"mpf_{tree.sign}")(first, bits, "n")


def _power(tree: Node, base: Any, exponent: Any, bits: int) -> Any:
    maths, (under, whole) = _libmp(), tree.parts
    if not base[1]:
        return base if exponent[1] and not exponent[0] else None
    if _is_vast(base, exponent, bits):
        return None
    if isinstance(whole, Fraction) and whole.denominator == 1:
        return maths.mpf_pow_int(base, int(whole), bits, "n")
    if under == E:
        return maths.mpf_exp(exponent, bits, "n")
    return None if base[0] else maths.mpf_pow(base, exponent, bits, "n")


def _is_vast(base: Any, exponent: Any, bits: int) -> bool:
    """Whether a power is beyond all measure. A logarithm is dear, and mostly the bits before the
    point, or the zeros behind it, tell that it is not needed."""
    maths = _libmp()
    size = maths.mpf_mul_int(exponent, abs(base[2] + base[3]) + 1, bits, "n")
    if _against(size, 2000) <= 0:
        return False
    log = maths.mpf_log(maths.mpf_abs(base), bits, "n")
    return _against(maths.mpf_mul(exponent, log, bits, "n"), 2000) > 0


def _against(value: Any, most: int) -> int:
    """Whether the absolute value is smaller (-1) or larger (1) than a number."""
    if value[2] + value[3] < most.bit_length():  # a power of two between them tells it sooner
        return -1
    maths = _libmp()
    return int(maths.mpf_cmp(maths.mpf_abs(value), maths.from_int(most)))


@cache
def _libmp() -> Any:
    from mpmath import libmp

    return libmp


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
