"""Decimal arithmetic: work out an expression of decimals, signs and brackets, exactly.

Every division ends after few places. `solve` reads the text as a person would and shifts points,
with whole numbers and counts of places; `verify` folds the tree in exact fractions, so that a point
that slipped or a bracket lost in the writing would set the two at odds.
"""

import re
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core.answers.arithmetic import Tree, leaves
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.arithmetic._decimals import Exact, decimal, places_of, shown
from puzzlemill.generators.arithmetic._trees import (
    Bag,
    bag,
    calculated,
    folded,
    joined,
    shaped,
    written,
)

Scaled: TypeAlias = tuple[int, int]  # so many units of so many decimal places


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # numbers in the expression
    digits: int  # of one number, at most
    places: int  # decimal places of one number, at most
    signs: Literal["+-", "+-*", "+-*/"]  # operations that may occur


@dataclass(frozen=True, slots=True)
class Expression:
    tree: Tree  # a place among the numbers, or (sign, left, right)
    numbers: tuple[Scaled, ...]


def generate(rng: Random, knobs: Knobs) -> Expression | None:
    signs = knobs.signs + "+-" * (knobs.terms // 4)  # many products in a row grow too long
    return _filled(rng, knobs, shaped(rng, knobs.terms, signs, plain_divisors=True))


def twin(rng: Random, knobs: Knobs, expression: Expression) -> Expression | None:
    return _filled(rng, knobs, expression.tree)


def solve(expression: Expression) -> Fraction | None:
    """Shunting-yard over the text, in whole numbers whose points are counted beside them."""
    tokens = re.findall(r"[\d.]+|\S", _text(expression))
    found = calculated(tokens, _read, _apply)
    return None if found is None else Fraction(found[0], 10 ** found[1])


def verify(expression: Expression, answer: Fraction) -> float:
    values = [Fraction(units, 10**places) for units, places in expression.numbers]
    return float(folded(expression.tree, values) == answer)


def render(expression: Expression, style: Style) -> Prompt:
    text = _text(expression)
    if style.pick("computer", "book") == "book":
        text = text.replace("*", "×").replace("/", "÷")
    order = "multiplication and division come before addition and subtraction"
    return Prompt(
        style.pick(
            f"Work this out exactly:\n\n{text}\n\nBrackets come first, {order}, and operations of"
            " the same kind go from left to right. Do not round.",
            f"What is the exact value of the following expression?\n\n{text}\n\nThe usual order of"
            f" operations holds: brackets first; then {order}; operations of equal rank go from"
            " left to right.",
            f"Calculate {text}\n\nGive every decimal place of the result. As usual, what stands in"
            f" brackets is worked out first, {order}, and otherwise you go from left to right.",
        ),
        form="the exact value as a decimal number, not rounded, such as -12.375",
    )


def steps(expression: Expression) -> list[str]:
    lines: list[str] = []
    _reduce(expression.tree, expression.numbers, lines)
    return lines


def progress(expression: Expression, lines: Lines) -> float:
    return results_derived(FAMILY, expression, lines)


def hardness(expression: Expression) -> float:
    """The digits that a worked solution writes down."""
    return sum(char.isdigit() for line in steps(expression) for char in line)


def canon(expression: Expression) -> Bag:
    return bag(expression.tree, [_shown(number) for number in expression.numbers])


def _filled(rng: Random, knobs: Knobs, tree: Tree) -> Expression | None:
    for _ in range(TRIES):
        numbers = [_drawn(rng, knobs) for _ in leaves(tree)]
        if _mended(rng, knobs, tree, numbers) is not None:
            return Expression(tree, tuple(numbers))
    return None


def _drawn(rng: Random, knobs: Knobs) -> Scaled:
    """A decimal with no idle zero at its end; the last places of a long one are seldom all used."""
    places = rng.randint(1, knobs.places)
    units = rng.randint(11, 10**knobs.digits - 1)
    return units + (units % 10 == 0), places


def _mended(rng: Random, knobs: Knobs, tree: Tree, numbers: list[Scaled]) -> Fraction | None:
    """The value, with divisors and dividends changed so that divisions end; None if it is long."""
    if isinstance(tree, int):
        return Fraction(numbers[tree][0], 10 ** numbers[tree][1])
    sign, left, right = tree
    over = _mended(rng, knobs, left, numbers)
    under = None if over is None else _mended(rng, knobs, right, numbers)
    if over is None or under is None:
        return None
    if sign == "/":
        over, under = _even(rng, knobs, tree, over, under, numbers)
    value = joined(sign, over, under)
    most = knobs.digits + knobs.places + 3
    return value if value is not None and _length(value) <= most else None


def _even(
    rng: Random, knobs: Knobs, tree: Tree, over: Fraction, under: Fraction, numbers: list[Scaled]
) -> tuple[Fraction, Fraction]:
    """A plain dividend becomes a multiple of its divisor; under a bracket stands a friendly one."""
    assert not isinstance(tree, int), "what divides is a node"
    assert isinstance(tree[2], int), "a divisor is one number"
    if isinstance(tree[1], int):
        under = Fraction(rng.randint(2, 99), rng.choice((10, 100)))
        over = under * Fraction(rng.randint(2, 10**knobs.digits // 10 + 10), rng.choice((1, 10)))
        numbers[tree[1]] = _scaled(over)
    else:
        friendly = [
            number for number in FRIENDLY if over % number == 0 or number in (2, 4, 5, 8, 25)
        ]
        under = Fraction(rng.choice(friendly), rng.choice((1, 10, 100)))
    numbers[tree[2]] = _scaled(under)
    return over, under


def _scaled(value: Fraction) -> Scaled:
    places = places_of(value) or 0
    return int(value * 10**places), places


def _length(value: Fraction) -> int:
    """The digits of a decimal; very many where it does not end."""
    places = places_of(value)
    return 10**6 if places is None else max(len(str(abs(int(value * 10**places)))), places)


def _read(token: str) -> Scaled:
    whole, _, part = token.partition(".")
    return int(whole + part), len(part)


def _apply(sign: str, left: Scaled, right: Scaled) -> Scaled | None:
    """One operation: points are aligned for sums, counted for products, moved for quotients."""
    (one, before), (other, after) = left, right
    if sign == "*":
        return one * other, before + after
    if sign == "/":
        for more in range(LONGEST if other else 0):
            if one * 10**more % other == 0:
                return _without_end(one * 10**more // other, before + more - after)
        return None
    places = max(before, after)
    one, other = one * 10 ** (places - before), other * 10 ** (places - after)
    return (one + other if sign == "+" else one - other), places


def _without_end(units: int, places: int) -> Scaled:
    return (units * 10**-places, 0) if places < 0 else (units, places)


def _shown(number: Scaled) -> str:
    return shown(*number)


def _text(expression: Expression) -> str:
    return written(expression.tree, [_shown(number) for number in expression.numbers])


def _reduce(tree: Tree, numbers: tuple[Scaled, ...], lines: list[str]) -> Fraction:
    """The value, with a line for every operation on the way."""
    if isinstance(tree, int):
        return Fraction(numbers[tree][0], 10 ** numbers[tree][1])
    sign, left, right = tree
    one, other = _reduce(left, numbers, lines), _reduce(right, numbers, lines)
    result = joined(sign, one, other)
    assert result is not None, "no puzzle divides by zero"
    second = decimal(other) if other >= 0 else f"({decimal(other)})"
    lines.append(f"{decimal(one)} {sign} {second} = {decimal(result)}")
    return result


TRIES = 40
LONGEST = 60  # places of a quotient
FRIENDLY = (2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 18, 25)
LADDER = (
    Knobs(2, 2, 1, "+-"),
    Knobs(3, 3, 2, "+-*"),
    Knobs(5, 4, 2, "+-*/"),
    Knobs(8, 4, 3, "+-*/"),
    Knobs(13, 5, 4, "+-*/"),
)
FAMILY = Family(
    Expression,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=Exact(),
    hardness=hardness,
    proof="unique",
    solver="shunting-yard with counted decimal places",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=canon,
    twin=twin,
    skills=("decimals", "calculation"),
    peers=(
        "reasoning-gym/decimal_arithmetic",
        "reasoning-gym/decimal_chain_sum",
        "mathematics_dataset/mul_div_multiple",
    ),
    version=2,
)
