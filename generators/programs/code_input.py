"""Code input: find arguments for which a short Python function gives a wanted result.

Several inputs may do. Functions are written in a small language of our own that is printed as
Python and never run as such. `solve` tries every input with the function turned into nested
functions; `verify` goes through the function's tree with the input that it is given.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.answers.program.tree import Block, Expression, Statement, lines
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.programs._language import Compiled, Endless, listing, walked_call
from puzzlemill.generators.programs._writing import Writer

PARAMETERS, NUMBERS, LISTS = "nm", "abc", ("xs", "ys")
TRIED = 25  # other inputs, none of which may give the same
WORK = 400_000  # statements that trying every input may take; about half a second


@dataclass(frozen=True, slots=True)
class Knobs:
    parameters: int  # of the function
    values: int  # that a parameter may have
    statements: int  # of the function, beside those inside others
    depth: int  # of statements inside others
    lists: int  # variables that hold a list


@dataclass(frozen=True, slots=True)
class Wanted:
    program: Block  # the function f
    parameters: int
    values: int
    result: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Wanted | None:
    parameters = tuple(PARAMETERS[: knobs.parameters])
    numbers, lists = tuple(NUMBERS[: knobs.parameters]), LISTS[: knobs.lists]
    body: list[Statement] = [
        ("=", name, (rng.choice("+*"), parameters[at % len(parameters)], rng.randint(2, 9)))
        for at, name in enumerate(numbers)
    ]
    for name in lists:
        mixed = [
            ("%", ("*", parameter, rng.randint(3, 9)), rng.choice([11, 13, 17, 19]))
            for parameter in parameters
        ]
        items = [rng.randint(0, 12) for _ in range(rng.randint(2, 4))]
        body.append(("=", name, ("list", *mixed, *items)))
    writer = Writer(rng, (*parameters, *numbers), lists, 4)
    for at in range(knobs.statements):
        body.append(writer.compound(knobs.depth) if at % 2 and knobs.depth else writer.statement(0))
    # Of a list only its sum and one item: in the whole list the arguments might be read off.
    shown: list[Expression] = [("call", "sum", name) for name in lists]
    shown += [("at", name, ("%", numbers[0], ("call", "len", name))) for name in lists]
    body.append(("return", ("list", *numbers, *shown)))
    program = (("def", "f", parameters, tuple(body)),)
    called = _called(program)
    inputs = [tuple(rng.randrange(knobs.values) for _ in parameters) for _ in range(TRIED + 1)]
    first, *others = dict.fromkeys(inputs)
    try:
        result, spent = called(first)
        if not isinstance(result, list) or len(result) > 12 or max(map(abs, result)) > 9999:
            return None
        if set(first) & set(result):  # the parameter might be read off
            return None
        steps = {first: spent}
        for given in others:
            other, steps[given] = called(given)
            if other == result:
                return None
    except Endless:
        return None
    spent = sum(steps[given] for given in inputs)
    if spent * knobs.values**knobs.parameters > WORK * len(inputs):
        return None
    return Wanted(program, knobs.parameters, knobs.values, tuple(result))


def solve(wanted: Wanted) -> tuple[int, ...] | None:
    called = _called(wanted.program)
    for given in _inputs(wanted):
        try:
            result, _ = called(given)
        except Endless:
            continue
        if isinstance(result, list) and tuple(result) == wanted.result:
            return given
    return None


def verify(wanted: Wanted, given: tuple[int, ...]) -> float:
    if len(given) != wanted.parameters or any(not 0 <= it < wanted.values for it in given):
        return 0.0
    try:
        result = walked_call(wanted.program, "f", given)
    except Endless:
        return 0.0
    return float(isinstance(result, list) and tuple(result) == wanted.result)


def recheck(wanted: Wanted, given: tuple[int, ...]) -> bool:
    if given not in _inputs(wanted):
        return False
    try:
        result = Compiled(wanted.program).call("f", given)
    except Endless:
        return False
    return bool(result == list(wanted.result))


def render(wanted: Wanted, style: Style) -> Prompt:
    text = listing(wanted.program)
    result = list(wanted.result)
    names = " and ".join(PARAMETERS[: wanted.parameters])
    several = wanted.parameters > 1
    last = wanted.values - 1
    which = f"integers from 0 to {last}" if several else f"an integer from 0 to {last}"
    marks = ", ".join("?" * wanted.parameters)
    question = style.pick(
        f"Here is a Python function.\n\n```python\n{text}\n```\n\nFind {names}, {which}, so that"
        f" the function returns {result}.",
        f"```python\n{text}\n```\n\nA call f({marks}) of this Python function returned {result}."
        f" The argument{'s were' if several else ' was'} {which}. What could"
        f" {'they' if several else 'it'} have been?",
        f"For which {names} ({which}) is f({', '.join(PARAMETERS[: wanted.parameters])}) =="
        f" {result} true, if f is this Python function? One solution is"
        f" enough.\n\n```python\n{text}\n```",
    )
    form = (
        f"the values of {names} in this order, separated by commas" if several else "the value of n"
    )
    return Prompt(question, form)


def canon(wanted: Wanted) -> list[object]:
    return [listing(wanted.program), wanted.result]


def hardness(wanted: Wanted) -> int:
    return len(lines(wanted.program)) + 3 * wanted.parameters + len(wanted.result)


@lru_cache(maxsize=2)
def _called(program: Block) -> Callable[[tuple[int, ...]], tuple[Any, int]]:
    """What the function gives, and how many statements that takes, once an input."""
    compiled = Compiled(program)

    @cache
    def called(given: tuple[int, ...]) -> tuple[Any, int]:
        return compiled.call("f", given), compiled.steps

    return called


def _inputs(wanted: Wanted) -> Iterator[tuple[int, ...]]:
    return product(range(wanted.values), repeat=wanted.parameters)


LADDER = (
    Knobs(1, 30, 2, 0, 0),
    Knobs(1, 30, 3, 1, 0),
    Knobs(1, 40, 5, 1, 1),
    Knobs(2, 40, 6, 2, 1),
    Knobs(2, 40, 8, 2, 2),
)
FAMILY = Family(
    Wanted,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the arguments"),
    notation=lambda wanted: answers.IntList(names=tuple(PARAMETERS[: wanted.parameters])),
    hardness=hardness,
    solver="every input in turn",
    guess_rate=0.08,
    version=3,
    recheck=recheck,
    canon=canon,
    skills=("search", "code"),
    peers=("reasoning-gym/codeio", "InternBootcamp/codeio"),
)
