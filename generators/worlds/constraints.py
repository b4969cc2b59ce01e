"""Constraints: numbers in a row under rules that are drawn, which leave one assignment.

`solve` tries all assignments at once, as one array with an axis for each thing; `verify` judges the
answer rule by rule. No rule can be left out: without it, more than one assignment is left. What
decides the split is the set of rules, whatever the things are called.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import pairwise
from math import log2
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import capital, listed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._constraint_terms import (
    OF_THE_ROW,
    SYMMETRIC,
    Rule,
    drawn,
    holds,
    worded,
)

TRIES = 60  # rules that are drawn for one puzzle

Truth = NDArray[np.bool_]

# How a skin calls the number of a thing; what stands in the row; and what has a number.
SKINS = {
    "letters": ("{}", "the unknowns {} are written in a row, in this order",
                "each of them stands for"),
    "friends": ("{}'s number", "{} sit in a row, in this order", "each of them has a ticket with"),
    "lockers": ("the {} number", "the {} lockers stand in a row, in this order",
                "each locker bears"),
    "houses": ("{}'s number", "{} live in a row of houses, in this order", "each house has"),
}  # fmt: skip
NAMES = {
    "letters": ("P", "Q", "R", "S", "T", "U", "V", "W"),
    "friends": ("Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Hugo"),
    "lockers": ("red", "blue", "green", "white", "black", "yellow", "brown", "grey"),
    "houses": ("Mr Adler", "Mrs Birch", "Mr Cole", "Mrs Dunn", "Mr Ellis", "Mrs Frost", "Mr Gale",
               "Mrs Hill"),
}  # fmt: skip
THINGS = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # each of which has a number
    values: int  # the numbers go from 1 to this
    joined: float  # the share of rules that join two others: "if ..., then ..."


@dataclass(frozen=True, slots=True)
class World:
    names: tuple[str, ...]  # of the things A, B and so on, in the row's order
    values: int
    rules: tuple[Rule, ...]
    skin: str


def generate(rng: Random, knobs: Knobs) -> World | None:
    things = THINGS[: knobs.things]
    hidden = {thing: rng.randint(1, knobs.values) for thing in things}
    rules = list[Rule]()
    truths = list[Truth]()
    left = whole = np.ones((knobs.values,) * knobs.things, bool)
    count = left.size
    for _ in range(TRIES):
        rule = drawn(rng, things, knobs.values, hidden, knobs.joined)
        truth = _truth(rule, things, knobs.values)
        fewer = left & truth
        if (number := int(np.count_nonzero(fewer))) < count:
            rules.append(rule)
            truths.append(truth)
            left, count = fewer, number
        if count == 1:
            break
    else:
        return None
    kept = _needed(truths, whole)
    rng.shuffle(kept)
    if not 2 <= len(kept) <= 26:
        return None
    skin = rng.choice(list(SKINS))
    names = rng.sample(NAMES[skin], knobs.things)
    names = sorted(names) if skin == "letters" else names
    return World(tuple(names), knobs.values, tuple(rules[each] for each in kept), skin)


def solve(world: World) -> tuple[int, ...] | None:
    """All assignments at once, each rule an array of truths; None unless just one is left."""
    things = THINGS[: len(world.names)]
    left = np.ones((world.values,) * len(things), bool)
    for rule in world.rules:
        left = left & _truth(rule, things, world.values)
    found = np.argwhere(left)
    return tuple(int(number) + 1 for number in found[0]) if len(found) == 1 else None


def verify(world: World, numbers: tuple[int, ...]) -> float:
    if len(numbers) != len(world.names) or not all(1 <= it <= world.values for it in numbers):
        return 0.0
    values = dict(zip(THINGS, numbers))
    return float(all(holds(rule, values) for rule in world.rules))


def render(world: World, style: Style) -> Prompt:
    noun, row, has = SKINS[world.skin]
    called = {thing: noun.format(name) for thing, name in zip(THINGS, world.names)}
    rules = [capital(worded(rule, called)) + "." for rule in world.rules]
    listing = "\n".join(f"{at}. {rule}" for at, rule in enumerate(rules, 1))
    scene = f"{capital(row.format(listed(world.names)))}; {has} a whole number from 1 to"
    scene = f"{scene} {world.values}."
    question = style.pick(
        f"{scene} The same number may be used more than once. These rules hold:\n\n{listing}\n\n"
        "Which numbers are they?",
        "Find the only assignment of numbers that obeys every rule below."
        f" {scene} Numbers may repeat.\n\n{listing}",
        f"{listing}\n\nThose are the rules of a small world. {scene} Two of the numbers may be"
        " equal unless the rules forbid it. Just one choice of numbers follows all the rules."
        " Which one?",
    )
    return Prompt(question, "the numbers in the order of the row, separated by commas")


def without(world: World) -> Iterator[World]:
    for at in range(len(world.rules)):
        yield replace(world, rules=world.rules[:at] + world.rules[at + 1 :])


def canon(world: World) -> Any:
    """The rules, whatever the things are called, and their places where a rule speaks of places."""
    things = THINGS[: len(world.names)]
    facts = [*world.rules, ("size", len(things), world.values)]
    if any(rule[0] in OF_THE_ROW for rule in world.rules):
        facts += [("next", left, right) for left, right in pairwise(things)]
    return unnamed(facts, things, SYMMETRIC)


def hardness(world: World) -> float:
    """Bits to be found, and rules that must be split into cases."""
    bits = len(world.names) * log2(world.values)
    return bits + 0.2 * sum(rule[0] in ("if", "one of") for rule in world.rules)


def _needed(truths: list[Truth], whole: Truth) -> list[int]:
    """The rules that are left when each in turn is dropped that the others can do without."""
    after = [whole]  # what all rules from the last to this one leave
    for truth in reversed(truths[1:]):
        after.append(after[-1] & truth)
    kept, before = list[int](), whole
    for at, truth in enumerate(truths):
        alone = not kept and at == len(truths) - 1
        if alone or np.count_nonzero(before & after.pop()) > 1:
            kept.append(at)
            before = before & truth
    return kept


@lru_cache(maxsize=32)
def _axes(things: int, most: int) -> tuple[NDArray[np.int64], ...]:
    """The numbers that a thing may have, along the axis of each thing."""
    shapes = [[-1 if it == at else 1 for it in range(things)] for at in range(things)]
    return tuple(np.arange(1, most + 1).reshape(shape) for shape in shapes)


def _truth(rule: Rule, things: str, most: int) -> Truth:
    """Where a rule holds, with an axis for each thing; one that it does not need has length 1."""
    kind, *rest = rule
    if kind in ("if", "one of"):
        first, second = (_truth(part, things, most) for part in rest)
        return (~first | second) if kind == "if" else first ^ second
    row = _axes(len(things), most)
    has = [row[things.index(each)] for each in rest if isinstance(each, str)]
    number = next((each for each in rest if isinstance(each, int)), 0)
    match kind:
        case "is" | "sum":
            return np.asarray(sum(has) == number)
        case "above":
            return np.asarray(has[0] > number)
        case "even" | "odd":
            return np.asarray(has[0] & 1 == (kind == "odd"))
        case "less":
            return np.asarray(has[1] - has[0] > 0)
        case "equal" | "unlike":
            return np.asarray((has[0] - has[1] == 0) == (kind == "equal"))
        case "gap" | "far":
            wide = (has[0] - has[1]) ** 2
            return np.asarray(wide == number**2 if kind == "gap" else wide >= number**2)
        case "product":
            return np.asarray(has[0] * has[1] == number)
        case "plus":
            return np.asarray(has[0] - has[1] - has[2] == 0)
        case "between":
            return np.asarray((has[0] - has[1]) * (has[0] - has[2]) < 0)
        case "parity":
            return np.asarray((has[0] + has[1]) & 1 == 0)
        case "distinct":
            a, b, c = has
            return np.asarray((a - b) * (b - c) * (a - c) != 0)
        case "count":
            return np.asarray(sum((axis == number).astype(np.int8) for axis in row) == rest[1])
        case "kinds":
            used = reduce(np.bitwise_or, [1 << axis for axis in row])
            return np.asarray(np.bitwise_count(used) == number)
        case "peak" | "around":
            at = things.index(rest[0])
            left, right = row[at - 1], row[at + 1]
            peak = (has[0] > left) & (has[0] > right)
            return np.asarray(peak if kind == "peak" else left + right == number)
        case "no twins":
            return reduce(np.logical_and, [left != right for left, right in pairwise(row)])
        case _:
            return np.asarray(sum((a < b).astype(np.int8) for a, b in pairwise(row)) == number)


LADDER = (
    Knobs(3, 4, 0.0),
    Knobs(4, 4, 0.2),
    Knobs(5, 5, 0.4),
    Knobs(6, 6, 0.5),
    Knobs(7, 6, 0.7),
)
FAMILY = Family(
    World,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    hardness=hardness,
    proof="unique",
    solver="all assignments at once, as an array",
    guess_rate=0.06,
    canon=canon,
    without=without,
    skills=("constraints", "deduction", "search"),
    theme="drawn_rules",
)
