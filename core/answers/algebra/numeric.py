"""Numerical values of expressions, to so many digits that equal ones are told from unequal ones.

In the realm "real" a value that is not real is none; in "complex" powers and roots are principal
values. A root of odd index of a negative real number is real in both.
"""

from functools import cache, lru_cache
from random import Random
from typing import Any, Literal, TypeAlias

from puzzlemill.core.answers.algebra.exact import evaluate
from puzzlemill.core.answers.algebra.tree import Node, Tree, names_in
from puzzlemill.core.fraction import Fraction

Realm: TypeAlias = Literal["real", "positive", "whole", "complex"]

POINTS = 60  # there are for a name
LARGEST = 10**100  # an absolute value on the way; a larger one is undefined
TINY = 10**-100  # nothing is told from zero below this
_TURNS = 10**15  # largest argument of a sine

DIGITS, MORE_DIGITS = 150, 400

_BANDS = ((0.02, 1), (1, 3), (3, 12))


@cache
def _context(digits: int) -> Any:
    from mpmath import mp  # type: ignore[import-untyped]

    context = mp.clone()
    context.dps = digits
    return context


@lru_cache(maxsize=4096)
def point(name: str, number: int, realm: Realm) -> Fraction:
    """The value of a name at one of the fixed points."""
    if realm == "whole":
        own = Random(f"{realm} {name}")
        return Fraction(1 + (own.randrange(31) + number * own.randrange(1, 31)) % 31)
    source = Random(f"{realm} {name} {number}")
    low, high = source.choice(_BANDS)
    size = Fraction(int(source.uniform(low, high) * 10**6), 10**6)
    return -size if realm != "positive" and source.random() < 0.5 else size


def value(tree: Tree, number: int, realm: Realm, digits: int = DIGITS) -> Any:
    """The value at a fixed point as an mpmath number; None where it is undefined."""
    if isinstance(tree, Node):
        return _node_value(tree, number, realm, digits)
    exact = tree if isinstance(tree, Fraction) else point(tree, number, realm)
    found = _context(digits).mpf(exact.numerator) / exact.denominator
    return _bounded(found) if exact is tree else found


@lru_cache(maxsize=16384)
def rough_value(tree: Tree, number: int, realm: Realm) -> complex | None:
    """The value to the digits of a float, which tell most unequal ones apart."""
    found = value(tree, number, realm)
    return None if found is None else complex(found)


@lru_cache(maxsize=65536)  # the parts too: an answer and its changed forms share most of them
def _node_value(tree: Node, number: int, realm: Realm, digits: int) -> Any:
    context = _context(digits)
    if tree.sign in ("pi", "e"):
        return +context.pi if tree.sign == "pi" else +context.e
    if not tree.parts:
        return context.mpc(0, 1) if tree.sign == "i" and realm == "complex" else None
    if tree.sign == "!":
        whole = _exact(tree, number, realm)
        return None if whole is None else _bounded(context.mpf(whole.numerator))
    if tree.sign == "^":
        return _power(tree, number, realm, digits)
    parts = []
    for part in tree.parts:
        found = value(part, number, realm, digits)
        if found is None:
            return None
        parts.append(found)
    return _bounded(_operate(tree.sign, parts, realm, context))


def _exact(tree: Tree, number: int, realm: Realm) -> Fraction | None:
    """The rational value at a fixed point, where arithmetic gives one."""
    return evaluate(tree, {name: point(name, number, realm) for name in names_in(tree)})


def _bounded(found: Any) -> Any:
    return found if found is not None and abs(found) <= _largest() else None


@cache
def _largest() -> Any:
    """As an mpmath number: a whole one is converted whenever it is compared with."""
    return _context(DIGITS).mpf(LARGEST)


def _operate(sign: str, parts: list[Any], realm: Realm, context: Any) -> Any:
    match sign:
        case "+":
            return sum(parts[1:], parts[0])
        case "*":
            product = parts[0]
            for part in parts[1:]:
                product = product * part
                if abs(product) > _largest():
                    return None
            return product
        case "/":
            return parts[0] / parts[1] if abs(parts[1]) > TINY else None
        case "root":
            return _root(parts[0], int(parts[1]), realm, context)
        case "abs":
            return abs(parts[0])
        case _:
            return _applied(sign, parts[0], realm, context)


def _power(tree: Node, number: int, realm: Realm, digits: int) -> Any:
    context = _context(digits)
    base = value(tree.parts[0], number, realm, digits)
    if base is None:
        return None
    exponent = _exact(tree.parts[1], number, realm)
    if exponent is not None and abs(exponent) < 1000 and exponent.denominator < 100:
        if abs(base) <= TINY:
            return context.mpf(0) if exponent > 0 else None
        size = abs(context.log(abs(base))) * abs(exponent.numerator) / exponent.denominator
        if size > 230:  # ln of LARGEST
            return None
        if exponent.denominator == 1:
            return base ** int(exponent)
        if realm != "complex" and base.real < 0:
            rooted = _root(base, exponent.denominator, realm, context)
            return None if rooted is None else rooted ** int(exponent.numerator)
        return context.exp(context.log(base) * exponent.numerator / exponent.denominator)
    raised = value(tree.parts[1], number, realm, digits)
    if raised is None or abs(base) <= TINY or (realm != "complex" and base <= 0):
        return None
    log = context.log(base) * raised
    return context.exp(log) if abs(log) <= 230 else None


def _root(found: Any, index: int, realm: Realm, context: Any) -> Any:
    if abs(found) <= TINY:
        return context.mpf(0)
    if not _is_real(found, context) or found.real > 0:
        return context.root(found, index)
    if index % 2:
        return -context.root(-found.real, index)
    return context.root(found, index) if realm == "complex" else None


def _is_real(found: Any, context: Any) -> bool:
    return bool(context.im(found) == 0)


def _applied(sign: str, found: Any, realm: Realm, context: Any) -> Any:
    size = abs(found)
    match sign:
        case "ln":
            if size <= TINY or (realm != "complex" and found < 0):
                return None
            return context.log(found)
        case "sin" | "cos" | "tan":
            if size > _TURNS or abs(context.im(found)) > 200:
                return None
            if sign == "tan":
                below = context.cos(found)
                return context.sin(found) / below if abs(below) > TINY else None
            return getattr(context, sign)(found)
        case "sinh" | "cosh" | "tanh":
            return getattr(context, sign)(found) if abs(context.re(found)) <= 230 else None
        case "asin" | "acos":
            if realm != "complex" and size > 1:
                if size > 1 + TINY:
                    return None
                found = context.sign(found)
            return getattr(context, sign)(found)
        case "acosh":
            if realm != "complex" and found < 1:
                if found < 1 - TINY:
                    return None
                found = context.mpf(1)
            return context.acosh(found)
        case "atanh":
            if abs(found - 1) <= TINY or abs(found + 1) <= TINY:
                return None
            return context.atanh(found) if realm == "complex" or size < 1 else None
        case "atan":
            if abs(found * found + 1) <= TINY:
                return None
            return context.atan(found)
        case "asinh":
            return context.asinh(found)
        case _:
            return None
