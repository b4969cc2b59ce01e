"""Expressions as answers: two are equal where they say the same function or number.

Constants of arithmetic are compared exactly, rational functions modulo large primes, everything
else to some hundred digits at fixed points. Points at which one of two is undefined do not count,
if there are enough others: sqrt(x)^2 is x, and ln x is an antiderivative as good as ln|x|.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from puzzlemill.core.answers.algebra.derivative import derivative
from puzzlemill.core.answers.algebra.exact import evaluate, is_rational, residue
from puzzlemill.core.answers.algebra.numeric import (
    DIGITS,
    MORE_DIGITS,
    POINTS,
    TINY,
    Realm,
    rough_value,
    value,
)
from puzzlemill.core.answers.algebra.tree import Tree, names_in
from puzzlemill.core.fraction import Fraction

ENOUGH = 8  # points at which two expressions agree
FEWEST = 3  # points at which an expression must be defined
SHARE = 0.4  # of the points where one is defined, at which both must be
RESIDUES = 4


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """An expression over names that stand for numbers of a realm.

    With `along`, it is an antiderivative: what does not depend on that name may be added to it.
    """

    tree: Tree
    realm: Realm = "real"
    along: str = ""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expr) or (self.realm, self.along) != (other.realm, other.along):
            return False
        return self.tree == other.tree or same(self.compared(), other.compared(), self.realm)

    def __hash__(self) -> int:
        return hash((self.realm, self.along))  # equal expressions need not look alike

    def compared(self) -> Tree:
        return _derivative(self.tree, self.along) if self.along else self.tree

    def defined(self) -> bool:
        """Whether it has a value at enough points to be compared, with itself to begin with."""
        return defined(self.tree, self.realm) and (
            not self.along or defined(self.compared(), self.realm)
        )

    def at(self, values: Mapping[str, Fraction] | None = None) -> Fraction | None:
        """The exact value at a point, where arithmetic gives a rational one."""
        return evaluate(self.tree, values or {})

    def number(self, digits: int = 30) -> Any:
        """The value of an expression without names, as an mpmath number; None if undefined."""
        return None if names_in(self.tree) else value(self.tree, 0, self.realm, digits)


_derivative = lru_cache(maxsize=2048)(derivative)


def defined(tree: Tree, realm: Realm) -> bool:
    if is_rational(tree):
        if not names_in(tree):
            return evaluate(tree) is not None
        return all(residue(tree, number) is not None for number in range(RESIDUES))
    if not names_in(tree):
        return value(tree, 0, realm) is not None
    found = 0
    for number in range(POINTS):
        found += value(tree, number, realm) is not None
        if found >= FEWEST:
            return True
    return False


def same(one: Tree, other: Tree, realm: Realm) -> bool:
    """Whether two trees have the same value wherever both have one."""
    if is_rational(one) and is_rational(other):
        if not names_in(one) and not names_in(other):
            exact = evaluate(one)
            return exact is not None and exact == evaluate(other)
        return all(_same_residue(one, other, number) for number in range(RESIDUES))
    names = names_in(one) | names_in(other)
    if not names:
        return _agree(one, other, 0, realm) is True
    both = lone = strange = 0
    for number in range(POINTS):
        match _agree(one, other, number, realm):
            case False:
                return False
            case True:
                both += 1
            case "first":
                lone += 1
            case "second":
                strange += 1
        if both >= ENOUGH:
            break
    return both >= FEWEST and both >= SHARE * (both + max(lone, strange))


def _same_residue(one: Tree, other: Tree, number: int) -> bool:
    found = residue(one, number)
    return found is not None and found == residue(other, number)


def _agree(
    one: Tree, other: Tree, number: int, realm: Realm
) -> bool | Literal["first", "second"] | None:
    """Whether two values are equal; which of them alone is defined; None where neither is."""
    first, second = rough_value(one, number, realm), rough_value(other, number, realm)
    if first is not None and second is not None:
        size = max(abs(first), abs(second))
        if size > 1e-20 and abs(first - second) > size * 1e-9:
            return False
    left, right = value(one, number, realm), value(other, number, realm)
    if left is None or right is None:
        lone = right if left is None else left
        # What is as good as zero may be out of reach by another way of writing it: tanh'(1000/x).
        if lone is None or abs(lone) < TINY:
            return None
        return "second" if left is None else "first"
    apart, size = abs(left - right), max(abs(left), abs(right))
    if apart <= size * 10 ** (40 - DIGITS):
        return True
    if size > 1e-30 and apart > size * 1e-30:
        return False
    # Small, or nearly equal: what is left of the difference when more digits are taken?
    left = value(one, number, realm, MORE_DIGITS)
    right = value(other, number, realm, MORE_DIGITS)
    if left is None or right is None:
        return None
    return bool(abs(left - right) <= apart * 10 ** ((DIGITS - MORE_DIGITS) // 2))
