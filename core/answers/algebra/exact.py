"""Exact values of expressions: as fractions, and modulo large primes.

Both are bounded: an expression such as 9^9^9 has no value here.
"""

from collections.abc import Mapping
from functools import lru_cache
from math import factorial, isqrt
from random import Random

from puzzlemill.core.answers.algebra.tree import Node, Tree, nodes
from puzzlemill.core.fraction import Fraction

BITS = 10_000  # of a numerator or denominator on the way
EXPONENT = 10_000
FACTORIAL = 500

# Two primes of a hundred bits, with no meaning elsewhere. An identity that holds at random points
# modulo both, and is none, would have to be built with them.
PRIMES = (1093728475610293847561029384759, 987650123456789012345678901269)

_EMPTY: Mapping[str, Fraction] = {}


def evaluate(tree: Tree, values: Mapping[str, Fraction] = _EMPTY) -> Fraction | None:
    """The exact value where there is a rational one that can be reached by arithmetic."""
    if isinstance(tree, Fraction):
        return tree
    if isinstance(tree, str):
        return values.get(tree)
    parts: list[Fraction] = []
    for part in tree.parts:
        value = evaluate(part, values)
        if value is None:
            return None
        parts.append(value)
    found = _operate(tree.sign, parts)
    if found is None or max(found.numerator.bit_length(), found.denominator.bit_length()) > BITS:
        return None
    return found


def _operate(sign: str, parts: list[Fraction]) -> Fraction | None:
    match sign:
        case "+":
            return sum(parts, Fraction(0))
        case "*":
            product = Fraction(1)
            for part in parts:
                product *= part
                if product.numerator.bit_length() + product.denominator.bit_length() > 2 * BITS:
                    return None
            return product
        case "/":
            return parts[0] / parts[1] if parts[1] else None
        case "^":
            return _raised(parts[0], parts[1])
        case "root":
            return _root(parts[0], int(parts[1]))
        case "abs":
            return abs(parts[0])
        case "!":
            whole = parts[0].denominator == 1 and 0 <= parts[0] <= FACTORIAL
            return Fraction(factorial(int(parts[0]))) if whole else None
        case _:
            return None


def _raised(base: Fraction, exponent: Fraction) -> Fraction | None:
    if exponent.denominator != 1:
        if exponent.denominator > 100 or (base < 0 and exponent.denominator % 2 == 0):
            return None
        base_root = _root(base, exponent.denominator)
        return None if base_root is None else _raised(base_root, Fraction(exponent.numerator))
    if not base:
        return Fraction(0) if exponent > 0 else None
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(base) != 1 and size * abs(exponent) > BITS:
        return None
    return base ** int(exponent)


def _root(value: Fraction, index: int) -> Fraction | None:
    """The real root, where it is rational."""
    if value < 0:
        negative = None if index % 2 == 0 else _root(-value, index)
        return None if negative is None else -negative
    above, below = _whole_root(value.numerator, index), _whole_root(value.denominator, index)
    return None if above is None or below is None else Fraction(above, below)


def _whole_root(value: int, index: int) -> int | None:
    if index == 2:
        found = isqrt(value)
        return found if found * found == value else None
    low, high = 0, 1 << (value.bit_length() // index + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**index <= value else (low, middle - 1)
    return low if low**index == value else None


@lru_cache(maxsize=4096)
def is_rational(tree: Tree) -> bool:
    """Whether only + - * / and whole constant exponents are applied to names and numbers."""
    for node in nodes(tree):
        if isinstance(node, Node) and node.sign not in ("+", "*", "/"):
            if node.sign == "!" and evaluate(node) is not None:
                continue
            if node.sign != "^" or _whole_exponent(node.parts[1]) is None:
                return False
    return True


def _whole_exponent(tree: Tree) -> int | None:
    exponent = evaluate(tree)
    if exponent is None or exponent.denominator != 1 or abs(exponent) > EXPONENT:
        return None
    return int(exponent)


@lru_cache(maxsize=16384)
def residue(tree: Tree, point: int) -> int | None:
    """The value of a rational function at a fixed point modulo a prime; None at a pole."""
    prime = PRIMES[point % len(PRIMES)]
    return _residue(tree, point, prime)


def _residue(tree: Tree, point: int, prime: int) -> int | None:
    if isinstance(tree, Fraction):
        return _quotient(tree.numerator, tree.denominator, prime)
    if isinstance(tree, str):
        return Random(f"residue of {tree} at {point}").randrange(2, prime)
    if tree.sign == "!":
        value = evaluate(tree)
        return None if value is None else value.numerator % prime
    first = _residue(tree.parts[0], point, prime)
    if first is None:
        return None
    if tree.sign == "^":
        exponent = _whole_exponent(tree.parts[1])
        if exponent is None or (not first and exponent <= 0):
            return None
        return pow(first, exponent, prime)
    for part in tree.parts[1:]:
        other = _residue(part, point, prime)
        if other is None:
            return None
        if tree.sign == "/":
            quotient = _quotient(first, other, prime)
            if quotient is None:
                return None
            first = quotient
        else:
            first = (first + other if tree.sign == "+" else first * other) % prime
    return first


def _quotient(above: int, below: int, prime: int) -> int | None:
    return above * pow(below, -1, prime) % prime if below % prime else None
