"""Base arithmetic: a calculation whose numbers stand in several bases, answered in another.

`solve` never leaves the base of the answer: it carries each number over digit by digit and adds,
subtracts and multiplies rows of digits as on paper. `verify` reads every row as a number and folds
the tree.
"""

import re
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core.answers.arithmetic import Tree
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.arithmetic._numerals import ALPHABET, Numeral, in_base, value
from puzzlemill.generators.arithmetic._trees import (
    Bag,
    bag,
    calculated,
    folded,
    joined,
    shaped,
    written,
)

Row: TypeAlias = tuple[int, tuple[int, ...]]  # sign, digits from the last to the first


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # numbers in the calculation
    bits: int  # of each of them, at most
    highest: int  # the largest base
    signs: Literal["+-", "+-*"]  # operations that may occur
    bases: Literal["one", "several"]  # whether all numbers stand in one base


@dataclass(frozen=True, slots=True)
class Calculation:
    tree: Tree  # a place among the numbers, or (sign, left, right)
    numbers: tuple[tuple[str, int], ...]  # digits and their base
    target: int


def generate(rng: Random, knobs: Knobs) -> Calculation | None:
    if knobs.bases == "one":
        target = rng.choice([base for base in range(2, knobs.highest + 1) if base != 10])
        bases = [target] * knobs.terms
    else:
        usual = [base for base in (2, 8, 16) if base <= knobs.highest]
        bases = [rng.choice((*usual, *[rng.randint(3, knobs.highest)] * 3)) for _ in range(99)]
        target = rng.choice([base for base in bases if base != 10])
        bases = bases[: knobs.terms]
    calculation = Calculation(
        shaped(rng, knobs.terms, knobs.signs), tuple(("0", base) for base in bases), target
    )
    return twin(rng, knobs, calculation)


def twin(rng: Random, knobs: Knobs, calculation: Calculation) -> Calculation | None:
    """The same tree and bases, other digits; no result is too long for its rung."""
    for _ in range(20):
        numbers = tuple(
            (in_base(rng.randint(2 ** (knobs.bits // 2), 2**knobs.bits - 1), base), base)
            for _, base in calculation.numbers
        )
        made = Calculation(calculation.tree, numbers, calculation.target)
        if abs(_total(made)) < 2 ** (3 * knobs.bits + knobs.terms):
            return made
    return None


def solve(calculation: Calculation) -> str | None:
    """Schoolbook arithmetic on rows of digits in the base of the answer."""
    base = calculation.target
    if not 2 <= base <= 36:
        return None

    def carried(token: str) -> Row:
        digits, source = calculation.numbers[int(token)]
        row: Row = (1, ())
        for sign in digits:
            shifted = _times(row[1], _small(source, base), base)
            row = (1, _plus(shifted, _small(ALPHABET.index(sign), base), base))
        return row

    def apply(sign: str, left: Row, right: Row) -> Row:
        return _applied(sign, left, right, base)

    places = [str(place) for place in range(len(calculation.numbers))]
    tokens = re.findall(r"\d+|\S", written(calculation.tree, places))
    found = calculated(tokens, carried, apply)
    assert found is not None, "sums, differences and products always are"
    digits = "".join(ALPHABET[digit] for digit in reversed(found[1])) or "0"
    return f"-{digits}" if found[0] < 0 and found[1] else digits


def verify(calculation: Calculation, answer: str) -> float:
    return float(value(answer, calculation.target) == _total(calculation))


def render(calculation: Calculation, style: Style) -> Prompt:
    text = written(calculation.tree, [f"{d}_{base}" for d, base in calculation.numbers])
    target = calculation.target
    note = "The base of each number is written after an underscore: 12_7 is 9 in base ten."
    question = style.pick(
        f"Work out the following and give the result in base {target}.\n\n{text}\n\n{note}",
        f"{note} What is the value of\n\n{text}\n\nwritten in base {target}?",
        f"Calculate {text}\n\n{note} Write the result in base {target}.",
    )
    signs = "".join(digits for digits, _ in calculation.numbers)
    if target > 10 or not signs.isdigit():
        question += " Digits above 9 are letters: A is worth 10, B is worth 11, and so on."
    if len(calculation.numbers) > 2:
        question += " Brackets come first, then * and then + and -."
    if _minus(calculation.tree):
        question += " A result below zero gets a minus sign."
    example = "2B0" if target > 10 else "1101" if target == 2 else "120"
    return Prompt(question, form=f"the digits of the result alone, such as {example}")


def steps(calculation: Calculation) -> list[str]:
    lines = [
        f"{digits}_{base} = {value(digits, base)}"
        for digits, base in calculation.numbers
        if base != 10
    ]
    _reduce(calculation.tree, calculation, lines)
    whole = _total(calculation)
    left = int(abs(whole))
    while left:
        left, rest = divmod(left, calculation.target)
        lines.append(f"{left * calculation.target + rest} = {left} * {calculation.target} + {rest}")
    return [*lines, f"{whole} is {in_base(int(whole), calculation.target)}_{calculation.target}"]


def progress(calculation: Calculation, lines: Lines) -> float:
    return results_derived(FAMILY, calculation, lines)


def hardness(calculation: Calculation) -> float:
    """The digits that a worked solution writes down."""
    return sum(char.isalnum() for line in steps(calculation) for char in line)


def canon(calculation: Calculation) -> tuple[Bag, int]:
    places = [f"{digits}_{base}" for digits, base in calculation.numbers]
    return bag(calculation.tree, places), calculation.target


def _total(calculation: Calculation) -> Fraction:
    values = [value(digits, base) for digits, base in calculation.numbers]
    total = folded(calculation.tree, [found for found in values if found is not None])
    assert total is not None, "nothing is divided"
    return total


def _small(number: int, base: int) -> tuple[int, ...]:
    """A source base, or one of its digits, in the base of the answer."""
    row = []
    while number:
        number, digit = divmod(number, base)
        row.append(digit)
    return tuple(row)


def _plus(left: tuple[int, ...], right: tuple[int, ...], base: int) -> tuple[int, ...]:
    row, carry = [], 0
    for place in range(max(len(left), len(right)) + 1):
        carry += sum(each[place] for each in (left, right) if place < len(each))
        row.append(carry % base)
        carry //= base
    return _trimmed(row)


def _less(left: tuple[int, ...], right: tuple[int, ...], base: int) -> tuple[int, ...]:
    """A difference whose left side is not the smaller one."""
    row, borrow = [], 0
    for place, digit in enumerate(left):
        digit -= borrow + (right[place] if place < len(right) else 0)
        borrow = int(digit < 0)
        row.append(digit + base * borrow)
    return _trimmed(row)


def _times(left: tuple[int, ...], right: tuple[int, ...], base: int) -> tuple[int, ...]:
    row = [0] * (len(left) + len(right) + 1)
    for place, digit in enumerate(left):
        carry = 0
        for other in range(len(right) + 1):
            carry += row[place + other] + (digit * right[other] if other < len(right) else 0)
            row[place + other] = carry % base
            carry //= base
    return _trimmed(row)


def _trimmed(row: list[int]) -> tuple[int, ...]:
    while row and not row[-1]:
        row.pop()
    return tuple(row)


def _applied(sign: str, left: Row, right: Row, base: int) -> Row:
    (one, first), (other, second) = left, right
    if sign == "*":
        return one * other, _times(first, second, base)
    if sign == "-":
        other = -other
    if one == other:
        return one, _plus(first, second, base)
    if (len(first), first[::-1]) >= (len(second), second[::-1]):
        return one, _less(first, second, base)
    return other, _less(second, first, base)


def _minus(tree: Tree) -> bool:
    return not isinstance(tree, int) and (tree[0] == "-" or _minus(tree[1]) or _minus(tree[2]))


def _reduce(tree: Tree, calculation: Calculation, lines: list[str]) -> Fraction:
    if isinstance(tree, int):
        found = value(*calculation.numbers[tree])
        assert found is not None, "the digits are those of the base"
        return found
    sign, left, right = tree
    one, other = _reduce(left, calculation, lines), _reduce(right, calculation, lines)
    result = joined(sign, one, other)
    assert result is not None, "nothing is divided"
    lines.append(f"{one} {sign} {other if other >= 0 else f'({other})'} = {result}")
    return result


LADDER = (
    Knobs(2, 5, 9, "+-", "one"),
    Knobs(2, 8, 16, "+-*", "one"),
    Knobs(3, 10, 16, "+-*", "several"),
    Knobs(5, 12, 36, "+-*", "several"),
    Knobs(8, 16, 36, "+-*", "several"),
)
FAMILY = Family(
    Calculation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=Numeral(),
    hardness=hardness,
    proof="unique",
    solver="schoolbook arithmetic in the base of the answer",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=canon,
    twin=twin,
    skills=("bases", "digits", "calculation"),
    peers=("mathematics_dataset/add_or_sub_in_base",),
    version=2,
)
