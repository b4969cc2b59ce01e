"""Sorting: put a few numbers into order.

`solve` selects; `verify` compares with the order that Python's own sort finds.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import list_begun


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # how many numbers
    most: int  # the largest that may come


@dataclass(frozen=True, slots=True)
class Shelf:
    numbers: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Shelf:
    length = min(knobs.length, knobs.most + 1)  # all different
    return Shelf(tuple(rng.sample(range(knobs.most + 1), length)))


def solve(shelf: Shelf) -> tuple[int, ...]:
    """Selection: take the smallest that is left, again and again."""
    left, order = list(shelf.numbers), []
    while left:
        order.append(min(left))
        left.remove(order[-1])
    return tuple(order)


def verify(shelf: Shelf, order: tuple[int, ...]) -> float:
    return float(order == tuple(sorted(shelf.numbers)))


def render(shelf: Shelf, style: Style) -> Prompt:
    numbers = " ".join(map(str, shelf.numbers))
    return Prompt(
        style.pick(
            f"Sort these numbers from smallest to largest: {numbers}",
            f"Put in ascending order: {numbers}",
            f"Numbers: {numbers}\nList them in increasing order.",
        ),
        form="the numbers, separated by spaces",
    )


def progress(shelf: Shelf, lines: Lines) -> float:
    return list_begun(FAMILY, shelf, lines)


LADDER = (Knobs(3, 9), Knobs(5, 12), Knobs(6, 15), Knobs(7, 20), Knobs(10, 40))
FAMILY = Family(
    Shelf,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(between=" ", reorders=True),
    hardness=lambda shelf: len(shelf.numbers),
    proof="unique",
    solver="selection sort",
    guess_rate=0.17,
    obvious="of all lists of its numbers, the sorted one is seen at once",
    progress=progress,
    redraws=True,
    skills=("ordering",),
    peers=(
        "reasoning-gym/number_sorting",
        "RLVE/sorting",
        "CLRS-Text/bubble_sort",
        "mathematics_dataset/sort",
    ),
)
