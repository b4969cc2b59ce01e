"""Expressions as trees of signs over numbered places: shapes, texts, values.

A tree is the number of a place, or (sign, left, right). What stands in the places is the family's.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias, TypeVar

from puzzlemill.core.answers.arithmetic import Tree
from puzzlemill.core.fraction import Fraction

N = TypeVar("N")
Bag: TypeAlias = str | tuple[str, list["Bag"], list["Bag"]]

RANK = {"(": 0, ")": 1, "+": 2, "-": 2, "*": 3, "/": 3}


def shaped(rng: Random, terms: int, signs: str, plain_divisors: bool = False) -> Tree:
    """A random tree over the places 0, 1, 2, … from left to right.

    With `plain_divisors` nothing is divided by a bracket.
    """
    return _shaped(rng, 0, terms, signs, plain_divisors)


def _shaped(rng: Random, first: int, terms: int, signs: str, plain: bool) -> Tree:
    if terms == 1:
        return first
    left = rng.choice((1, rng.randint(1, terms - 1), terms - 1))
    sign = rng.choice(signs if left == terms - 1 or not plain else signs.replace("/", ""))
    return (
        sign,
        _shaped(rng, first, left, signs, plain),
        _shaped(rng, first + left, terms - left, signs, plain),
    )


def written(tree: Tree, places: Sequence[str], spell: Callable[[str], str] = str) -> str:
    """The expression with no bracket but those that keep the tree's shape."""
    if isinstance(tree, int):
        return places[tree]
    sign, left, right = tree
    first, second = written(left, places, spell), written(right, places, spell)
    if _rank(left) < RANK[sign]:
        first = f"({first})"
    if _rank(right) <= RANK[sign]:
        second = f"({second})"
    return f"{first} {spell(sign)} {second}"


def _rank(tree: Tree) -> int:
    return 4 if isinstance(tree, int) else RANK[tree[0]]


def calculated(
    tokens: Sequence[str], read: Callable[[str], N], apply: Callable[[str, N, N], N | None]
) -> N | None:
    """Shunting-yard: a sign waits until a weaker one, or a bracket, follows. None: no value."""
    numbers: list[N] = []
    signs: list[str] = []
    for token in [*tokens, ")"]:
        if token not in RANK:
            numbers.append(read(token))
            continue
        while token != "(" and signs and RANK[signs[-1]] >= RANK[token]:
            right, left = numbers.pop(), numbers.pop()
            result = apply(signs.pop(), left, right)
            if result is None:
                return None
            numbers.append(result)
        if token != ")":
            signs.append(token)
        elif signs:
            signs.pop()  # the bracket that this one closes
    return numbers.pop()


def folded(tree: Tree, values: Sequence[Fraction]) -> Fraction | None:
    """The value; None where something is divided by zero."""
    if isinstance(tree, int):
        return values[tree]
    left, right = folded(tree[1], values), folded(tree[2], values)
    return None if left is None or right is None else joined(tree[0], left, right)


def joined(sign: str, left: Fraction, right: Fraction) -> Fraction | None:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            return left / right if right else None


def bag(tree: Tree, places: Sequence[str]) -> Bag:
    """Sums and products as unordered bags: 2 + 3 * 4 is 4 * 3 + 2."""
    if isinstance(tree, int):
        return places[tree]
    family = "+-" if tree[0] in "+-" else "*/"
    plus: list[Bag] = []
    minus: list[Bag] = []
    _gather(tree, family, places, plus, minus)
    return (family, sorted(plus, key=repr), sorted(minus, key=repr))


def _gather(
    tree: Tree, family: str, places: Sequence[str], plus: list[Bag], minus: list[Bag]
) -> None:
    """The terms of a sum, or factors of a product; what is taken away goes to `minus`."""
    if isinstance(tree, int) or tree[0] not in family:
        plus.append(bag(tree, places))
        return
    _gather(tree[1], family, places, plus, minus)
    turned = tree[0] == family[1]
    _gather(tree[2], family, places, *((minus, plus) if turned else (plus, minus)))
