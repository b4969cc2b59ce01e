"""List functions: what does a rule make of a list, when examples are all that shows the rule?

The prompt names the kinds of steps that may occur and how many. `solve` goes through all programs
of such steps and answers only if those that fit all examples agree; `verify` goes the other way
round: from the new list to the answer by any steps, and asks whether these fit the examples.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.search import Node
from puzzlemill.generators.induction import _programs
from puzzlemill.generators.induction._programs import KindOfStep

FEW, SPARE = 3, 6  # examples; further ones in store
STRAY = 0.2  # of the mistakes whose largest number is beyond those of the examples
SMALL = (1, 2, 3)

List: TypeAlias = tuple[int, ...]

KINDS: dict[str, KindOfStep[List]] = {
    "reverse": KindOfStep("put the list in reverse order", lambda v: v[::-1]),
    "rising": KindOfStep("sort the list, smallest number first", lambda v: tuple(sorted(v))),
    "falling": KindOfStep(
        "sort the list, largest number first", lambda v: tuple(sorted(v, reverse=True))
    ),
    "drop_first": KindOfStep(
        "take away the first K numbers (K from 1 to 3)",
        lambda v, k: v[k:], (SMALL,), "take away the first {0}",
    ),
    "drop_last": KindOfStep(
        "take away the last K numbers (K from 1 to 3)",
        lambda v, k: v[:-k], (SMALL,), "take away the last {0}",
    ),
    "first": KindOfStep(
        "keep only the first K numbers (K from 1 to 4)",
        lambda v, k: v[:k], (range(1, 5),), "keep the first {0}",
    ),
    "last": KindOfStep(
        "keep only the last K numbers (K from 1 to 4)",
        lambda v, k: v[-k:], (range(1, 5),), "keep the last {0}",
    ),
    "add": KindOfStep(
        "add N to every number (N from -5 to 5)",
        lambda v, n: tuple([each + n for each in v]),
        ([n for n in range(-5, 6) if n],), "add {0} to each",
    ),
    "multiply": KindOfStep(
        "multiply every number by N (N from 2 to 5)",
        lambda v, n: tuple([each * n for each in v]), (range(2, 6),), "multiply each by {0}",
    ),
    "subtract_from": KindOfStep(
        "replace every number x by N - x (N from 0 to 10)",
        lambda v, n: tuple([n - each for each in v]), (range(11),), "replace each x by {0} - x",
    ),
    "even": KindOfStep(
        "keep only the even numbers", lambda v: tuple([each for each in v if each % 2 == 0])
    ),
    "odd": KindOfStep(
        "keep only the odd numbers", lambda v: tuple([each for each in v if each % 2])
    ),
    "above": KindOfStep(
        "keep only the numbers greater than N (N from 0 to 9)",
        lambda v, n: tuple([each for each in v if each > n]), (range(10),), "keep those above {0}",
    ),
    "below": KindOfStep(
        "keep only the numbers less than N (N from 1 to 10)",
        lambda v, n: tuple([each for each in v if each < n]),
        (range(1, 11),), "keep those below {0}",
    ),
    "without": KindOfStep(
        "take away every N (N from 0 to 9)",
        lambda v, n: tuple([each for each in v if each != n]), (range(10),), "take away every {0}",
    ),
    "rotate": KindOfStep(
        "move the first number to the end, K times over (K from 1 to 3)",
        lambda v, k: v[k % len(v) :] + v[: k % len(v)] if v else v,
        (SMALL,), "move the first to the end, {0} times",
    ),
    "once": KindOfStep(
        "of equal numbers keep only the first", lambda v: tuple(dict.fromkeys(v))
    ),
    "totals": KindOfStep(
        "replace every number by the sum of all numbers up to and including it",
        lambda v: tuple(accumulate(v)),
    ),
    "gaps": KindOfStep(
        "replace the list by the differences of neighbours, the right one minus the left one",
        lambda v: tuple([right - left for left, right in pairwise(v)]),
    ),
    "odd_places": KindOfStep(
        "keep only the numbers at the places 1, 3, 5 and so on", lambda v: v[::2]
    ),
    "even_places": KindOfStep(
        "keep only the numbers at the places 2, 4, 6 and so on", lambda v: v[1::2]
    ),
    "twice": KindOfStep(
        "write every number twice, one right after the other",
        lambda v: tuple(each for each in v for _ in range(2)),
    ),
    "append": KindOfStep(
        "put N at the end (N from 0 to 9)", lambda v, n: (*v, n), (range(10),),
        "put {0} at the end",
    ),
    "prepend": KindOfStep(
        "put N at the front (N from 0 to 9)", lambda v, n: (n, *v), (range(10),),
        "put {0} at the front",
    ),
    "length": KindOfStep(
        "put at the end how many numbers the list has", lambda v: (*v, len(v))
    ),
    "sum": KindOfStep("put the sum of the numbers at the front", lambda v: (sum(v), *v)),
    "swap_ends": KindOfStep(
        "swap the first and the last number",
        lambda v: (v[-1], *v[1:-1], v[0]) if len(v) > 1 else v,
    ),
    "mirror": KindOfStep(
        "put the same list in reverse order behind the list", lambda v: v + v[::-1]
    ),
    "remainder": KindOfStep(
        "replace every number by its remainder when divided by N (N from 2 to 5; remainders are"
        " never negative)",
        lambda v, n: tuple([each % n for each in v]), (range(2, 6),),
        "replace each by its remainder modulo {0}",
    ),
    "by_place": KindOfStep(
        "multiply every number by its place (the first by 1, the second by 2 and so on)",
        lambda v: tuple([each * place for place, each in enumerate(v, 1)]),
    ),
}  # fmt: skip
# Kinds of steps by the length of the list that they make, and what of it they leave as it is.
PICKING = ("drop_first", "drop_last", "first", "last", "even", "odd", "above", "below", "without",
           "once", "odd_places", "even_places", "gaps")  # fmt: skip
LONGER = ("append", "prepend", "length", "sum", "twice", "mirror")
MOVING = ("reverse", "rising", "falling", "rotate", "swap_ends")


def possible(value: List, then: List) -> Container[str]:
    """The kinds of steps that may make one list of another, as far as length and ends tell."""
    if value == then or not value:
        return KINDS
    if len(then) < len(value):
        return PICKING if set(then) <= set(value) else ("gaps",)
    if len(then) > len(value):
        return LONGER
    kinds = {*MOVING} if sum(value) == sum(then) else set()
    if value[0] == then[0]:
        kinds |= {"totals", "by_place"}
    if value[0] - then[0] == value[-1] - then[-1]:
        kinds.add("add")
    if value[0] + then[0] == value[-1] + then[-1]:
        kinds.add("subtract_from")
    if value[0] * then[-1] == then[0] * value[-1]:
        kinds.add("multiply")
    if min(then) >= 0 and max(then) < 5:
        kinds.add("remainder")
    return kinds


LANGUAGE: _programs.Language[List] = _programs.Language(KINDS, possible=possible)


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of steps that may occur
    steps: int  # in the rule, at most
    length: int  # of the lists, at most


@dataclass(frozen=True, slots=True)
class Lists:
    kinds: tuple[str, ...]
    longest: int  # steps
    examples: tuple[tuple[List, List], ...]
    case: List


def generate(rng: Random, knobs: Knobs) -> Lists | None:
    kinds = tuple(rng.sample(list(LANGUAGE.kinds), knobs.kinds))
    values = [
        tuple(rng.randint(0, 9) for _ in range(rng.randint(knobs.length - 2, knobs.length)))
        for _ in range(1 + FEW + SPARE)
    ]
    found = _programs.posed(rng, LANGUAGE, kinds, knobs.steps, values, FEW)
    return Lists(kinds, knobs.steps, *found) if found else None


def solve(lists: Lists) -> List | None:
    found = _programs.settled(LANGUAGE, lists)
    return found[0] if found else None


def verify(lists: Lists, answer: List) -> float:
    return float(_programs.explained(LANGUAGE, lists, answer))


def render(lists: Lists, style: Style) -> Prompt:
    shown = "\n".join(f"{_shown(given)} -> {_shown(then)}" for given, then in lists.examples)
    kinds = _programs.listed(LANGUAGE, lists.kinds)
    length = _programs.length_said(lists.longest)
    case = _shown(lists.case)
    return Prompt(
        style.pick(
            f"The same rule turns each of these lists into another:\n\n{shown}\n\nThe rule consists"
            f" of {length}. A step is of one of these kinds:\n{kinds}\n\nWhat does the rule make of"
            f" {case}?",
            f"A rule changes lists of numbers by {length}; each of them does"
            f" one of these things:\n{kinds}\n\nExamples of what it does:\n{shown}\n\n{case} -> ?",
            f"Examples:\n\n{shown}\n\nFind out what the same rule makes of {case}. The rule has"
            f" {length}. What a step can do:\n{kinds}\n\nAll rules of this sort that fit the"
            " examples give the same list.",
        ),
        form="the new list, numbers separated by commas",
    )


def steps(lists: Lists) -> list[str]:
    """A rule that fits, and what its steps make of the list."""
    return _programs.worked(LANGUAGE, lists, _shown)


def search(lists: Lists) -> Node:
    return _programs.searched(LANGUAGE, lists, _shown)


def slips(rng: Random, lists: Lists, gold: List) -> Iterator[List]:
    """A step is taken for another one; the largest number is mostly about that of the examples."""
    largest = [max(then, key=abs) for _, then in lists.examples]
    for value in _programs.misapplied(LANGUAGE)(rng, lists, gold):
        usual = min(largest) <= max(value, key=abs) <= max(largest)
        if usual or rng.random() < STRAY:
            yield value


def hardness(lists: Lists) -> float:
    """Programs to choose from, by order of magnitude, and the numbers to look at."""
    return _programs.to_choose_from(LANGUAGE, lists) + len(lists.case) / 4


def _shown(value: List) -> str:
    return f"[{', '.join(map(str, value))}]"


LADDER = (
    Knobs(5, 1, 5),
    Knobs(10, 1, 6),
    Knobs(10, 2, 7),
    Knobs(11, 2, 9),
    Knobs(11, 3, 9),
)
FAMILY = Family(
    Lists,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    hardness=hardness,
    proof="unique",
    solver="all programs of the language",
    guess_rate=0.05,
    steps=steps,
    search=search,
    canon=_programs.canonical,
    slips=slips,
    skills=("induction", "lists"),
    peers=("reasoning-gym/list_functions", "Enigmata/big_bench_symbolic"),
    theme="rules_from_examples",
    slips_version=2,
    version=2,
)
