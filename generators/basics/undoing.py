"""Undoing: a number was changed a few times; find it from what came out.

`solve` undoes the operations from the last to the first; `verify` plays them forwards.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.basics._lines import marked

ROOM = 99  # no value on the way leaves 0..ROOM


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # how many operations
    most: int  # the largest number added or taken away


@dataclass(frozen=True, slots=True)
class Riddle:
    operations: tuple[tuple[str, int], ...]  # +, - or * and a number of at least 1
    result: int


def generate(rng: Random, knobs: Knobs) -> Riddle:
    value = rng.randint(1, ROOM)
    operations = []
    for _ in range(knobs.length):
        number = rng.randint(1, knobs.most)
        options = [("+", number), ("-", number), ("*", rng.randint(2, 3))]
        allowed = [option for option in options if 0 <= _apply(value, *option) <= ROOM]
        operations.append(rng.choice(allowed))
        value = _apply(value, *operations[-1])
    return Riddle(tuple(operations), value)


def solve(riddle: Riddle) -> int:
    return _undone(riddle)[-1]


def verify(riddle: Riddle, said: int) -> float:
    for sign, number in riddle.operations:
        said = _apply(said, sign, number)
    return float(said == riddle.result)


def render(riddle: Riddle, style: Style) -> Prompt:
    listed = "\n".join(marked(f"{sign}{number}" for sign, number in riddle.operations))
    result = riddle.result
    return Prompt(
        style.pick(
            f"Which number ends at {result} after all of these steps?\n{listed}",
            f"Where do you start to end at {result} after these steps?\n{listed}",
            f"These steps in order end at {result}. Give the start.\n{listed}",
        ),
        form="one integer",
    )


def steps(riddle: Riddle) -> list[str]:
    values = _undone(riddle)
    back = [
        f"{after}{'-' if sign == '+' else '+' if sign == '-' else '/'}{number}={before}"
        for before, (sign, number), after in zip(
            values[::-1], riddle.operations, values[-2::-1], strict=False
        )
    ]
    return marked(back)[::-1]  # each behind the letter of the step that it undoes


def progress(riddle: Riddle, lines: Lines) -> float:
    return results_derived(FAMILY, riddle, lines)


def _apply(value: int, sign: str, number: int) -> int:
    return value + number if sign == "+" else value - number if sign == "-" else value * number


def _undone(riddle: Riddle) -> list[int]:
    """The result, and what stood before each operation, going back."""
    values = [riddle.result]
    for sign, number in reversed(riddle.operations):
        last = values[-1]
        values.append(
            last - number if sign == "+" else last + number if sign == "-" else last // number
        )
    return values


LADDER = (Knobs(1, 9), Knobs(3, 9), Knobs(5, 9), Knobs(7, 11), Knobs(10, 20))
FAMILY = Family(
    Riddle,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=lambda riddle: len(riddle.operations),
    proof="unique",
    solver="the operations undone from the last",
    guess_rate=0.12,
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("arithmetic",),
    theme="small_sums",
)
