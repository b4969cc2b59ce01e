"""Coin problem: which amounts can be paid with coins of given values, and in how many ways.

The questions: the ways for one amount; how many amounts cannot be paid, of all or of those up to a
bound; and the largest of them. `solve` finds, for each remainder modulo the smallest coin, the
least payable amount (shortest paths round a circle), or counts ways coin by coin; `verify` ticks
off payable amounts one after another, or counts ways with the last coins in closed form.
"""

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from math import gcd
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed


@dataclass(frozen=True, slots=True)
class Knobs:
    coins: int  # different values
    most: int  # the largest coin
    # how many ways to pay an amount, the largest amount that cannot be paid, how many amounts
    # cannot be paid at all, or how many up to a bound
    question: Literal["ways", "largest", "unpayable", "bounded"]


@dataclass(frozen=True, slots=True)
class Coins:
    values: tuple[int, ...]
    question: str
    amount: int  # 0 where no amount is asked about


def generate(rng: Random, knobs: Knobs) -> Coins | None:
    low = max(2, knobs.most // 3)
    values = tuple(sorted(rng.randint(low, knobs.most) for _ in range(knobs.coins)))
    if len(set(values)) < len(values) or any(
        other % one == 0 for place, one in enumerate(values) for other in values[place + 1 :]
    ):
        return None
    if gcd(*values) > 1 and knobs.question != "ways":
        return None
    amount = 0
    if knobs.question == "ways":
        amount = rng.randint(knobs.most * 5, knobs.most * 10)
    elif knobs.question == "bounded":
        amount = sum(values) + rng.randint(knobs.most, knobs.most * 4)
    drawn = Coins(values, knobs.question, amount)
    least = 2 if knobs.question == "ways" else 1
    return None if (solve(drawn) or 0) < least else drawn


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(coins: Coins) -> int | None:
    values, amount = coins.values, coins.amount
    if coins.question in ("ways", "bounded"):
        if not 0 < amount <= FAR or min(values) < 1 or len(set(values)) < len(values):
            return None
        ways = [1] + [0] * amount
        for value in values:
            for total in range(value, amount + 1):
                ways[total] += ways[total - value]
        found = ways[amount]
        return found if coins.question == "ways" else sum(1 for way in ways[1:] if way == 0)
    least = _least_by_remainder(values)
    if least is None:
        return None
    step = min(values)
    if coins.question == "largest":
        return max(least) - step
    return sum(total // step for total in least)


def verify(coins: Coins, answer: int) -> float:
    values = coins.values
    if answer < 0 or answer > FAR**2:
        return 0.0
    if coins.question == "ways":
        return float(answer == _ways(coins.amount, tuple(sorted(values, reverse=True))))
    end = coins.amount if coins.question == "bounded" else min(values) * max(values)
    payable = 1  # bit n: whether n can be paid
    for value in values:
        shift = value
        while shift <= end:
            payable |= payable << shift
            payable &= (2 << end) - 1
            shift *= 2
    missing = end + 1 - payable.bit_count()
    if coins.question == "largest":
        return float(answer <= end and payable >> answer == (2 << (end - answer)) - 2)
    return float(answer == missing)


def render(coins: Coins, style: Style) -> Prompt:
    each = listed([f"{value}" for value in coins.values])
    amount = f"{coins.amount}"
    country = style.pick(
        f"A country has coins of {each} cents only, as many of each as one likes.",
        f"Stamps are sold with the values {each}. Any number of each value may be used, or none.",
        f"In a game every throw scores {each.replace(' and ', ' or ')} points, and there may be any"
        " number of throws.",
    )
    thing, verb = style.pick("amount, paid", "total, made up", "score, reached").split(", ")
    unit = style.pick(" cents", "", " points")
    match coins.question:
        case "ways":
            asked = (
                f"In how many ways can {style.pick('an', 'a', 'a')} {thing} of exactly {amount}"
                f"{unit} be {verb}? The order does not matter."
            )
        case "largest":
            asked = f"What is the largest whole-number {thing} that cannot be {verb} exactly?"
        case "unpayable":
            asked = f"How many positive whole-number {thing}s cannot be {verb} exactly?"
        case _:
            asked = (
                f"How many of the whole-number {thing}s from 1 to {amount} cannot be {verb}"
                " exactly?"
            )
    return Prompt(f"{country} {asked}", form="one non-negative integer")


def steps(coins: Coins) -> list[str]:
    """The least payable amount for each remainder; or the ways as the coins come in."""
    values = coins.values
    if coins.question in ("ways", "bounded"):
        lines = []
        for count in range(1, len(values) + 1):
            part = Coins(values[:count], coins.question, coins.amount)
            lines.append(f"with {listed([str(value) for value in values[:count]])}: {solve(part)}")
        return lines
    step = min(values)
    least = _least_by_remainder(values) or []
    lines = [f"remainder {rest} modulo {step}: from {total} on" for rest, total in enumerate(least)]
    return [*lines, f"so {solve(coins)}"]


def hardness(coins: Coins) -> float:
    """Amounts to be looked at, and coins."""
    factor = {"ways": 1.0, "bounded": 1.5, "largest": 2.5, "unpayable": 3.0}[coins.question]
    return factor * len(coins.values) ** 2 * (min(coins.values) + coins.amount / 20)


def twin(rng: Random, knobs: Knobs, coins: Coins) -> Coins | None:
    return generate(rng, knobs)


def _least_by_remainder(values: tuple[int, ...]) -> list[int] | None:
    """The least payable amount for each remainder modulo the smallest value."""
    step = min(values)
    if not 1 < step <= SMALLEST or max(values) > LARGEST or gcd(*values) > 1:
        return None
    least = [step * LARGEST * 2] * step
    waiting = [0]
    least[0] = 0
    while waiting:
        total = heappop(waiting)
        if total > least[total % step]:
            continue
        for value in values:
            if total + value < least[(total + value) % step]:
                least[(total + value) % step] = total + value
                heappush(waiting, total + value)
    return least


def _ways(amount: int, values: tuple[int, ...]) -> int:
    """Ways to pay with values from the largest down; the last two by arithmetic."""
    first = values[0]
    if len(values) == 1:
        return int(amount % first == 0)
    if len(values) > 2:
        return sum(_ways(left, values[1:]) for left in range(amount, -1, -first))
    second = values[1]
    shared = gcd(first, second)
    if amount % shared:
        return 0
    one, other, total = first // shared, second // shared, amount // shared
    fewest = total * pow(one, -1, other) % other if other > 1 else 0
    return 0 if fewest * one > total else (total - fewest * one) // (one * other) + 1


FAR = 20_000  # the largest amount asked about
SMALLEST, LARGEST = 300, 2000  # coins for which the largest amount is sought
LADDER = (
    Knobs(2, 15, "largest"),
    Knobs(3, 25, "ways"),
    Knobs(3, 40, "bounded"),
    Knobs(3, 130, "largest"),
    Knobs(4, 160, "unpayable"),
)
FAMILY = Family(
    Coins,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="coins one by one; shortest paths modulo the smallest coin",
    guess_rate=0.3,
    steps=steps,
    inputs=("values", "amount"),
    twin=twin,
    skills=("divisibility", "counting", "recurrences"),
    peers=("RLVE/binary_linear_equation_solution_counting",),
)
