"""Invented operators: which number fits in an equation between operations that are drawn?

Operations are terms of sums, products, remainders, digits and cases. `solve` evaluates the equation
for all numbers at once and answers only if one alone fits; `verify` puts the answer in and reduces
the one term, with arithmetic of its own. Both branches of each case, and each operation, are
needed: with any of them ignored, another number fits, or not exactly one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log2
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.worlds._coinage import coined
from puzzlemill.generators.worlds._operator_terms import (
    Operation,
    Term,
    Use,
    drawn_operation,
    function,
    in_signs,
    in_words,
    reduced,
    used,
    value_of,
    values_of,
)

SIGNS = "◇○△□☆⊕⊗⊙"
FAR = 10_000  # values are less
DRAWS = 100  # of an equation for the same operations


@dataclass(frozen=True, slots=True)
class Knobs:
    operations: int  # that are drawn
    depth: int  # of a definition's terms
    cases: int  # definitions that tell two cases apart, if both can be used
    uses: int  # of operations in the equation
    most: int  # the largest number that x may be


@dataclass(frozen=True, slots=True)
class Equation:
    skin: str  # "signs", "functions" or "machines"
    names: tuple[str, ...]  # of the operations
    operations: tuple[Operation, ...]
    left: Term
    right: int
    most: int


def generate(rng: Random, knobs: Knobs) -> Equation | None:
    skin = rng.choice(("signs", "functions", "machines"))
    count = min(knobs.operations, knobs.uses)
    names = tuple(rng.sample(SIGNS, count)) if skin == "signs" else coined(rng, count)
    cases = min(knobs.cases, count, knobs.uses - count)
    operations = tuple(drawn_operation(rng, knobs.depth, place < cases) for place in range(count))
    functions = [*map(function, operations)]
    simpler = [(place, function(operation)) for place, operation in _simpler(operations)]
    for _ in range(DRAWS):
        spare = rng.choices(range(count), k=knobs.uses - count - cases)
        places = [*range(count), *range(cases), *spare]
        left = _expression(rng, rng.sample(places, len(places)), True)
        x = rng.randint(2, knobs.most)
        uses: list[list[Use]] = [[] for _ in functions]
        right = used(functions, left, x, uses)
        if right >= FAR or any(
            all(other(a, b) == value for a, b, value in uses[place]) for place, other in simpler
        ):
            continue  # most often a branch that is never taken
        if any(value_of([*functions[:place], other, *functions[place + 1 :]], left, x) == right
               for place, other in simpler):  # fmt: skip
            continue
        equation = Equation(skin, names, operations, left, right, knobs.most)
        if solve(equation) == x:
            return equation
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(equation: Equation) -> int | None:
    values = values_of(equation.operations, equation.left, equation.most)
    fitting = [x for x, value in enumerate(values) if value == equation.right]
    return fitting[0] if len(fitting) == 1 else None


def verify(equation: Equation, x: int) -> float:
    if not 0 <= x <= equation.most:
        return 0.0
    return float(reduced(equation.operations, equation.left, {"x": x}) == equation.right)


def render(equation: Equation, style: Style) -> Prompt:
    told = "\n".join(
        _defined(equation.skin, name, operation)
        for name, operation in zip(equation.names, equation.operations, strict=True)
    )
    text = f"{_written(equation, equation.left)} = {equation.right}"
    legend = _legend(equation)
    what = {"signs": "operations", "functions": "functions", "machines": "number machines"}
    noun = what[equation.skin]
    feed = " Each of them takes two numbers, a first and then b, and gives one back;"
    feed += f" {equation.names[0]}(2, 3) is what {equation.names[0]} gives for a = 2 and b = 3."
    machines = feed if equation.skin == "machines" else ""
    return Prompt(
        style.pick(
            f"Some {noun} are defined for whole numbers a and b from 0 on.{machines}\n\n{told}\n\n"
            f"{legend}There is exactly one whole number x from 0 to {equation.most} with\n\n{text}"
            "\n\nWhat is x?",
            f"Solve for x, a whole number from 0 to {equation.most}:\n\n{text}\n\nThe {noun} in it"
            f" are invented.{machines} This is what they do:\n\n{told}\n\n{legend}Only one"
            " x fits.",
            f"Here are the rules of some {noun} that you will not know:\n\n{told}\n\n"
            f"{legend}All numbers are whole and not negative.{machines}\n\nFor which"
            f" x from 0 to {equation.most} does {text} hold? There is only one.",
        ).replace(" \n", "\n"),
        form="the whole number x",
    )


def steps(equation: Equation) -> list[str]:
    """The equation with x put in, inner operations first."""
    lines: list[str] = []

    def worked(term: Term) -> int:
        if not isinstance(term, tuple):
            return x if term == "x" else int(term)
        _, place, first, second = term
        a, b = worked(first), worked(second)
        value = reduced(equation.operations, ("use", place, a, b), {})
        lines.append(f"{_applied(equation, place, str(a), str(b))} = {value}")
        return value

    x = solve(equation) or 0
    worked(equation.left)
    return [f"x = {x}", *lines]


def canon(equation: Equation) -> list[object]:
    """Names and skins do not matter, nor the order of the definitions."""
    order = sorted(range(len(equation.operations)), key=lambda at: repr(equation.operations[at]))
    new = {place: at for at, place in enumerate(order)}

    def moved(term: Term) -> Term:
        if not isinstance(term, tuple):
            return term
        return (term[0], new[term[1]], *map(moved, term[2:]))

    return [kin(equation), moved(equation.left), equation.right, equation.most]


def kin(equation: Equation) -> list[Operation]:
    return sorted(equation.operations, key=repr)


def without(equation: Equation) -> Iterator[Equation]:
    """One branch of a case for both, and an operation that gives one of its numbers back."""
    operations = equation.operations
    for place, other in _simpler(operations):
        yield replace(equation, operations=(*operations[:place], other, *operations[place + 1 :]))


def _simpler(operations: tuple[Operation, ...]) -> Iterator[tuple[int, Operation]]:
    for place, (condition, then, otherwise) in enumerate(operations):
        for result in ("a", "b", *([then, otherwise] if condition else [])):
            yield place, ((), result, result)


def hardness(equation: Equation) -> float:
    """Parts of definitions that one evaluation goes through, and the numbers to choose from."""
    sizes = [sum(map(_size, operation)) for operation in equation.operations]
    return sum(sizes[place] for place in _uses(equation.left)) + log2(equation.most)


def _expression(rng: Random, places: list[int], unknown: bool) -> Term:
    """Uses of operations, with the unknown in one place."""
    if not places:
        return "x" if unknown else rng.randint(2, 12)
    first, rest = places[0], places[1:]
    cut = rng.randint(0, len(rest))
    left = unknown and rng.random() < 0.5
    return (
        "use",
        first,
        _expression(rng, rest[:cut], left),
        _expression(rng, rest[cut:], unknown and not left),
    )


def _uses(term: Term) -> list[int]:
    if not isinstance(term, tuple):
        return []
    return [term[1], *(place for each in term[2:] for place in _uses(each))]


def _size(term: Term) -> int:
    return 1 + sum(map(_size, term[1:])) if isinstance(term, tuple) and term else 0


def _applied(equation: Equation, place: int, a: str, b: str) -> str:
    name = equation.names[place]
    return f"{a} {name} {b}" if equation.skin == "signs" else f"{name}({a}, {b})"


def _written(equation: Equation, term: Term, inner: bool = False) -> str:
    if not isinstance(term, tuple):
        return str(term)
    first, second = (_written(equation, each, True) for each in term[2:])
    text = _applied(equation, term[1], first, second)
    return f"({text})" if inner and equation.skin == "signs" else text


def _defined(skin: str, name: str, operation: Operation) -> str:
    condition, then, otherwise = operation
    say = in_words if skin == "machines" else in_signs
    head = {"signs": f"a {name} b =", "functions": f"{name}(a, b) =", "machines": f"{name} gives"}
    if not condition:
        return f"{head[skin]} {say(then)}"
    return f"{head[skin]} {say(then)} if {say(condition)}, and otherwise {say(otherwise)}"


EXPLAINED = {
    "remainder": "s mod t is the remainder when s is divided by t.",
    "digits": "digits(s) is the sum of the decimal digits of s.",
    "multiple": "0 is a multiple of every number.",
}


def _legend(equation: Equation) -> str:
    """What needs to be said of the words in the definitions; the machines tell it themselves."""
    said = repr(equation.operations)
    words = ["multiple"] if equation.skin == "machines" else list(EXPLAINED)
    return "".join(f"{EXPLAINED[word]} " for word in words if f"'{word}'" in said)


LADDER = (
    Knobs(1, 1, 0, 1, 30),
    Knobs(2, 1, 1, 3, 40),
    Knobs(3, 2, 1, 5, 60),
    Knobs(4, 2, 2, 7, 80),
    Knobs(5, 3, 3, 9, 99),
)
FAMILY = Family(
    Equation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="evaluation for every number",
    guess_rate=0.12,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("calculation", "definitions"),
)
