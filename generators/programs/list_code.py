"""List code: write a function that changes a list as described.

The reply's program is read by a grammar of our own and run by a counted walker, never by Python.
`solve` writes a program from loops; `verify` tries one on lists and compares with the rules, which
follow the description in another way.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.program.tree import Block
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._misreadings import misreadings
from puzzlemill.generators.programs import _list_steps as list_steps
from puzzlemill.generators.programs._running import Failed, called

LANGUAGE = """\
Use plain Python with integers and lists only: assignments, if, for, while, functions, list \
comprehensions, slices, the usual operators except /, the built-ins len, sum, min, max, abs, \
sorted, reversed, range, enumerate, zip, any, all, set and dict, and methods of lists. No imports, \
strings, floats, lambdas or classes."""
DRAWS = 12  # until every step and number matters
MORE = 600  # lists that an answer is tried on again


@dataclass(frozen=True, slots=True)
class Knobs:
    steps: int  # changes of the list, one after another
    easy: bool  # only changes that one short line of code makes


@dataclass(frozen=True, slots=True)
class Task:
    steps: tuple[list_steps.Step, ...]
    end: str


def generate(rng: Random, knobs: Knobs) -> Task | None:
    for _ in range(DRAWS):
        task = Task(*list_steps.drawn(rng, knobs.steps, knobs.easy))
        if _says_something(task):
            return task
    return None


def solve(task: Task) -> Block:
    return list_steps.written(task.steps, task.end)


def verify(task: Task, program: Block) -> float:
    return _tried(task, program)


def recheck(task: Task, program: Block) -> bool:
    """On other lists, and more of them."""
    return _tried_again(task, program)


def render(task: Task, style: Style) -> Prompt:
    lines = "\n".join(list_steps.wording(task.steps, task.end))
    return Prompt(
        style.pick(
            f"Write a Python function f(xs) that takes a list of integers and does the following,"
            f" step by step:\n\n{lines}\n\n{LANGUAGE}",
            f"A function f(xs) gets a list xs of integers, which may be empty. It works in these"
            f" steps, each on the result of the one before:\n\n{lines}\n\nWrite this function."
            f" {LANGUAGE}",
            f"Implement f(xs) in Python. xs is a list of integers; it may be empty.\n\n{lines}\n\n"
            f"Each step works on what the previous one has left. {LANGUAGE}",
        ),
        form="the complete function f(xs) as Python code",
    )


def canon(task: Task) -> list[object]:
    return [[list(step) for step in task.steps], task.end]


def hardness(task: Task) -> float:
    weights = [list_steps.CHANGES[name].weight for name, _ in task.steps]
    return sum(weights) + list_steps.ENDS[task.end].weight


def misread(rng: Random, task: Task) -> Task | None:
    """A step comes too early or is another one, or another thing is returned. Numbers stay: one
    that the task does not name would tell that the program is wrong. So would a task that
    `generate` does not make."""
    other = _misread(rng, task)
    return other if other is not None and _says_something(other) else None


def _misread(rng: Random, task: Task) -> Task | None:
    easy = all(map(list_steps.is_easy, task.steps))
    how = rng.choice(("order", "step", "end") if len(task.steps) > 1 else ("step", "end"))
    if how == "order":
        return replace(task, steps=rng.choice([*list_steps.swapped(task.steps)]))
    if how == "end":
        return replace(task, end=list_steps.drawn(rng, 0, easy)[1])
    at = rng.randrange(len(task.steps))
    others = [*list_steps.like(task.steps[at], easy)]
    step = rng.choice(others) if others else task.steps[at]
    steps = (*task.steps[:at], step, *task.steps[at + 1 :])
    return replace(task, steps=steps) if len({name for name, _ in steps}) == len(steps) else None


slips = misreadings(solve, misread)


def _says_something(task: Task) -> bool:
    return list_steps.is_even(task.steps, task.end) and bool(list_steps.tests(task.steps, task.end))


@lru_cache(maxsize=1000)  # a program is judged in each of its renderings
def _tried(task: Task, program: Block) -> float:
    return float(_passes(program, list_steps.tests(task.steps, task.end) or ()))


@lru_cache(maxsize=1000)
def _tried_again(task: Task, program: Block) -> bool:
    found = list_steps.lists(task.steps, "recheck", MORE)
    return _passes(
        program,
        ((numbers, list_steps.expected(task.steps, task.end, numbers)) for numbers in found),
    )


def _passes(program: Block, wanted: Iterable[tuple[list[int], int | list[int]]]) -> bool:
    try:
        call = called(program, "f")
        return all(call([list(numbers)]) == value for numbers, value in wanted)
    except Failed:
        return False


LADDER = (
    Knobs(1, True),
    Knobs(4, True),
    Knobs(3, False),
    Knobs(4, False),
    Knobs(5, False),
)
FAMILY = Family(
    Task,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Program("f", ("xs",)),
    hardness=hardness,
    solver="loops written from the description",
    guess_rate=0.1,  # short tasks are what many functions do
    recheck=recheck,
    canon=canon,
    slips=slips,
    skills=("programming", "lists"),
    version=5,
)
