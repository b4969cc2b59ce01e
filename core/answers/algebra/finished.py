"""Whether a number is worked out: 2sqrt(15)/15 + 1 is, 4*3 + 3 and cos(0) are work left undone.

Fractions need not be in lowest terms nor roots be drawn out, and a power of whole numbers or a
factorial may stand alone; otherwise no part may come to a rational number, and no two terms of a
sum be numbers of times the same thing. What numbers are multiplied by each other the tree does
not show: the grammar sees that.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from puzzlemill.core.answers.algebra.exact import evaluate
from puzzlemill.core.answers.algebra.numeric import DIGITS, Realm, value
from puzzlemill.core.answers.algebra.tree import ONE, ZERO, Node, Tree, add, multiply, scaled
from puzzlemill.core.fraction import Fraction

LARGE = 10**6  # a power that comes to more may stand for itself
_CLOSE = Fraction(1, 10 ** (DIGITS - 10))

Term = tuple[Fraction, tuple[Tree, ...]]  # a number and what it is a multiple of


@lru_cache(maxsize=4096)
def finished(tree: Tree, realm: Realm) -> bool:
    terms = list(_terms(tree))
    if len(terms) == 1 and abs(terms[0][0]) == 1 and all(map(_stands_alone, terms[0][1])):
        return True
    multiples = [tuple(filter(_counts, factors)) for _, factors in terms]
    if len(set(multiples)) < len(multiples):
        return False
    return all(_is_finished(factors, realm) for _, factors in terms)


def collected(tree: Tree) -> Tree:
    """The same number, with the terms of its sum that are multiples of one thing made one."""
    found: dict[tuple[Tree, ...], Fraction] = {}
    for number, factors in _terms(tree):
        found[factors] = found.get(factors, ZERO) + number
    return add([multiply(number, *factors) for factors, number in found.items() if number])


def _terms(tree: Tree, times: Fraction = ONE) -> Iterator[Term]:
    """The terms of a sum, and of a sum in it that has no more than a number before it."""
    number, factors = scaled(tree)
    if len(factors) == 1 and isinstance(factors[0], Node) and factors[0].sign == "+":
        for part in factors[0].parts:
            yield from _terms(part, number * times)
    else:
        yield number * times, factors


def _is_finished(factors: tuple[Tree, ...], realm: Realm) -> bool:
    for factor in factors:
        if not isinstance(factor, Node) or not factor.parts:
            continue
        if not _counts(factor):
            return False
        if not all(finished(part, realm) for part in factor.parts):
            return False
        if factor.sign != "+" and not _notation(factor) and _is_rational(factor, realm):
            return False
    return len(factors) < 2 or not _is_rational(multiply(*factors), realm)


def _stands_alone(factor: Tree) -> bool:
    return _notation(factor) and evaluate(factor) is not None


def _notation(factor: Tree) -> bool:
    """2^10 or 5!: a number, as it may be written."""
    if not isinstance(factor, Node) or factor.sign not in ("^", "!") or factor.parts[0] in (-1, 1):
        return False
    return all(isinstance(part, Fraction) and part.denominator == 1 for part in factor.parts)


def _counts(factor: Tree) -> bool:
    """Whether a factor tells one thing that is counted from another: any but a number that can be
    multiplied out."""
    return not _notation(factor) or _is_large(factor)


def _is_large(factor: Tree) -> bool:
    """Whether a power is longer when it is multiplied out, as those of ten always are."""
    assert isinstance(factor, Node)
    found = evaluate(factor)
    ten = factor.sign == "^" and factor.parts[0] == 10
    return ten or found is None or max(abs(found.numerator), found.denominator) > LARGE


def _is_rational(tree: Tree, realm: Realm) -> bool:
    """Whether both the real and the imaginary part of a value are fractions of some size."""
    found = value(tree, 0, realm)
    return found is not None and _is_fraction(found.real) and _is_fraction(found.imag)


def _is_fraction(number: Any) -> bool:
    above, below = int(number * 10**DIGITS), 10**DIGITS
    exact = Fraction(above, below)
    return abs(exact - exact.limit_denominator(LARGE)) <= _CLOSE
