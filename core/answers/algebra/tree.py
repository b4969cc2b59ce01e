"""The tree of an algebraic expression: numbers, names, and operations on them.

`add`, `multiply`, `divide`, `negate` and `power` build it in one normal shape: sums and products
are flat, and a product has at most one number, in front. The shape is about writing; whether two
expressions are equal is for `expr`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from puzzlemill.core.fraction import Fraction


@dataclass(frozen=True, slots=True)
class Node:
    """An operation and what it is applied to; a constant such as pi has no parts."""

    sign: str
    parts: tuple["Tree", ...] = ()
    kept: int = field(init=False, compare=False, repr=False)  # the hash, which is asked for often

    def __post_init__(self) -> None:
        object.__setattr__(self, "kept", hash((self.sign, self.parts)))

    def __hash__(self) -> int:
        return self.kept

    def __reduce__(self) -> tuple[type["Node"], tuple[str, tuple["Tree", ...]]]:
        return Node, (self.sign, self.parts)  # another process has other hashes


Tree: TypeAlias = Fraction | str | Node  # a string is a name

PI, E, IMAGINARY = Node("pi"), Node("e"), Node("i")
ZERO, ONE, TWO = Fraction(0), Fraction(1), Fraction(2)

# Functions of one argument that the tree knows. Others are written by means of these.
FUNCTIONS = frozenset(
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh ln abs".split()  # noqa: SIM905
)


def add(terms: list[Tree]) -> Tree:
    """The sum; sums among the terms are taken apart, and zeros left out."""
    flat: list[Tree] = []
    for term in terms:
        flat += term.parts if isinstance(term, Node) and term.sign == "+" else [term]
    # A fraction asks long what else it is compared with: "term != ZERO" takes ten times as long.
    flat = [term for term in flat if isinstance(term, (Node, str)) or term] or [ZERO]
    return flat[0] if len(flat) == 1 else Node("+", tuple(flat))


def multiply(*factors: Tree) -> Tree:
    """The product; products among the factors are taken apart, numbers go in front as one."""
    number, rest = ONE, list[Tree]()
    for factor in factors:
        own, others = scaled(factor)
        if own is not ONE:
            number = own if number is ONE else number * own
        rest += others
    if not rest:
        return number
    if number is ONE or number == 1:
        return rest[0] if len(rest) == 1 else Node("*", tuple(rest))
    return Node("*", (number, *rest))


def divide(above: Tree, below: Tree) -> Tree:
    """The quotient; the numbers in front of both become one in front of it."""
    over, above_rest = scaled(above)
    under, below_rest = scaled(below)
    if not under:
        return Node("/", (above, below))
    if not below_rest:
        return multiply(over / under, *above_rest)
    left, right = multiply(*above_rest), multiply(*below_rest)
    return multiply(over / under, Node("/", (left, right)))


def negate(tree: Tree) -> Tree:
    return multiply(Fraction(-1), tree)


def power(base: Tree, exponent: Tree) -> Tree:
    return Node("^", (base, exponent))


def root(tree: Tree, index: int) -> Tree:
    return Node("root", (tree, Fraction(index)))


def apply(function: str, tree: Tree) -> Tree:
    assert function in FUNCTIONS, f"no function {function!r}"
    return Node(function, (tree,))


def scaled(tree: Tree) -> tuple[Fraction, tuple[Tree, ...]]:
    """The number in front of a product, and its other factors."""
    if isinstance(tree, Node):
        if tree.sign != "*" or isinstance(tree.parts[0], (Node, str)):
            return ONE, tree.parts if tree.sign == "*" else (tree,)
        return tree.parts[0], tree.parts[1:]
    return (ONE, (tree,)) if isinstance(tree, str) else (tree, ())


def raised(tree: Tree) -> tuple[Tree, Tree]:
    """The base and exponent of a power; anything else is its own first power."""
    if isinstance(tree, Node) and tree.sign == "^":
        return tree.parts[0], tree.parts[1]
    return tree, ONE


def terms_of(tree: Tree) -> tuple[Tree, ...]:
    return tree.parts if isinstance(tree, Node) and tree.sign == "+" else (tree,)


def nodes(tree: Tree) -> Iterator[Tree]:
    """The tree and all that is in it."""
    waiting = [tree]
    while waiting:
        found = waiting.pop()
        yield found
        if isinstance(found, Node):
            waiting.extend(reversed(found.parts))


@lru_cache(maxsize=8192)
def names_in(tree: Tree) -> frozenset[str]:
    if isinstance(tree, Node):
        return frozenset().union(*map(names_in, tree.parts))
    return frozenset((tree,)) if isinstance(tree, str) else frozenset()


def replaced(tree: Tree, old: Tree, new: Tree) -> Tree:
    """The tree with one of its parts (a name, a number) changed wherever it stands."""
    if tree == old:
        return new
    if not isinstance(tree, Node) or not tree.parts:
        return tree
    return rebuilt(tree.sign, [replaced(part, old, new) for part in tree.parts])


def rebuilt(sign: str, parts: list[Tree]) -> Tree:
    """An operation in the normal shape, without products that are zero."""
    match sign:
        case "+":
            return add(parts)
        case "*":
            return ZERO if ZERO in parts else multiply(*parts)
        case "/":
            return divide(*parts)
        case _:
            return Node(sign, tuple(parts))
