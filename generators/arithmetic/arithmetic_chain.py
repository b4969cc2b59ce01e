"""Arithmetic chain: work out an expression of whole numbers, signs and brackets.

Every division comes out even, and no number on the way grows long. The puzzle holds a tree and the
policy sees its text: `solve` reads the text as a person would, `verify` folds the tree in exact
fractions, so that a bracket lost in the writing would set the two at odds.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from operator import add, floordiv, mul, sub
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.arithmetic import Tree, value
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # numbers in the expression
    most: int  # the largest of them
    depth: int  # brackets inside brackets, at most
    operators: Literal["+-", "+-*", "+-*/"]  # that may occur


@dataclass(frozen=True, slots=True)
class Expression:
    tree: Tree  # a number, or (sign, left, right)


Bag: TypeAlias = int | tuple[str, list["Bag"], list["Bag"]]


def generate(rng: Random, knobs: Knobs) -> Expression:
    return Expression(_group(rng, knobs, knobs.terms, knobs.depth))


def solve(expression: Expression) -> int:
    """Shunting-yard over the text: a sign waits until a weaker one, or a bracket, follows."""
    numbers: list[int] = []
    signs: list[str] = []
    for token in [*_TOKENS.findall(_text(expression.tree)), ")"]:
        if token.isdigit():
            numbers.append(int(token))
            continue
        while token != "(" and signs and _RANK[signs[-1]] >= _RANK[token]:
            right, left = numbers.pop(), numbers.pop()
            numbers.append(_CALCULATE[signs.pop()](left, right))
        if token != ")":
            signs.append(token)
        elif signs:
            signs.pop()  # the bracket that this one closes
    return numbers.pop()


def verify(expression: Expression, answer: int) -> float:
    return float(value(expression.tree) == answer)


def render(expression: Expression, style: Style) -> Prompt:
    text = _text(expression.tree)
    if style.pick("computer", "book") == "book":
        text = text.replace("*", "×").replace("/", "÷")
    order = "multiplication and division come before addition and subtraction"
    return Prompt(
        style.pick(
            f"What is the value of this expression?\n\n{text}\n\nBrackets are worked out first,"
            f" {order}, and operations of the same kind go from left to right.",
            f"Calculate:\n\n{text}\n\nUse the usual order of operations: brackets first; then"
            f" {order}; operations of equal rank go from left to right.",
            f"Work out {text}\n\nThe usual rules hold: what is in brackets comes first, {order},"
            " and otherwise you go from left to right.",
        ),
        form="one integer",
    )


def steps(expression: Expression) -> list[str]:
    lines: list[str] = []
    _reduce(expression.tree, lines)
    return lines


def progress(expression: Expression, lines: Lines) -> float:
    return results_derived(FAMILY, expression, lines)


def hardness(expression: Expression) -> float:
    """The digits that a worked solution writes down."""
    return sum(char.isdigit() for line in steps(expression) for char in line)


def canon(expression: Expression) -> Bag:
    """Sums and products as unordered bags: 2 + 3 * 4 is 4 * 3 + 2."""
    return _bag(expression.tree)


def _group(rng: Random, knobs: Knobs, terms: int, depth: int) -> Tree:
    """A run of numbers and signs; with depth to spare, a part of it stands in brackets."""
    items: list[Tree] = []
    if depth and terms > 2:
        inside = rng.randint(max(2, terms // 2), terms - 1)
        parts = (
            (inside // 2, inside - inside // 2) if inside > 3 and rng.random() < 0.5 else (inside,)
        )
        items = [_group(rng, knobs, part, depth - 1) for part in parts]
        terms -= inside
    items += [rng.randint(2, knobs.most) for _ in range(terms)]
    rng.shuffle(items)
    done: Tree | None = None
    sign, run = "+", items[0]  # the product that is still open, and the sign before it
    for item in items[1:]:
        if (product := _joined(rng, knobs, run, item)) is not None:
            run = product
        else:
            done = run if done is None else (sign, done, run)
            sign, run = rng.choice("+-"), item
    return run if done is None else (sign, done, run)


def _joined(rng: Random, knobs: Knobs, run: Tree, item: Tree) -> Tree | None:
    """The run multiplied or divided by the item; None for neither. Brackets are seldom idle."""
    plain = isinstance(run, int) and isinstance(item, int)
    if knobs.operators == "+-" or rng.random() < (0.6 if plain else 0.25):
        return None
    if knobs.operators == "+-*/" and rng.random() < 0.5:
        quotient = _quotient(rng, knobs, run, item)
        if quotient is not None:
            return quotient
    humane = abs(_whole(run) * _whole(item)) <= LIMIT * knobs.most
    return ("*", run, item) if humane else None


def _quotient(rng: Random, knobs: Knobs, run: Tree, item: Tree) -> Tree | None:
    """The run divided by the item; a plain number on either side is changed to come out even."""
    over, under = _whole(run), _whole(item)
    if isinstance(item, int):
        under = min(knobs.most, abs(over) // 2)
        divisors = [number for number in range(2, under + 1) if over % number == 0]
        return ("/", run, rng.choice(divisors)) if divisors else None
    if isinstance(run, int):
        most = knobs.most // max(1, abs(under))
        return ("/", abs(under) * rng.randint(2, most), item) if abs(under) > 1 < most else None
    return ("/", run, item) if under and over % under == 0 else None


def _whole(tree: Tree) -> int:
    if isinstance(tree, int):
        return tree
    return _CALCULATE[tree[0]](_whole(tree[1]), _whole(tree[2]))


def _text(tree: Tree) -> str:
    """The expression with no bracket but those that keep the tree's shape."""
    if isinstance(tree, int):
        return str(tree)
    sign, left, right = tree
    first, second, rank = _text(left), _text(right), _RANK[sign]
    if not isinstance(left, int) and _RANK[left[0]] < rank:
        first = f"({first})"
    if not isinstance(right, int) and _RANK[right[0]] <= rank:
        second = f"({second})"
    return f"{first} {sign} {second}"


def _reduce(tree: Tree, lines: list[str]) -> int:
    """The value, with a line for every operation on the way."""
    if isinstance(tree, int):
        return tree
    sign, left, right = tree[0], _reduce(tree[1], lines), _reduce(tree[2], lines)
    result = _CALCULATE[sign](left, right)
    lines.append(f"{left} {sign} {right if right >= 0 else f'({right})'} = {result}")
    return result


def _bag(tree: Tree) -> Bag:
    if isinstance(tree, int):
        return tree
    family = "+-" if tree[0] in "+-" else "*/"
    plus: list[Bag] = []
    minus: list[Bag] = []
    _gather(tree, family, plus, minus)
    plus.sort(key=repr)
    minus.sort(key=repr)
    return (family, plus, minus)


def _gather(tree: Tree, family: str, plus: list[Bag], minus: list[Bag]) -> None:
    """The terms of a sum, or factors of a product; what is taken away goes to `minus`."""
    while not isinstance(tree, int) and tree[0] in family:
        sign, tree, right = tree
        if sign == family[0]:
            _gather(right, family, plus, minus)
        else:
            _gather(right, family, minus, plus)
    plus.append(_bag(tree))


LIMIT = 50  # a product is at most this many times the largest number
_CALCULATE: dict[str, Callable[[int, int], int]] = {"+": add, "-": sub, "*": mul, "/": floordiv}
_TOKENS = re.compile(r"\d+|\S")
_RANK = {"(": 0, ")": 1, "+": 2, "-": 2, "*": 3, "/": 3}
LADDER = (
    Knobs(2, 9, 0, "+-"),
    Knobs(4, 20, 1, "+-*"),
    Knobs(8, 60, 2, "+-*/"),
    Knobs(16, 200, 3, "+-*/"),
    Knobs(36, 999, 4, "+-*/"),
)
FAMILY = Family(
    Expression,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="shunting-yard",
    guess_rate=0.15,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("calculation",),
    peers=(
        "reasoning-gym/chain_sum",
        "reasoning-gym/basic_arithmetic",
        "mathematics_dataset/add_sub_multiple",
    ),
    version=2,
)
