"""Hidden operator: an operation on two numbers is shown at work; what does it make of other pairs?

The rule has a told form, and the answer is given only where all rules of this form that explain
the examples agree on it. `solve` tries every rule and does not look at the one that was drawn;
`verify` applies that one. Each example is needed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations, product
from math import prod
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators.worlds._coinage import coined
from puzzlemill.generators.worlds._examples import fewest

Term: TypeAlias = tuple[str, int, int]  # what is multiplied, by what, and what is added
Rule: TypeAlias = tuple[tuple[str, Term], ...]  # the first condition that holds decides
Pair: TypeAlias = tuple[int, int]
Ints: TypeAlias = npt.NDArray[np.int64]

SIGNS = "◇○△□☆⊕⊗⊙"
SKINS = ("signs", "functions", "machines")
FAR = 12  # numbers that go in are at most this
POOL = 7  # examples to choose from, for each case
DRAWS = 60
PARTS: dict[str, Callable[[Ints, Ints], Ints]] = {
    "a": lambda a, b: a,
    "b": lambda a, b: b,
    "a + b": lambda a, b: a + b,
    "|a - b|": lambda a, b: abs(a - b),
    "max(a, b)": np.maximum,
    "min(a, b)": np.minimum,
    "a * b": lambda a, b: a * b,
    "a * a + b": lambda a, b: a * a + b,
    "a + b * b": lambda a, b: a + b * b,
}
CONDITIONS: dict[str, Callable[[Ints, Ints], npt.NDArray[np.bool_]]] = {
    "a is less than b": lambda a, b: a < b,
    "a is even": lambda a, b: a % 2 == 0,
    "b is even": lambda a, b: b % 2 == 0,
    "a + b is even": lambda a, b: (a + b) % 2 == 0,
    "a is a multiple of 3": lambda a, b: a % 3 == 0,
    "b is a multiple of 3": lambda a, b: b % 3 == 0,
    "a is more than 6": lambda a, b: a > 6,
    "b is more than 6": lambda a, b: b > 6,
}


@dataclass(frozen=True, slots=True)
class Knobs:
    parts: int  # PARTS that a rule may have
    factor: int  # the largest
    added: int  # the largest
    cases: int  # of the rule, each but the last with a condition of its own


@dataclass(frozen=True, slots=True)
class Operation:
    skin: str
    name: str
    parts: tuple[str, ...]  # that the rule may have
    factor: int
    added: int
    rule: Rule  # not told
    examples: tuple[tuple[int, int, int], ...]
    queries: tuple[Pair, ...]  # one for each case


def generate(rng: Random, knobs: Knobs) -> Operation | None:
    skin = rng.choice(SKINS)
    name = rng.choice(SIGNS) if skin == "signs" else coined(rng, 1)[0]
    parts = tuple(sorted(rng.sample(list(PARTS), min(knobs.parts, len(PARTS))), key=[*PARTS].index))
    for _ in range(DRAWS):
        rule = drawn_rule(rng, knobs, parts)
        if not rule:
            continue
        pairs = list(product(range(1, FAR + 1), range(1, FAR + 1)))
        pool = rng.sample(pairs, (POOL + 1) * knobs.cases)
        queries = [
            next((pair for pair in pool if _case(rule, *pair) == at), None)
            for at in range(knobs.cases)
        ]
        asked = tuple(pair for pair in queries if pair)
        shown = tuple((a, b, _applied(rule, a, b)) for a, b in pool if (a, b) not in asked)
        if len(asked) < knobs.cases:
            continue
        operation = Operation(skin, name, parts, knobs.factor, knobs.added, rule, shown, asked)
        gold = tuple(_applied(rule, *pair) for pair in asked)
        examples = fewest(shown, _reader(operation), gold)
        if examples:
            return replace(operation, examples=examples)
    return None


def drawn_rule(rng: Random, knobs: Knobs, parts: Sequence[str]) -> Rule:
    """None where two cases do the same."""
    conditions = [*rng.sample(list(CONDITIONS), knobs.cases - 1), ""]
    terms = [
        (rng.choice(parts), rng.randint(1, knobs.factor), rng.randint(0, knobs.added))
        for _ in conditions
    ]
    return tuple(zip(conditions, terms, strict=True)) if len(set(terms)) == len(terms) else ()


def solve(operation: Operation) -> tuple[int, ...] | None:
    return _reader(operation)(operation.examples)


def verify(operation: Operation, results: tuple[int, ...]) -> float:
    return float(results == tuple(_applied(operation.rule, *pair) for pair in operation.queries))


def render(operation: Operation, style: Style) -> Prompt:
    cases = len(operation.rule)
    shown = "\n".join(f"{_written(operation, a, b)} = {c}" for a, b, c in operation.examples)
    asked = listed(_written(operation, *pair) for pair in operation.queries)
    formula = (
        f"k * T + c, where T is one of {listed(operation.parts, 'or')}, k is a whole number"
        f" from 1 to {operation.factor}, and c is a whole number from 0 to {operation.added}"
    )
    if any("m" in part for part in operation.parts):
        formula += " (max is the larger number, min the smaller)"
    form = f"The result is {formula}."
    if cases > 1:
        count = {2: "two formulas", 3: "three formulas"}[cases]
        sequel = "if C holds, and by the other formula otherwise"
        if cases > 2:
            sequel = "if C holds, by the second if C does not hold but D does, and otherwise by"
            sequel += " the third"
        letters = "C is one" if cases == 2 else "C and D are two different ones"
        form = (
            f"There are {count} of the form {formula}; T, k and c may differ between them. The"
            f" result is found by the first formula {sequel}. {letters} of these conditions:"
            f" {'; '.join(CONDITIONS)}."
        )
    which = f"the {'function' if operation.skin == 'functions' else 'operation'} {operation.name}"
    if operation.skin == "machines":
        which = f"a machine called {operation.name.title()}, which takes two numbers a and b"
    pair = f"For {_written(operation, 'a', 'b')}: " if operation.skin != "machines" else ""
    sure = "The examples leave no doubt: all rules of this form that fit them give the same results"
    verb = "is" if len(operation.queries) == 1 else "are"
    return Prompt(
        style.pick(
            f"The rule of {which} is hidden. Its form is known. {pair}{form}\n\nExamples:\n{shown}"
            f"\n\n{sure}. What {verb} {asked}?",
            f"{shown}\n\nThese are examples of {which}. {pair}{form} {sure} for {asked}. What"
            f" {'is it' if verb == 'is' else 'are they, in this order'}?",
            f"Work out {asked}.\n\nHere is what is known of {which}. {pair}{form}\n\n{shown}"
            f"\n\n{sure}.",
        ),
        form="the result" if cases == 1 else "the results in this order, separated by commas",
    )


def steps(operation: Operation) -> list[str]:
    """The rule, and what it makes of the pairs."""
    lines = [
        f"{f'if {condition}: ' if condition else 'otherwise: ' if at else ''}"
        f"{factor} * ({part}) + {added}"
        for at, (condition, (part, factor, added)) in enumerate(operation.rule)
    ]
    return lines + [
        f"{_written(operation, a, b)} = {_applied(operation.rule, a, b)}"
        for a, b in operation.queries
    ]


def kin(operation: Operation) -> Rule:
    return operation.rule


def canon(operation: Operation) -> list[object]:
    space = operation.parts, operation.factor, operation.added
    return [operation.rule, space, sorted(operation.examples), operation.queries]


def without(operation: Operation) -> Iterator[Operation]:
    for example in operation.examples:
        fewer = tuple(each for each in operation.examples if each != example)
        yield replace(operation, examples=fewer)


def hardness(operation: Operation) -> float:
    """The rules of the told form, by order of magnitude, and the examples to fit."""
    terms = len(operation.parts) * operation.factor * (operation.added + 1)
    space = terms ** len(operation.rule) * len(CONDITIONS) ** (len(operation.rule) - 1)
    return float(np.log2(float(space))) + len(operation.examples)


def _reader(
    operation: Operation,
) -> Callable[[tuple[tuple[int, int, int], ...]], tuple[int, ...] | None]:
    """What examples settle, all terms on all numbers being worked out beforehand."""
    pairs = [(a, b) for a, b, _ in operation.examples] + [*operation.queries]
    a, b = np.array(pairs, np.int64).T
    parts = np.stack([PARTS[part](a, b) for part in operation.parts])
    scaled = parts[:, None] * np.arange(1, operation.factor + 1)[:, None]
    every = (scaled[:, :, None] + np.arange(operation.added + 1)[:, None]).reshape(-1, len(pairs))
    results = np.array([result for *_, result in operation.examples])
    fits = _columns(every[:, : len(results)] == results)
    values = every[:, len(results) :]
    known: list[list[int]] = values.tolist()
    tests = {name: test(a, b) for name, test in CONDITIONS.items()}
    place = {example: 1 << at for at, example in enumerate(operation.examples)}
    last = np.ones(len(pairs), np.bool_)
    orders = list[tuple[list[int], list[int]]]()  # the examples of each case; cases of the queries
    for order in permutations(CONDITIONS, len(operation.rule) - 1):
        # The case of every pair: the first condition that holds.
        case = np.array([*(tests[name] for name in order), last]).argmax(axis=0)
        shown = case[: len(results), None] == np.arange(len(operation.rule))
        orders.append((_columns(shown), case[len(results) :].tolist()))

    @cache
    def fitting(shown: int) -> int:
        """Terms that fit all of some examples."""
        terms = (1 << len(every)) - 1
        for at, fit in enumerate(fits):
            if shown >> at & 1:
                terms &= fit
        return terms

    @cache
    def giving(query: int, value: int) -> int:
        """Terms that give a value for a query."""
        return _columns(values[:, query, None] == value)[0]

    def settled(examples: tuple[tuple[int, int, int], ...]) -> tuple[int, ...] | None:
        chosen = sum([place[example] for example in examples])
        agreed: set[tuple[int, ...]] = set()
        for shown, asked in orders:
            terms = [fitting(chosen & mine) for mine in shown]
            if not all(terms):
                continue
            given = list[int]()
            for query, at in enumerate(asked):
                value = known[(terms[at] & -terms[at]).bit_length() - 1][query]
                if terms[at] & ~giving(query, value):
                    return None
                given.append(value)
            agreed.add(tuple(given))
            if len(agreed) > 1:
                return None
        return agreed.pop() if agreed else None

    return settled


def _columns(flags: npt.NDArray[np.bool_]) -> list[int]:
    """Each column as a number, with a bit for each row."""
    packed = np.packbits(flags, axis=0, bitorder="little")
    return [int.from_bytes(column.tobytes(), "little") for column in packed.T]


def _case(rule: Rule, a: int, b: int) -> int:
    """The interpreter: which of the formulas holds for two numbers."""
    for at, (condition, _) in enumerate(rule):
        left, _, rest = condition.partition(" is ")
        number = {"a": a, "b": b, "a + b": a + b}.get(left, 0)
        match rest.split():
            case []:
                return at
            case ["even"]:
                holds = number in range(0, 2 * FAR + 1, 2)
            case ["less", *_]:
                holds = b - a > 0
            case ["a", "multiple", *_]:
                holds = number in (3, 6, 9, 12)
            case _:
                holds = number in range(7, FAR + 1)
        if holds:
            return at
    raise AssertionError(rule)


def _applied(rule: Rule, a: int, b: int) -> int:
    part, factor, added = rule[_case(rule, a, b)][1]
    match part:
        case "max(a, b)":
            value = (a + b + abs(a - b)) // 2
        case "min(a, b)":
            value = (a + b - abs(a - b)) // 2
        case "|a - b|":
            value = a - b if a > b else b - a
        case _:
            value = 0
            for factors in (term.split(" * ") for term in part.split(" + ")):
                value += prod(a if letter == "a" else b for letter in factors)
    return added + sum([value] * factor)


def _written(operation: Operation, a: object, b: object) -> str:
    if operation.skin == "signs":
        return f"{a} {operation.name} {b}"
    name = operation.name.title() if operation.skin == "machines" else operation.name
    return f"{name}({a}, {b})"


LADDER = (
    Knobs(5, 3, 5, 1),
    Knobs(9, 5, 9, 1),
    Knobs(5, 3, 5, 2),
    Knobs(9, 5, 9, 2),
    Knobs(9, 5, 9, 3),
)
FAMILY = Family(
    Operation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="one result or several"),
    hardness=hardness,
    proof="unique",
    solver="every rule of the form",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("induction", "calculation", "rules"),
    theme="hidden_rules",
)
