"""Disguise: one number of the question is said as an expression of the same value.

`solve` works the expression out; `verify` knows the number that it was made from.
"""

from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from puzzlemill.core.answers.arithmetic import Formula, Tree, sparing, value
from puzzlemill.core.family import PHRASINGS, AnyFamily, Prompt, Start, Style
from puzzlemill.core.inputs import Input, exchangeable, exchanged, prompt_with
from puzzlemill.core.variants import Operator, around, letters, pack


@dataclass(frozen=True, slots=True)
class Disguised:
    parent: tuple[Any, ...]
    field: str
    way: tuple[int, ...]
    value: int
    phrasing: int
    expression: str


def vary(parent: AnyFamily, rng: Random, knobs: Any, start: Start) -> Disguised | None:
    puzzle = start.puzzle
    phrasing = rng.randrange(PHRASINGS)
    place = exchangeable(parent, puzzle, Style(phrasing), rng)
    if place is None:
        return None
    text = sparing(_expression(rng, place.value, 2))
    return Disguised(pack(puzzle), place.field, place.way, place.value, phrasing, text)


def place_of(disguised: Disguised) -> Input:
    return Input(disguised.field, disguised.way, disguised.value)


def solve(parent: AnyFamily, disguised: Disguised) -> Any:
    tree = Formula().read(disguised.expression)
    number = None if tree is None else value(tree)
    if number is None or number.denominator != 1:
        return None
    puzzle = parent.puzzle(*disguised.parent)
    return parent.solve(exchanged(puzzle, place_of(disguised), int(number)))


def render(parent: AnyFamily, disguised: Disguised, style: Style) -> Prompt:
    puzzle, inner = parent.puzzle(*disguised.parent), Style(disguised.phrasing)
    letter = letters([parent.render(puzzle, inner).text], 1)[0]
    asked = prompt_with(parent, puzzle, place_of(disguised), letter, inner)
    assert asked, f"{parent.name}: {place_of(disguised)} is not told as it is"
    question = style.pick(
        f"Let {letter} = {disguised.expression}.\n\n{asked.question}",
        f"{asked.question}\n\nHere {letter} is the number {disguised.expression}.",
        f"The letter {letter} stands for the value of {disguised.expression} in the following"
        f" problem.\n\n{asked.question}",
    )
    return Prompt(question, asked.form, asked.images)


def steps(parent: AnyFamily, disguised: Disguised) -> list[str]:
    assert parent.steps, f"{parent.name} has no steps"
    found = parent.steps(parent.puzzle(*disguised.parent))
    return [f"{disguised.expression} = {disguised.value}", *found]


def of(parent: AnyFamily) -> AnyFamily:
    return around(
        parent,
        Disguised,
        partial(vary, parent),
        partial(render, parent),
        solve=partial(solve, parent),
        steps=parent.steps and partial(steps, parent),
    )


def _expression(rng: Random, number: int, depth: int) -> Tree:
    """A sum, difference, product or quotient that comes to the number."""
    divisors = [each for each in range(2, min(number, 40)) if number % each == 0]
    sign = rng.choice("+-*/" if divisors else "+-/")
    match sign:
        case "+" if number > 1:
            left = rng.randint(1, number - 1)
            right = number - left
        case "*":
            left = rng.choice(divisors)
            right = number // left
        case "/":
            right = rng.randint(2, 9)
            left = number * right
        case _:
            sign, right = "-", rng.randint(1, max(9, number // 2))
            left = number + right
    if depth > 1:
        if rng.random() < 0.5:
            return (sign, _expression(rng, left, depth - 1), right)
        return (sign, left, _expression(rng, right, depth - 1))
    return (sign, left, right)


OPERATOR = Operator(of, lambda family: "" if family.inputs else "names no `inputs`")
