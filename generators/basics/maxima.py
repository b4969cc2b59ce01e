"""Maxima: the largest number of each line.

`solve` looks through each line; `verify` asks of each number that it stands in its line and that
nothing there is larger.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.basics._lines import marked


@dataclass(frozen=True, slots=True)
class Knobs:
    lines: int  # of numbers
    width: int  # numbers in a line


@dataclass(frozen=True, slots=True)
class Table:
    lines: tuple[tuple[int, ...], ...]


def generate(rng: Random, knobs: Knobs) -> Table:
    return Table(
        tuple(tuple(rng.randint(0, 9) for _ in range(knobs.width)) for _ in range(knobs.lines))
    )


def solve(table: Table) -> tuple[int, ...]:
    return tuple(max(line) for line in table.lines)


def verify(table: Table, largest: tuple[int, ...]) -> float:
    return float(
        len(largest) == len(table.lines)
        and all(
            said in line and not any(number > said for number in line)
            for said, line in zip(largest, table.lines, strict=True)
        )
    )


def render(table: Table, style: Style) -> Prompt:
    listed = "\n".join(marked(" ".join(map(str, line)) for line in table.lines))
    return Prompt(
        style.pick(
            f"Give the largest number of each line:\n{listed}",
            f"What is the largest number in each line?\n{listed}",
            f"Line by line, which number is the largest?\n{listed}",
        ),
        form="a number for each line, separated by spaces",
    )


def steps(table: Table) -> list[str]:
    return marked(str(largest) for largest in solve(table))


LADDER = (Knobs(2, 2), Knobs(3, 3), Knobs(4, 3), Knobs(5, 3), Knobs(7, 4))
FAMILY = Family(
    Table,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(between=" "),
    hardness=lambda table: sum(map(len, table.lines)),
    proof="unique",
    solver="the maximum of each line",
    guess_rate=0.1,
    steps=steps,
    redraws=True,
    skills=("ordering",),
)
