"""Fraction arithmetic: the exact value of an expression of fractions, or of a tower of them.

The puzzle holds a tree and the policy sees its text: `solve` reads the plain text and keeps every
number as a pair in lowest terms; `verify` folds the tree in Python's fractions, so that a bracket
lost in the writing would set the two at odds.
"""

import re
from dataclasses import dataclass
from math import gcd
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.arithmetic import Tree, leaves
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.arithmetic._trees import (
    RANK,
    Bag,
    bag,
    calculated,
    folded,
    joined,
    shaped,
    written,
)

Number: TypeAlias = tuple[int, ...]  # a whole number; above, below; whole, above, below
Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # numbers in the expression
    most: int  # the largest denominator
    digits: int  # of a numerator or denominator on the way, at most
    # sums and differences; all operations; or a tower of fractions
    shape: Literal["sum", "any", "tower"]
    mixed: bool  # whether mixed numbers such as 2 1/3 are among them


@dataclass(frozen=True, slots=True)
class Expression:
    tree: Tree  # a place among the numbers, or (sign, left, right)
    numbers: tuple[Number, ...]


def generate(rng: Random, knobs: Knobs) -> Expression | None:
    match knobs.shape:
        case "sum":
            tree = shaped(rng, knobs.terms, "+-")
        case "any":
            tree = shaped(rng, knobs.terms, "+-*/")
        case _:
            tree = _tower(rng, 0, knobs.terms)
    return _filled(rng, knobs, tree)


def twin(rng: Random, knobs: Knobs, expression: Expression) -> Expression | None:
    return _filled(rng, knobs, expression.tree, expression.numbers)


def solve(expression: Expression) -> Fraction | None:
    """Shunting-yard over the text, in pairs of whole numbers in lowest terms."""
    if any(_value(number) is None for number in expression.numbers):
        return None
    tokens = re.findall(r"\d+ \d+/\d+|\d+/\d+|\d+|\S", _text(expression))
    found = calculated([token.replace("÷", "/") for token in tokens], _read, _apply)
    return None if found is None else Fraction(*found)


def verify(expression: Expression, answer: Fraction) -> float:
    values = [_value(number) for number in expression.numbers]
    known = [value for value in values if value is not None]
    return float(len(known) == len(values) and folded(expression.tree, known) == answer)


def render(expression: Expression, style: Style) -> Prompt:
    text = _text(expression)
    latex = f"$${_latex(expression.tree, expression.numbers)}$$"
    mixed = any(len(number) == 3 for number in expression.numbers)
    note = "A fraction such as 3/4 is one number" + (
        ", and 2 1/3 is the mixed number two and a third." if mixed else "."
    )
    tex_note = " A whole number next to a fraction makes a mixed number." if mixed else ""
    order = (
        "Brackets come first, then * and ÷, then + and -; operations of equal rank go from left to"
        " right."
    )
    return Prompt(
        style.pick(
            f"Calculate the exact value:\n\n{text}\n\n{note} {order}",
            f"Simplify to a single number.\n\n{latex}{_apart(tex_note)}",
            f"What does this expression come to?\n\n{text}\n\n{order} {note}",
            f"Evaluate{' the following expression' if tex_note else ''} exactly:\n\n{latex}"
            f"{_apart(tex_note)}",
        ),
        form="one exact number: an integer or a fraction in lowest terms, such as -7/2",
    )


def steps(expression: Expression) -> list[str]:
    lines = [
        f"{_written(number)} = {_value(number)}" for number in expression.numbers if len(number) > 2
    ]
    _reduce(expression.tree, expression.numbers, lines)
    return lines


def progress(expression: Expression, lines: Lines) -> float:
    return results_derived(FAMILY, expression, lines)


def hardness(expression: Expression) -> float:
    """The digits that a worked solution writes down."""
    return sum(char.isdigit() for line in steps(expression) for char in line)


def canon(expression: Expression) -> Bag:
    return bag(expression.tree, [_written(number) for number in expression.numbers])


def _tower(rng: Random, first: int, terms: int) -> Tree:
    """a + b / (c + d / (e + ...)), with a minus here and there."""
    if terms < 3:
        return first if terms == 1 else ("+", first, first + 1)
    return (rng.choice("++-"), first, ("/", first + 1, _tower(rng, first + 2, terms - 2)))


def _filled(
    rng: Random, knobs: Knobs, tree: Tree, like: tuple[Number, ...] = ()
) -> Expression | None:
    """The tree with numbers, of the same kinds as others where some are given."""
    for _ in range(TRIES):
        kinds = [len(number) for number in like] or [_kind(rng, knobs) for _ in leaves(tree)]
        numbers = tuple(_drawn(rng, knobs, kind) for kind in kinds)
        fits = any(kind > 1 for kind in kinds) or knobs.shape == "tower"
        if fits and _humane(tree, numbers, 10**knobs.digits) is not None:
            return Expression(tree, numbers)
    return None


def _kind(rng: Random, knobs: Knobs) -> int:
    """1: a whole number; 2: a fraction; 3: a mixed number."""
    if knobs.shape == "tower":
        return rng.choice((1, 1, 1, 2, 3) if knobs.mixed else (1, 1, 2))
    return rng.choice((1, 2, 2, 2, 3, 3) if knobs.mixed else (1, 2, 2, 2, 2))


def _drawn(rng: Random, knobs: Knobs, kind: int) -> Number:
    if kind == 1:
        return (rng.randint(1, 9),)
    below = rng.randint(2, knobs.most)
    most = below - 1 if kind == 3 else below + below // 2
    above = rng.choice([over for over in range(1, most + 1) if gcd(over, below) == 1])
    return (above, below) if kind == 2 else (rng.randint(1, 9), above, below)


def _humane(tree: Tree, numbers: tuple[Number, ...], most: int) -> Fraction | None:
    """The value; None where a number on the way is long, or nothing to divide by."""
    if isinstance(tree, int):
        return _value(numbers[tree])
    left, right = _humane(tree[1], numbers, most), _humane(tree[2], numbers, most)
    if left is None or right is None:
        return None
    value = joined(tree[0], left, right)
    return None if value is None or max(abs(value.numerator), value.denominator) >= most else value


def _value(number: Number) -> Fraction | None:
    """What a number is; None for one that is not written so: 2 7/3, 1/0."""
    *whole, above, below = number if len(number) > 1 else (*number, 1)
    if not below or (whole and above >= below):
        return None
    return Fraction(above, below) + sum(whole)


def _read(token: str) -> Pair:
    whole, _, part = token.rpartition(" ")
    above, _, below = part.partition("/")
    over, under = int(above), int(below or 1)
    return over + under * int(whole or 0), under


def _apply(sign: str, left: Pair, right: Pair) -> Pair | None:
    (above, below), (over, under) = left, right
    if sign == "/":
        if not over:
            return None
        over, under, sign = under, over, "*"
    if sign == "*":
        above, below = above * over, below * under
    else:
        over = over if sign == "+" else -over
        above, below = above * under + over * below, below * under
    shared = gcd(above, below)
    return above // shared, below // shared


def _written(number: Number) -> str:
    *whole, above, below = number if len(number) > 1 else (*number, 0)
    if len(number) == 1:
        return f"{above}"
    return f"{whole[0]} {above}/{below}" if whole else f"{above}/{below}"


def _text(expression: Expression) -> str:
    places = [_written(number) for number in expression.numbers]
    return written(expression.tree, places, _sign)


def _sign(sign: str) -> str:
    return "÷" if sign == "/" else sign


def _latex(tree: Tree, numbers: tuple[Number, ...]) -> str:
    if isinstance(tree, int):
        number = numbers[tree]
        if len(number) == 1:
            return f"{number[0]}"
        *whole, above, below = number
        return f"{whole[0] if whole else ''}\\frac{{{above}}}{{{below}}}"
    sign, left, right = tree
    one, other = _latex(left, numbers), _latex(right, numbers)
    if sign == "/":
        return f"\\dfrac{{{one}}}{{{other}}}"
    if _rank(left) < RANK[sign]:
        one = f"\\left({one}\\right)"
    if _rank(right) <= RANK[sign]:
        other = f"\\left({other}\\right)"
    return f"{one} {CDOT if sign == '*' else sign} {other}"


def _rank(tree: Tree) -> int:
    """As in `written`, but that a fraction stroke brackets both its sides."""
    return 4 if isinstance(tree, int) or tree[0] == "/" else RANK[tree[0]]


def _apart(note: str) -> str:
    return f"\n\n{note.strip()}" if note else ""


def _reduce(tree: Tree, numbers: tuple[Number, ...], lines: list[str]) -> Fraction:
    """The value, with a line for every operation on the way."""
    if isinstance(tree, int):
        value = _value(numbers[tree])
        assert value is not None, "a puzzle's numbers are sound"
        return value
    sign, left, right = tree
    one, other = _reduce(left, numbers, lines), _reduce(right, numbers, lines)
    result = joined(sign, one, other)
    assert result is not None, "no puzzle divides by zero"
    second = other if other >= 0 else f"({other})"
    lines.append(f"{one} {_sign(sign)} {second} = {result}")
    return result


TRIES = 30
CDOT = "\\cdot"
LADDER = (
    Knobs(2, 6, 3, "sum", False),
    Knobs(3, 8, 4, "any", False),
    Knobs(5, 12, 5, "any", True),
    Knobs(7, 12, 6, "tower", True),
    Knobs(11, 16, 8, "any", True),
)
FAMILY = Family(
    Expression,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="shunting-yard in pairs of whole numbers",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("numbers",),
    twin=twin,
    skills=("fractions", "calculation"),
    peers=("mathematics_dataset/mixed", "mathematics_dataset/mul_div_multiple"),
    version=2,
)
