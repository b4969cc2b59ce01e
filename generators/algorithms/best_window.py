"""Best window: the stretch of neighbouring numbers with the greatest sum, of bounded length.

Every stretch with the greatest sum is right. `solve` takes differences of running sums, `verify`
slides a window of each length over the list, `recheck` adds every stretch up.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style


@dataclass(frozen=True, slots=True)
class Knobs:
    numbers: int  # in the list
    size: int  # of the largest number
    bounded: float  # share of lists on which the length is bounded


@dataclass(frozen=True, slots=True)
class Row:
    numbers: tuple[int, ...]
    shortest: int  # length of a stretch
    longest: int


def generate(rng: Random, knobs: Knobs) -> Row | None:
    """Sums of both signs, so that neither single numbers nor the whole list are best."""
    count = knobs.numbers
    numbers = tuple(rng.randint(-knobs.size, knobs.size) for _ in range(count))
    shortest, longest = 1, count
    if rng.random() < knobs.bounded:
        shortest = rng.randint(2, max(2, count // 3))
        longest = rng.randint(min(shortest + 1, count), max(shortest + 1, count // 2))
    row = Row(numbers, shortest, longest)
    first, last = solve(row)
    return row if first < last and last - first + 1 < count else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(row: Row) -> tuple[int, int]:
    before = [0, *accumulate(row.numbers)]
    best = max(
        (before[end] - before[start], -start, -end)
        for end in range(len(before))
        for start in range(max(0, end - row.longest), end - row.shortest + 1)
    )
    return 1 - best[1], -best[2]


def verify(row: Row, said: tuple[int, ...]) -> float:
    if len(said) != 2 or not 1 <= said[0] <= said[1] <= len(row.numbers):
        return 0.0
    first, last = said
    if not row.shortest <= last - first + 1 <= row.longest:
        return 0.0
    mine = sum(row.numbers[first - 1 : last])
    for length in range(row.shortest, row.longest + 1):
        window = sum(row.numbers[:length])
        if window > mine:
            return 0.0
        for leaving, coming in zip(row.numbers, row.numbers[length:]):
            window += coming - leaving
            if window > mine:
                return 0.0
    return 1.0


def recheck(row: Row, said: tuple[int, ...]) -> bool:
    sums: dict[tuple[int, ...], int] = {}
    for first in range(1, len(row.numbers) + 1):
        total = 0
        for last in range(first, min(len(row.numbers), first + row.longest - 1) + 1):
            total += row.numbers[last - 1]
            if last - first + 1 >= row.shortest:
                sums[first, last] = total
    return sums.get(tuple(said)) == max(sums.values())


def render(row: Row, style: Style) -> Prompt:
    numbers, count = ", ".join(map(str, row.numbers)), len(row.numbers)
    low, high = row.shortest, row.longest
    if (low, high) == (1, count):
        length = style.pick(
            "It may be of any length from one number to the whole list.",
            "It may hold one number, all of them, or anything between.",
            "The stay may last for one day or more, up to all the days.",
        )
    else:
        length = style.pick(
            f"It must hold at least {low} and at most {high} numbers.",
            f"Only blocks of {low} to {high} numbers are allowed.",
            f"The stay must last for at least {low} and at most {high} days.",
        )
    return Prompt(
        style.pick(
            f"{numbers}\n\nFind the contiguous stretch of this list whose sum is as large as"
            f" possible. {length} Give the position of its first number and that of its last one;"
            f" positions count from 1 to {count}. If several stretches have the greatest sum, any"
            " one of them will do.",
            f"Consider this sequence of {count} numbers:\n\n{numbers}\n\nAmong all blocks of"
            f" consecutive numbers, which one has the largest sum? {length} The first number of the"
            " sequence has position 1. State the positions at which the block begins and ends (the"
            " same one twice for a block of one number). Where there is a tie, name any of the best"
            " blocks.",
            "On each day that a trader spends at the market, he gains the amount listed for that"
            f" day (a negative amount is a loss), from day 1 to day {count}:\n\n{numbers}\n\nHe"
            f" makes a single stay and is there on every day of it. {length} On which day should he"
            " arrive, and which should be his last day there, so that his total gain is as large as"
            " possible, or his total loss as small as possible if no stay brings a gain? One of"
            " several equally good answers is enough.",
        ),
        form=style.pick(
            "the first and the last position, separated by a comma",
            "the first and the last position, separated by a comma",
            "the first and the last day, as two numbers separated by a comma",
        ),
    )


def steps(row: Row) -> list[str]:
    """The best stretch that ends at each place."""
    lines = []
    before = [0, *accumulate(row.numbers)]
    for end in range(row.shortest, len(before)):
        starts = range(max(0, end - row.longest), end - row.shortest + 1)
        start = min(starts, key=lambda place: before[place])
        total = before[end] - before[start]
        lines.append(f"the best that ends at {end} begins at {start + 1}: {total}")
    return lines


def hardness(row: Row) -> int:
    """Stretches that there are to choose from."""
    count = len(row.numbers)
    return sum(count - length + 1 for length in range(row.shortest, row.longest + 1))


LADDER = (
    Knobs(8, 9, 0.0),
    Knobs(16, 20, 0.5),
    Knobs(28, 50, 0.6),
    Knobs(45, 99, 0.7),
    Knobs(80, 300, 0.8),
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
    solver="differences of running sums",
    guess_rate=0.12,
    steps=steps,
    redraws=True,
    skills=("optimisation", "calculation"),
    peers=("CLRS-Text/find_maximum_subarray_kadane", "RLVE/sliding_window"),
    version=3,
)
