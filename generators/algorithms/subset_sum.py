"""Subset sum: choose numbers of a list that add up to a target, or say that none do.

Every set with the right sum is right, so `verify` adds the answer up. The answer "impossible" it
judges by the set of all sums, as the bits of one integer; `solve` looks sums of one half of the
list up among those of the other; `recheck` takes or leaves one number after the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Prompt, Style

Answer: TypeAlias = tuple[int, ...] | Impossible


@dataclass(frozen=True, slots=True)
class Knobs:
    numbers: int  # in the list
    largest: int  # number of the list, at most
    impossible: float  # share of lists on which nothing has the sum


@dataclass(frozen=True, slots=True)
class Purse:
    numbers: tuple[int, ...]  # all different
    target: int


def generate(rng: Random, knobs: Knobs) -> Purse | None:
    numbers = tuple(rng.sample(range(knobs.largest // 10 + 1, knobs.largest + 1), knobs.numbers))
    size = rng.randint(max(2, knobs.numbers // 3), knobs.numbers - knobs.numbers // 3)
    target = sum(rng.sample(numbers, size))
    if rng.random() >= knobs.impossible:
        return Purse(numbers, target)
    sums = _sums(numbers)
    for step in rng.sample(range(1, knobs.largest), min(30, knobs.largest - 1)):
        if not sums >> (target + step) & 1 and target + step < sum(numbers):
            return Purse(numbers, target + step)
    return None


def solve(purse: Purse) -> Answer:
    half = len(purse.numbers) // 2
    first, second = _subsets(purse.numbers[:half]), _subsets(purse.numbers[half:])
    for total, chosen in first.items():
        rest = second.get(purse.target - total)
        if rest is not None:
            return tuple(sorted(chosen + rest))
    return IMPOSSIBLE


def verify(purse: Purse, answer: Answer) -> float:
    if isinstance(answer, Impossible):
        return float(not _sums(purse.numbers) >> purse.target & 1)
    chosen = set(answer)
    once = len(chosen) == len(answer)
    return float(once and chosen <= set(purse.numbers) and sum(chosen) == purse.target)


def recheck(purse: Purse, answer: Answer) -> bool:
    if not isinstance(answer, Impossible):
        left = purse.target
        for number in purse.numbers:
            left -= number * answer.count(number)
        return left == 0 and all(
            number in purse.numbers and answer.count(number) == 1 for number in answer
        )
    missing = {purse.target}
    for number in sorted(purse.numbers, reverse=True):
        missing |= {rest - number for rest in missing if rest >= number}
    return 0 not in missing


def render(purse: Purse, style: Style) -> Prompt:
    numbers, target = ", ".join(map(str, purse.numbers)), purse.target
    return Prompt(
        style.pick(
            f"Which of these numbers add up to exactly {target}?\n\n{numbers}\n\nEach number may"
            " be used at most once. Give one such choice; if there are several, any of them"
            " will do, and if there is none, say so.",
            f"Numbers: {numbers}\nTarget: {target}\n\nSelect some of the numbers, none of them"
            " twice, so that the sum of the selected ones is the target. One selection is enough."
            " It is possible that no selection works.",
            f"A cashier has one bill of each of these values: {numbers}. Can an amount of exactly"
            f" {target} be paid with some of the bills? Name the bills of one way to pay it, or"
            " answer that there is no way. (No change is given.)",
        ),
        form='the chosen numbers, separated by commas, or the word "impossible"',
    )


def slips(rng: Random, purse: Purse, gold: Answer) -> Iterator[tuple[int, ...]]:
    """Numbers exchanged, put in or left out, so that the sum is near the target."""
    numbers = purse.numbers
    size = len(numbers) // 2
    taken = set(rng.sample(numbers, size)) if isinstance(gold, Impossible) else set(gold)
    for _ in range(SLIPS):
        tried = []
        for _ in range(TRIED):
            few = {number for number in rng.sample(numbers, 2) if rng.random() < 0.7}
            tried.append(taken ^ few)
        fitting = [each for each in tried if len(each) > 1 and each != taken]
        if fitting:
            taken = min(fitting, key=lambda each: abs(sum(each) - purse.target))
            yield tuple(sorted(taken))


def steps(purse: Purse) -> list[str]:
    answer = solve(purse)
    if isinstance(answer, Impossible):
        sums = _sums(purse.numbers)
        below = next(total for total in range(purse.target, -1, -1) if sums >> total & 1)
        above = next(total for total in range(purse.target, 10**9) if sums >> total & 1)
        return [f"of all sums, {below} and {above} come next to {purse.target}"]
    left, lines = purse.target, []
    for number in answer:
        lines.append(f"{left} - {number} = {left - number}")
        left -= number
    return lines


def canon(purse: Purse) -> list[object]:
    """The order of the numbers does not matter."""
    return [sorted(purse.numbers), purse.target]


def hardness(purse: Purse) -> int:
    return len(purse.numbers)


def _sums(numbers: tuple[int, ...]) -> int:
    """Bit s is set where some of the numbers add up to s."""
    sums = 1
    for number in numbers:
        sums |= sums << number
    return sums


def _subsets(numbers: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
    """Every sum of some of the numbers, each with one way to it."""
    found: dict[int, tuple[int, ...]] = {0: ()}
    for number in numbers:
        more = {total + number: (*chosen, number) for total, chosen in found.items()}
        found = more | found
    return found


SLIPS = 20
TRIED = 8  # changes, of which the one stays whose sum comes next to the target
LADDER = (
    Knobs(6, 30, 0.1),
    Knobs(9, 150, 0.15),
    Knobs(12, 1000, 0.15),
    Knobs(15, 8000, 0.15),
    Knobs(18, 60000, 0.15),
)
FAMILY = Family(
    Purse,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.IntBag()),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="the sums of one half looked up among those of the other",
    guess_rate=0.17,
    steps=steps,
    canon=canon,
    redraws=True,
    slips=slips,
    slips_version=2,
    skills=("search", "calculation"),
    peers=("RLVE/subset_sum",),
)
