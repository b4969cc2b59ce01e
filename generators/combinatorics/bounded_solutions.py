"""Bounded solutions: how many whole-number solutions has an equation, between bounds?

`solve` multiplies the generating polynomials, one unknown after another; `verify` counts by stars
and bars, with inclusion and exclusion over the upper bounds.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import comb
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._vocabulary import NAMES


@dataclass(frozen=True, slots=True)
class Knobs:
    unknowns: int  # of the equation
    total: int  # the number on the other side, at most
    bounded: int  # unknowns with bounds of their own
    even: int  # unknowns that must be even, or odd
    weighted: int  # unknowns that count twice or three times
    slack: float  # how often the sum may be less than the total


@dataclass(frozen=True, slots=True)
class Shares:
    names: tuple[str, ...]  # letters, or people who are given things
    things: str  # what is shared out; empty: an equation
    total: int
    exact: bool  # False: the sum is at most the total
    weights: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]  # -1: none
    parity: tuple[str, ...]  # "even", "odd" or empty


def generate(rng: Random, knobs: Knobs) -> Shares | None:
    count = knobs.unknowns
    weights = [1] * count
    for place in rng.sample(range(count), min(knobs.weighted, count)):
        weights[place] = rng.choice((2, 2, 3))
    parity = [""] * count
    for place in rng.sample(range(count), min(knobs.even, count)):
        parity[place] = rng.choice(("even", "odd"))
    exact = rng.random() >= knobs.slack
    names, things = _names(rng, count, rng.random() < 0.5 and max(weights) == 1)
    drawn = Shares(names, things, 0, exact, tuple(weights), (), (), tuple(parity))
    return twin(rng, knobs, drawn)


def twin(rng: Random, knobs: Knobs, puzzle: Shares) -> Shares | None:
    """The same unknowns with another total and other bounds."""
    count = len(puzzle.names)
    total = rng.randint(knobs.total * 2 // 3, knobs.total)
    low, high = [0] * count, [-1] * count
    share = total // count
    for place in rng.sample(range(count), min(knobs.bounded, count)):
        if rng.random() < 0.6:
            low[place] = rng.randint(1, max(2, share))
        if not low[place] or rng.random() < 0.6:
            high[place] = low[place] + rng.randint(2, max(3, share + 2))
    made = replace(puzzle, total=total, low=tuple(low), high=tuple(high))
    return made if (solve(made) or 0) > 2 else None


def renamed(rng: Random, knobs: Knobs, puzzle: Shares) -> Shares | None:
    names, things = _names(rng, len(puzzle.names), bool(puzzle.things))
    return replace(puzzle, names=names, things=things)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(puzzle: Shares) -> int | None:
    """How many ways lead to each sum, as the unknowns are added one by one."""
    if puzzle.total > MOST:
        return None
    ways = [1] + [0] * puzzle.total
    for weight, low, high, parity in _rows(puzzle):
        last = puzzle.total if high < 0 else min(high, puzzle.total)
        values = [
            weight * value
            for value in range(low, last + 1)
            if not parity or value % 2 == (parity == "odd")
        ]
        ways = [
            sum(ways[total - value] for value in values if value <= total)
            for total in range(puzzle.total + 1)
        ]
    return ways[-1] if puzzle.exact else sum(ways)


def verify(puzzle: Shares, answer: int) -> float:
    return float(answer >= 0 and _sieved(puzzle) == answer)


def render(puzzle: Shares, style: Style) -> Prompt:
    if puzzle.things:
        return _story(puzzle, style)
    left = " + ".join(
        f"{weight}{name}" if weight > 1 else name
        for weight, name in zip(puzzle.weights, puzzle.names)
    )
    equation = f"{left} {'=' if puzzle.exact else '≤'} {puzzle.total}"
    bounds = [
        _bound(name, low, high)
        for name, low, high in zip(puzzle.names, puzzle.low, puzzle.high)
        if low or high >= 0
    ]
    bounds += [f"{name} is {odd}" for name, odd in zip(puzzle.names, puzzle.parity) if odd]
    names = listed(puzzle.names)
    what = "equation" if puzzle.exact else "inequality"
    under = f" and satisfy {listed(bounds)}" if bounds else ""
    question = style.pick(
        f"Find the number of solutions of the {what}\n\n{equation}\n\nin integers {names} that are"
        f" at least 0{under}.",
        f"Let {names} be non-negative integers with {equation}. In how many ways can they be"
        f" chosen{f' so that {listed(bounds)}' if bounds else ''}?",
        f"Count the tuples ({', '.join(puzzle.names)}) of integers for which {equation}, where"
        f" all of them are at least 0{f', and moreover {listed(bounds)}' if bounds else ''}.",
    )
    return Prompt(question, form="one integer, the number of solutions")


def hardness(puzzle: Shares) -> float:
    bounds = sum(map(bool, puzzle.low)) + 2 * sum(high >= 0 for high in puzzle.high)
    others = sum(map(bool, puzzle.parity)) + 2 * sum(weight > 1 for weight in puzzle.weights)
    return puzzle.total / 4 + 2 * len(puzzle.names) + 2 * (bounds + others) + (not puzzle.exact)


def canon(puzzle: Shares) -> tuple[object, ...]:
    return puzzle.total, puzzle.exact, sorted(_rows(puzzle))


def _rows(puzzle: Shares) -> list[tuple[int, int, int, str]]:
    return list(zip(puzzle.weights, puzzle.low, puzzle.high, puzzle.parity))


def _names(rng: Random, count: int, story: bool) -> tuple[tuple[str, ...], str]:
    if story:
        return tuple(rng.sample(NAMES, count)), rng.choice(THINGS)
    if count <= len("abcd") and rng.random() < 0.5:
        return tuple(rng.choice(("abcd", "xyzw"))[:count]), ""
    letter = rng.choice("xyaktn")
    return tuple(f"{letter}_{place}" for place in range(1, count + 1)), ""


def _bound(name: str, low: int, high: int) -> str:
    if high < 0:
        return f"{name} ≥ {low}"
    return f"{low} ≤ {name} ≤ {high}" if low else f"{name} ≤ {high}"


def _story(puzzle: Shares, style: Style) -> Prompt:
    things, names = puzzle.things, listed(puzzle.names)
    lines = []
    for name, (_, low, high, parity) in zip(puzzle.names, _rows(puzzle)):
        amount = ["at least " + f"{low}"] * (low > 0) + ["at most " + f"{high}"] * (high >= 0)
        amount += [f"an {parity} number"] if parity else []
        if amount:
            lines.append(f"- {name} gets {listed(amount)}{' of them' if parity else ''}.")
    some = "all of them" if puzzle.exact else "some of them, none or all"
    over = "none is left over" if puzzle.exact else "some, or all, may be left over"
    left = "" if puzzle.exact else " What is not given away is kept."
    question = style.pick(
        f"There are {puzzle.total} equal {things}, and {some} can be given away to {names}.{left}",
        f"A box holds {puzzle.total} {things} that look exactly the same. {some.capitalize()} are"
        f" handed out to {names}.{left}",
        f"{names} share {puzzle.total} {things}, which are all alike, and {over}.",
    )
    if puzzle.exact:
        question = question.replace("can be given away", "are given away")
    zero = "Nobody has to get anything" + (", except as required here" if lines else "")
    told = f":\n\n{chr(10).join(lines)}\n\n" if lines else ". "
    asked = style.pick(
        "In how many ways can this be done?",
        f"In how many ways can the {things} be shared out?",
        "How many different outcomes are there?",
    )
    note = "Only the number that each of them gets matters."
    return Prompt(f"{question} {zero}{told}{asked} {note}", form="one integer, the number of ways")


@lru_cache(maxsize=64)
def _sieved(puzzle: Shares) -> int:
    """Each unknown becomes a step, taken any number of times up to a limit, after a first share."""
    rest, steps, limits = puzzle.total, [], []
    for weight, low, high, parity in _rows(puzzle):
        odd = {"even": 0, "odd": 1}.get(parity, low % 2)
        first, stride = low + (low % 2 != odd), 2 if parity else 1
        rest -= weight * first
        steps.append(weight * stride)
        limits.append((high - first) // stride if high >= 0 else None)
        if high >= 0 and high < first:
            return 0
    if not puzzle.exact:
        steps.append(1)
        limits.append(None)
    total = 0
    for broken in product(*((0,) if limit is None else (0, 1) for limit in limits)):
        over = sum(
            step * (limit + 1)
            for step, limit, is_broken in zip(steps, limits, broken)
            if is_broken and limit is not None
        )
        total += (-1) ** sum(broken) * _unlimited(
            rest - over, tuple(sorted(Counter(steps).items()))
        )
    return total


@lru_cache(maxsize=4096)
def _unlimited(total: int, steps: tuple[tuple[int, int], ...]) -> int:
    """Sums of steps, each of a size and so many of that size: stars and bars, size by size."""
    if total < 0:
        return 0
    (size, number), *others = steps[::-1]
    if not others:
        return comb(total // size + number - 1, number - 1) if total % size == 0 else 0
    return sum(
        comb(taken + number - 1, number - 1) * _unlimited(total - size * taken, steps[:-1])
        for taken in range(total // size + 1)
    )


THINGS = ("apples", "marbles", "coins", "stickers", "biscuits", "tickets", "balloons", "pencils")
MOST = 300  # the largest total that is looked at
LADDER = (
    Knobs(3, 12, 1, 0, 0, 0.0),
    Knobs(4, 28, 3, 1, 0, 0.3),
    Knobs(4, 36, 4, 1, 1, 0.3),
    Knobs(5, 40, 4, 2, 1, 0.4),
    Knobs(6, 60, 5, 2, 2, 0.5),
)
FAMILY = Family(
    Shares,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="product of generating polynomials",
    guess_rate=0.2,
    canon=canon,
    inputs=("total", "low", "high"),
    twin=twin,
    renamed=renamed,
    skills=("counting", "equations"),
    peers=("reasoning-core/combinatorics_formula",),
    version=2,
)
