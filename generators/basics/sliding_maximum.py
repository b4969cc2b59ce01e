"""Sliding maximum: the largest of every few neighbours in a row.

`solve` looks through each window; `verify` asks of each number that it stands in its window and
that nothing there is larger.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.basics._lines import marked

_WORDS = {2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # how many numbers
    window: int  # how many neighbours are compared


@dataclass(frozen=True, slots=True)
class Row:
    numbers: tuple[int, ...]
    window: int


def generate(rng: Random, knobs: Knobs) -> Row:
    numbers = tuple(rng.randint(10, 99) for _ in range(knobs.length))
    return Row(numbers, min(knobs.window, knobs.length - 1))


def solve(row: Row) -> tuple[int, ...]:
    return tuple(max(window) for window in _windows(row))


def verify(row: Row, largest: tuple[int, ...]) -> float:
    windows = _windows(row)
    return float(
        len(largest) == len(windows)
        and all(
            said in window and not any(number > said for number in window)
            for said, window in zip(largest, windows, strict=True)
        )
    )


def render(row: Row, style: Style) -> Prompt:
    numbers, size = " ".join(map(str, row.numbers)), _WORDS[row.window]
    return Prompt(
        style.pick(
            f"Give the largest of every {size} neighbours in: {numbers}",
            f"Numbers: {numbers}\nWhat is the largest of each {size} in a row?",
            f"For every {size} numbers next to each other, name the largest: {numbers}",
        ),
        form="the largest numbers from left to right, separated by spaces",
    )


def steps(row: Row) -> list[str]:
    return marked(f"{' '.join(map(str, window))}={max(window)}" for window in _windows(row))


def _windows(row: Row) -> list[tuple[int, ...]]:
    last = len(row.numbers) - row.window
    return [row.numbers[start : start + row.window] for start in range(last + 1)]


LADDER = (Knobs(3, 2), Knobs(4, 2), Knobs(6, 2), Knobs(8, 3), Knobs(10, 3))
FAMILY = Family(
    Row,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(between=" "),
    hardness=lambda row: row.window * (len(row.numbers) - row.window + 1),
    proof="unique",
    solver="the maximum of each window",
    guess_rate=0.7,
    steps=steps,
    skills=("ordering",),
)
