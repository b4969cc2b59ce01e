"""Expected value: what a dice game pays on average, when the payout adds up several things.

`solve` takes the expectation of each part by itself, by a formula, for expectations add up whether
or not the parts depend on one another. `verify` writes out all rolls and takes the mean.
"""

from dataclasses import dataclass, replace
from functools import cache
from math import comb
from random import Random
from typing import Any, TypeAlias

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.probability._chance import EXACT

Part: TypeAlias = tuple[str, int, int]  # what is paid for, how much, and a number it looks for


@dataclass(frozen=True, slots=True)
class Knobs:
    rolls: int  # at most
    sides: int  # at most
    parts: int  # of the payout
    sorts: int  # of parts that there may be


@dataclass(frozen=True, slots=True)
class Game:
    name: str
    coins: str
    rolls: int
    sides: int
    parts: tuple[Part, ...]
    fee: int


def generate(rng: Random, knobs: Knobs) -> Game:
    parts = tuple(
        (sort, 0, 0) for sort in rng.sample(SORTS[: max(knobs.sorts, knobs.parts)], knobs.parts)
    )
    return _filled(rng, knobs, Game(rng.choice(NAMES), rng.choice(COINS), 0, 0, parts, 0))


def solve(game: Game) -> Fraction | None:
    """The sum of what each part is worth on average."""
    sensible = 2 <= game.rolls <= 12 and 2 <= game.sides <= 20
    if not sensible or game.sides**game.rolls > MOST:
        return None
    worth = (pay * _mean(game, sort, number) for sort, pay, number in game.parts)
    return sum(worth, Fraction(-game.fee))


def verify(game: Game, answer: Fraction) -> float:
    rolls = _all_rolls(game.rolls, game.sides)
    total = sum(
        pay * int(_counted(rolls, game.sides, sort, number).sum())
        for sort, pay, number in game.parts
    )
    return float(Fraction(total, game.sides**game.rolls) - game.fee == answer)


def render(game: Game, style: Style) -> Prompt:
    name, coins = game.name, game.coins
    rolling = f"a fair die, numbered from 1 to {game.sides},"
    lines = "\n".join(f"- {_told(part)}" for part in game.parts)
    fee = f"To take part, {name} pays a fee of {game.fee} {coins}."
    return Prompt(
        style.pick(
            f"{name} plays a game. {fee} Then {name} rolls {rolling} {game.rolls} times, and the"
            f" payout, in {coins}, is the sum of:\n\n{lines}\n\nWhat is the expected value of the"
            " payout minus the fee?",
            f"Find the expected net gain (payout minus fee), in {coins}, of this game. {fee} Then"
            f" {rolling} is rolled {game.rolls} times. The payout is the sum, in {coins}, of:\n\n"
            f"{lines}",
            f"In a game, {rolling} is rolled {game.rolls} times. The player is paid the sum, in"
            f" {coins}, of:\n\n{lines}\n\n{fee} How many {coins} does {name} gain on average in"
            " one game, the fee deducted (a loss counts as negative)?",
        ),
        form=EXACT,
    )


def steps(game: Game) -> list[str]:
    """Every part by itself: expectations add up, whatever the parts have to do with one another."""
    lines, worths = [], []
    for sort, pay, number in game.parts:
        mean = _mean(game, sort, number)
        lines.append(f"{REASONS[sort]}: {mean} on average, and {pay} * {mean} = {pay * mean}.")
        worths.append(str(pay * mean))
    return [*lines, f"Minus the fee: {' + '.join(worths)} - {game.fee} = {solve(game)}."]


def hardness(game: Game) -> float:
    return game.rolls * sum(1 + SORTS.index(sort) for sort, _, _ in game.parts)


def canon(game: Game) -> list[Any]:
    return [game.rolls, game.sides, sorted(game.parts), game.fee]


def twin(rng: Random, knobs: Knobs, game: Game) -> Game:
    return _filled(rng, knobs, game)


def renamed(rng: Random, knobs: Knobs, game: Game) -> Game:
    return replace(game, name=rng.choice(NAMES), coins=rng.choice(COINS))


def _filled(rng: Random, knobs: Knobs, draft: Game) -> Game:
    rolls = rng.randint(max(2, knobs.rolls - 1), knobs.rolls)
    top = max(side for side in range(4, knobs.sides + 1) if side**rolls <= MOST)
    sides = rng.randint(4, top)
    parts = tuple(
        (sort, rng.randint(2, 12), rng.randint(2, sides) if sort in LOOKING else 0)
        for sort, _, _ in draft.parts
    )
    game = replace(draft, rolls=rolls, sides=sides, parts=parts)
    worth = sum(pay * _mean(game, sort, number) for sort, pay, number in parts)
    fee = max(2, int(worth * rng.randint(50, 120)) // 100)
    return replace(game, fee=fee + (fee == worth))


def _mean(game: Game, sort: str, number: int) -> Fraction:
    """What a part counts on average."""
    n, s = game.rolls, game.sides
    other = Fraction(s - 1, s)  # the chance not to see a number in a roll
    match sort:
        case "sum":
            return Fraction(n * (s + 1), 2)
        case "face":
            return Fraction(n, s) if 1 <= number <= s else Fraction(0)
        case "least":
            return Fraction(n * max(0, s + 1 - max(1, number)), s)
        case "pairs":
            return Fraction(comb(n, 2), s)
        case "rises":
            return (n - 1) * other / 2
        case "highest":
            return s - Fraction(sum(face**n for face in range(1, s)), s**n)
        case "lowest":
            return Fraction(sum(face**n for face in range(1, s + 1)), s**n)
        case "product":
            return Fraction((s + 1) ** 2, 4)
        case "distinct":
            return s * (1 - other**n)
        case "gap":
            return Fraction(s * s - 1, 3 * s)
        case "once":
            return n * other ** (n - 1)
        case _:  # a record: higher than all before
            below = (face**before for before in range(n) for face in range(s))
            powers = (s ** (before + 1) for before in range(n) for _ in range(s))
            return sum((Fraction(a, b) for a, b in zip(below, powers)), Fraction(0))


@cache
def _all_rolls(rolls: int, sides: int) -> Any:
    """A row for each roll of the game, a column for each way that it may go."""
    return np.indices((sides,) * rolls, dtype=np.int16).reshape(rolls, -1) + 1


def _counted(rolls: Any, sides: int, sort: str, number: int) -> Any:
    """What a part counts in each way that the game may go."""
    match sort:
        case "sum":
            return rolls.sum(axis=0)
        case "face":
            return (rolls == number).sum(axis=0)
        case "least":
            return (rolls >= number).sum(axis=0)
        case "pairs":
            times = [(rolls == face).sum(axis=0) for face in range(1, sides + 1)]
            return sum(each * (each - 1) // 2 for each in times)
        case "rises":
            return (rolls[1:] > rolls[:-1]).sum(axis=0)
        case "highest":
            return rolls.max(axis=0)
        case "lowest":
            return rolls.min(axis=0)
        case "product":
            return rolls[0].astype(np.int64) * rolls[-1]
        case "distinct":
            return sum((rolls == face).any(axis=0).astype(np.int64) for face in range(1, sides + 1))
        case "gap":
            return abs(rolls[0] - rolls[-1])
        case "once":
            return sum((rolls == face).sum(axis=0) == 1 for face in range(1, sides + 1))
        case _:
            best = np.maximum.accumulate(rolls, axis=0)
            return 1 + (rolls[1:] > best[:-1]).sum(axis=0)


def _told(part: Part) -> str:
    sort, pay, number = part
    return {
        "sum": f"{pay} times the sum of all rolls",
        "face": f"{pay} for each roll of exactly {number}",
        "least": f"{pay} for each roll of {number} or more",
        "pairs": f"{pay} for each pair of rolls that are equal (so three equal rolls make three"
        " pairs)",
        "rises": f"{pay} for each roll that is higher than the roll just before it",
        "highest": f"{pay} times the highest number rolled",
        "lowest": f"{pay} times the lowest number rolled",
        "product": f"{pay} times the product of the first roll and the last roll",
        "distinct": f"{pay} for each different number that comes up (counted once, however often"
        " it comes up)",
        "gap": f"{pay} times the difference between the first roll and the last roll (larger minus"
        " smaller)",
        "once": f"{pay} for each number that comes up exactly once",
        "records": f"{pay} for each roll that is higher than all rolls before it (the first roll"
        " always is)",
    }[sort]


SORTS = (
    "face", "sum", "least", "product", "rises", "pairs",
    "highest", "distinct", "lowest", "gap", "once", "records",
)  # fmt: skip
LOOKING = ("face", "least")
REASONS = {
    "sum": "The sum: each roll is in the middle of all numbers",
    "face": "Rolls of the number: each roll is one with the same probability",
    "least": "Rolls that are high enough: each roll is one with the same probability",
    "pairs": "Equal pairs: each pair is equal with probability 1 over the number of sides",
    "rises": "Rolls above the one before: a rise is as likely as a fall, and the rest are equal",
    "highest": "The highest number: add up the probabilities to reach 1, 2, 3 and so on",
    "lowest": "The lowest number: add up the probabilities that all rolls reach 1, 2, 3 and so on",
    "product": "First times last: the rolls are independent, so multiply their means",
    "distinct": "Different numbers: each number comes up at least once with the same probability",
    "gap": "First and last: the mean difference of two rolls",
    "once": "Numbers that come up once: each roll differs from all others equally often",
    "records": "Records: for each roll, the probability that all before it are lower",
}
MOST = 50_000  # ways that a game may go
NAMES = ("Alba", "Bengt", "Chloe", "Dario", "Eva", "Filip", "Greta", "Henri", "Ines", "Jakob")
COINS = ("tokens", "chips", "dollars", "coins", "points", "marbles")
LADDER = (
    Knobs(2, 6, 1, 2),
    Knobs(3, 8, 2, 5),
    Knobs(4, 10, 3, 8),
    Knobs(5, 10, 4, 10),
    Knobs(6, 10, 6, 12),
)
FAMILY = Family(
    Game,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="linearity, a formula for each part",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    inputs=("rolls", "sides", "parts", "fee"),
    twin=twin,
    renamed=renamed,
    skills=("expectation", "probability", "fractions"),
    peers=("RLVE/random_range_max_expectation",),
    version=2,
)
