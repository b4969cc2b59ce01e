"""Increasing run: a longest subsequence of a list in which every number is larger than the last.

Every longest one is right. `solve` finds for each number the longest run that ends there; `verify`
checks the answer and knows the length from the least ends that runs of each length can have;
`recheck` knows it from the fewest falling (or level) rows that the list can be dealt into.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style


@dataclass(frozen=True, slots=True)
class Knobs:
    numbers: int  # in the list
    largest: int  # number that may occur


@dataclass(frozen=True, slots=True)
class Row:
    numbers: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Row | None:
    """Rows in which the longest run is not found by taking each number that is larger."""
    row = Row(tuple(rng.choices(range(1, knobs.largest + 1), k=knobs.numbers)))
    taken = [row.numbers[0]]
    for number in row.numbers:
        if number > taken[-1]:
            taken.append(number)
    return row if max(2, len(taken)) < len(solve(row)) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(row: Row) -> tuple[int, ...]:
    runs: list[tuple[int, ...]] = []
    for number in row.numbers:
        before = [run for run in runs if run[-1] < number]
        runs.append((*max(before, key=len, default=()), number))
    return max(runs, key=len)


def verify(row: Row, run: tuple[int, ...]) -> float:
    if any(first >= second for first, second in pairwise(run)):
        return 0.0
    coming = iter(row.numbers)
    if not all(number in coming for number in run):  # `in` reads on until it finds the number
        return 0.0
    ends: list[int] = []
    for number in row.numbers:
        place = bisect_left(ends, number)
        ends[place : place + 1] = [number]
    return float(len(run) == len(ends))


def recheck(row: Row, run: tuple[int, ...]) -> bool:
    place = -1
    for number in run:
        later = [spot for spot, each in enumerate(row.numbers) if spot > place and each == number]
        if not later:
            return False
        place = later[0]
    rising = all(run[spot] < run[spot + 1] for spot in range(len(run) - 1))
    return rising and len(run) == _rows_needed(row.numbers)


def render(row: Row, style: Style) -> Prompt:
    numbers = ", ".join(map(str, row.numbers))
    return Prompt(
        style.pick(
            f"Find a longest strictly increasing subsequence of this list:\n\n{numbers}\n\nA"
            " subsequence is what remains when some numbers are crossed out; the rest keep their"
            " order, and need not have been side by side. If several of the greatest length exist,"
            " give any one of them.",
            f"{numbers}\n\nCross out as few of these numbers as possible, so that each number"
            " that is left is larger than the one left before it (equal is not enough). The order"
            " must not be changed. Which numbers are left? Where there is a choice, any best one"
            " will do.",
            f"You walk past these numbers once, from left to right:\n\n{numbers}\n\nYou may pick up"
            " a number as you pass it, but only if it is strictly larger than the last number you"
            " picked up. Pick up as many as possible. State which ones, in order; one best"
            " selection is enough.",
        ),
        form="the numbers of the subsequence in order, separated by commas",
    )


def steps(row: Row) -> list[str]:
    """For each number, how long a run can be that ends with it."""
    lengths: list[int] = []
    for number in row.numbers:
        before = (length for each, length in zip(row.numbers, lengths) if each < number)
        lengths.append(1 + max(before, default=0))
    return [
        f"up to {number}: {length}" for number, length in zip(row.numbers, lengths, strict=True)
    ]


def slips(rng: Random, row: Row, gold: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """A number more, less or another, which rises but may stand elsewhere in the list."""
    run = gold
    for _ in range(SLIPS):
        at, draw = rng.randrange(len(run)), rng.random()
        if draw < 0.2 and len(run) > 2:
            run = run[1:] if rng.random() < 0.5 else run[:-1]
            yield run
            continue
        end = at if draw < 0.4 else at + 1
        low, high = run[at - 1] if at else 0, run[end] if end < len(run) else max(row.numbers) + 1
        others = [number for number in row.numbers if low < number < high and number != run[at]]
        here = row.numbers.index(run[at])
        others.sort(key=lambda number: abs(row.numbers.index(number) - here))
        if others:
            run = (*run[:at], rng.choice(others[:NEAR]), *run[end:])
            yield run


def hardness(row: Row) -> int:
    return len(row.numbers)


def _rows_needed(numbers: tuple[int, ...]) -> int:
    """Deal each number onto a row that ends with one no smaller; the fewest rows that suffice."""
    rows: list[list[int]] = []
    for number in numbers:
        fitting = [row for row in rows if row[-1] >= number]
        if fitting:
            min(fitting, key=lambda row: row[-1]).append(number)
        else:
            rows.append([number])
    return len(rows)


SLIPS = 20
NEAR = 3  # numbers, of which one is taken
LADDER = (
    Knobs(8, 20),
    Knobs(14, 50),
    Knobs(22, 99),
    Knobs(36, 200),
    Knobs(60, 500),
)
FAMILY = Family(
    Row,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="dynamic programming over the end of the run",
    guess_rate=0.05,
    steps=steps,
    redraws=True,
    slips=slips,
    slips_version=2,
    skills=("optimisation", "search"),
    peers=("RLVE/weighted_lis",),
    version=2,
)
