"""Knapsack: choose things of the greatest total value that are not too heavy together.

Every best choice is right. `solve` keeps the choices that no other beats in both weight and value;
`verify` adds up the answer and compares it with a table over all capacities; `recheck` pairs all
choices from the first half of the things with those from the second.
"""

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

Thing = tuple[int, int]  # weight, value


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # to choose from
    heaviest: int  # weight of a thing, at most
    tight: float  # how closely values follow weights, 0 to 1
    trap: bool  # whether taking the best value for its weight first must go wrong


@dataclass(frozen=True, slots=True)
class Sack:
    things: tuple[Thing, ...]
    capacity: int


def generate(rng: Random, knobs: Knobs) -> Sack | None:
    things = []
    for _ in range(knobs.things):
        weight = rng.randint(max(2, knobs.heaviest // 6), knobs.heaviest)
        near = weight + rng.randint(1, max(2, knobs.heaviest // 4))
        far = rng.randint(1, 2 * knobs.heaviest)
        things.append((weight, round(knobs.tight * near + (1 - knobs.tight) * far)))
    total = sum(weight for weight, _ in things)
    sack = Sack(tuple(things), round(total * rng.uniform(0.35, 0.6)))
    chosen = solve(sack)
    if not 1 < len(chosen) < len(things):
        return None
    best = sum(things[number - 1][1] for number in chosen)
    return None if knobs.trap and _greedy(sack) == best else sack


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(sack: Sack) -> tuple[int, ...]:
    choices: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())]  # heavier ones are worth more
    for number, (weight, value) in enumerate(sack.things, 1):
        more = [
            (heavy + weight, worth + value, (*chosen, number))
            for heavy, worth, chosen in choices
            if heavy + weight <= sack.capacity
        ]
        ordered = sorted(choices + more, key=lambda choice: (choice[0], -choice[1]))
        choices, most = [], -1
        for choice in ordered:
            if choice[1] > most:
                choices.append(choice)
                most = choice[1]
    return choices[-1][2]


def verify(sack: Sack, chosen: tuple[int, ...]) -> float:
    numbers = set(chosen)
    if len(numbers) < len(chosen) or not numbers <= set(range(1, len(sack.things) + 1)):
        return 0.0
    if sum(sack.things[number - 1][0] for number in numbers) > sack.capacity:
        return 0.0
    best = [0] * (sack.capacity + 1)
    for weight, value in sack.things:
        for capacity in range(sack.capacity, weight - 1, -1):
            best[capacity] = max(best[capacity], best[capacity - weight] + value)
    return float(sum(sack.things[number - 1][1] for number in numbers) == best[-1])


def recheck(sack: Sack, chosen: tuple[int, ...]) -> bool:
    half = len(sack.things) // 2
    light, heavy = _choices(sack.things[:half]), sorted(_choices(sack.things[half:]))
    weights = [weight for weight, _ in heavy]
    values = list(accumulate((value for _, value in heavy), max))
    best = max(
        value + values[bisect_right(weights, sack.capacity - weight) - 1]
        for weight, value in light
        if weight <= sack.capacity
    )
    carried = [thing for number, thing in enumerate(sack.things, 1) if number in chosen]
    known = all(number in range(1, len(sack.things) + 1) for number in chosen)
    once = all(chosen.count(number) == 1 for number in chosen)
    weight, value = (sum(column) for column in zip((0, 0), *carried))
    return known and once and weight <= sack.capacity and value == best


def render(sack: Sack, style: Style) -> Prompt:
    table = "\n".join(
        f"{number}. weight {weight}, value {value}"
        for number, (weight, value) in enumerate(sack.things, 1)
    )
    limit = sack.capacity
    return Prompt(
        style.pick(
            f"A knapsack carries a total weight of at most {limit}. Which of these items should go"
            " into it so that their total value is as large as possible? There is one of each item,"
            f" and it is either taken whole or left behind.\n\n{table}\n\nIf several choices are"
            " best, any of them will do.",
            f"{table}\n\nChoose some of the items above. The chosen weights may add up to {limit}"
            " at most; the chosen values should add up to as much as possible under this"
            " condition. There is one of each item, and items cannot be divided. Any best choice"
            " is accepted.",
            f"A thief's bag holds {limit} units of weight, no more. Here is what there is to"
            f" steal:\n\n{table}\n\nNothing can be cut in two, and each item exists once. Find a"
            " set of items that fits into the bag and is worth the most; one such set is enough.",
        ),
        form="the numbers of the chosen items, in any order, separated by commas",
    )


def steps(sack: Sack) -> list[str]:
    weight = value = 0
    lines = []
    for number in solve(sack):
        thing = sack.things[number - 1]
        weight, value = weight + thing[0], value + thing[1]
        lines.append(f"with item {number}: weight {weight}, value {value}")
    return lines


def canon(sack: Sack) -> list[object]:
    """The order of the things does not matter."""
    return [sorted(sack.things), sack.capacity]


def hardness(sack: Sack) -> int:
    return len(sack.things)


def _greedy(sack: Sack) -> int:
    """The value of what is taken by value for weight, as long as it fits."""
    left, worth = sack.capacity, 0
    for weight, value in sorted(sack.things, key=lambda thing: thing[1] / thing[0], reverse=True):
        if weight <= left:
            left, worth = left - weight, worth + value
    return worth


def _choices(things: tuple[Thing, ...]) -> list[Thing]:
    """Weight and value of every choice."""
    found = [(0, 0)]
    for weight, value in things:
        found += [(heavy + weight, worth + value) for heavy, worth in found]
    return found


LADDER = (
    Knobs(5, 12, 0.2, False),
    Knobs(8, 20, 0.5, True),
    Knobs(12, 35, 0.7, True),
    Knobs(16, 60, 0.85, True),
    Knobs(20, 99, 0.95, True),
)
FAMILY = Family(
    Sack,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntBag(called=("item",)),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="choices that no other choice beats",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("optimisation", "calculation"),
    peers=("RLVE/knapsack",),
    version=2,
)
