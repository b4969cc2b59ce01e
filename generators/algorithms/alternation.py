"""Alternation: make the signs of a row alternate by swapping as few pairs as possible.

Either any two signs may be swapped, or only neighbours. All shortest lists of swaps are right.
`solve` pairs what stands wrong; `verify` plays the swaps and knows their fewest number from sums;
`recheck` plays them on a list of numbered signs and counts inversions.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.relatives import outline

Swaps: TypeAlias = tuple[tuple[int, int], ...]
Answer: TypeAlias = Swaps | Impossible


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # signs in the row, or one fewer
    neighbours: float  # how often only neighbours may be swapped
    impossible: float  # share of rows that cannot be made to alternate
    most: int  # swaps that are needed, at most


@dataclass(frozen=True, slots=True)
class Row:
    signs: str
    neighbours: bool


def generate(rng: Random, knobs: Knobs) -> Row | None:
    impossible = rng.random() < knobs.impossible
    length = knobs.length + rng.randint(0, 1)
    ones = (length + rng.randint(0, 1)) // 2
    if impossible:
        ones = length - length // 2 + rng.choice([1, -2])
    signs = ["1"] * ones + ["0"] * (length - ones)
    row = Row("".join(rng.sample(signs, length)), rng.random() < knobs.neighbours)
    answer = solve(row)
    if isinstance(answer, Impossible):
        return row if impossible else None
    if impossible:
        return None
    return row if max(2, length // 6) <= len(answer) <= knobs.most else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(row: Row) -> Answer:
    ways = [_swaps(row, goal) for goal in _goals(row)]
    return min((way for way in ways if way is not None), key=len, default=IMPOSSIBLE)


def verify(row: Row, answer: Answer) -> float:
    ones, length = row.signs.count("1"), len(row.signs)
    fair = abs(2 * ones - length) <= 1
    if isinstance(answer, Impossible):
        return float(not fair)
    if not fair or len(answer) != _fewest(row):
        return 0.0
    signs = list(row.signs)
    for one, other in answer:
        if not (0 < one <= length and 0 < other <= length) or one == other:
            return 0.0
        if row.neighbours and abs(one - other) != 1:
            return 0.0
        signs[one - 1], signs[other - 1] = signs[other - 1], signs[one - 1]
    return float(all(left != right for left, right in pairwise(signs)))


def recheck(row: Row, answer: Answer) -> bool:
    length = len(row.signs)
    goals = [("10" * length)[:length], ("01" * length)[:length]]
    goals = [goal for goal in goals if goal.count("1") == row.signs.count("1")]
    if isinstance(answer, Impossible) or not goals:
        return isinstance(answer, Impossible) and not goals
    at = dict(enumerate(row.signs, 1))
    for one, other in answer:
        if one not in at or other not in at or one == other:
            return False
        if row.neighbours and one + 1 != other and other + 1 != one:
            return False
        at[one], at[other] = at[other], at[one]
    fewest = min(
        _inversions(row.signs, goal)
        if row.neighbours
        else sum(pair == ("1", "0") for pair in zip(row.signs, goal))
        for goal in goals
    )
    return "".join(at.values()) in goals and len(answer) == fewest


def render(row: Row, style: Style) -> Prompt:
    signs, length = " ".join(row.signs), len(row.signs)
    which = "two neighbouring digits" if row.neighbours else "any two digits, however far apart"
    coins = (
        "two coins that lie side by side,"
        if row.neighbours
        else ("any two coins, however far apart,")
    )
    heads = " ".join("H" if sign == "1" else "T" for sign in row.signs)
    example = "(2, 3)" if row.neighbours else "(2, 5)"
    return Prompt(
        style.pick(
            f"Make this row of {length} digits alternate, so that no two neighbours are equal:"
            f" {signs}\n\nOne swap exchanges {which}. Use as few swaps as possible; any shortest"
            " list of swaps is right. Some rows cannot be made to alternate.",
            f"Row: {signs}\n\nA move exchanges {which}. After the last move every two adjacent"
            " digits must differ; the row may begin with 0 or with 1. Find a sequence of moves that"
            " is as short as possible, or say that it cannot be done.",
            f"{length} coins lie in a row, showing heads (H) or tails (T): {heads}\n\nAs often as"
            f" you like, you may exchange {coins} but you may never turn a coin over. In the end"
            " heads and tails must alternate. Give a shortest list of exchanges that achieves this,"
            " if there is one.",
        ),
        form=(
            "the swaps in order, each as the pair of positions that are exchanged, counted from 1"
            f' at the left, such as {example} for a single swap, or the word "impossible" if no'
            " swaps do it"
        ),
    )


def canon(row: Row) -> list[object]:
    """The signs may be exchanged, and the row turned round."""
    other = row.signs.translate(str.maketrans("01", "10"))
    return [min(row.signs, row.signs[::-1], other, other[::-1]), row.neighbours]


def hardness(row: Row) -> float:
    answer = solve(row)
    swaps = 0 if isinstance(answer, Impossible) else len(answer)
    return len(row.signs) + swaps


def _goals(row: Row) -> list[str]:
    """The alternating rows with as many ones."""
    length = len(row.signs)
    both = [("01" * length)[:length], ("10" * length)[:length]]
    return [goal for goal in both if goal.count("1") == row.signs.count("1")]


def _swaps(row: Row, goal: str) -> Swaps:
    """Far: each misplaced one with a misplaced nought. Near: bring the next sign up, each time."""
    signs, found = list(row.signs), list[tuple[int, int]]()
    for place, wanted in enumerate(goal):
        if signs[place] == wanted:
            continue
        if row.neighbours:
            source = signs.index(wanted, place)
            found += [(at, at + 1) for at in range(source, place, -1)]
            signs.insert(place, signs.pop(source))
        else:
            source = next(
                at for at in range(place + 1, len(goal)) if wanted == signs[at] != goal[at]
            )
            signs[place], signs[source] = signs[source], signs[place]
            found.append((place + 1, source + 1))
    return tuple(found)


def _fewest(row: Row) -> int:
    """Of the swaps, by where the ones stand and where they ought to."""
    length = len(row.signs)
    ones = [at for at, sign in enumerate(row.signs) if sign == "1"]
    costs = []
    for first in (0, 1):
        places = list(range(first, length, 2))
        if len(places) == len(ones):
            far = len(set(places) - set(ones))
            near = sum(abs(one - place) for one, place in zip(ones, places, strict=True))
            costs.append(near if row.neighbours else far)
    return min(costs)


def _inversions(signs: str, goal: str) -> int:
    """Pairs of signs that must pass each other, where equal signs keep their order."""
    places = {sign: [at for at, other in enumerate(goal) if other == sign] for sign in "01"}
    ends = [places[sign].pop(0) for sign in signs]
    return sum(ends[one] > ends[other] for other in range(len(ends)) for one in range(other))


LADDER = (
    Knobs(8, 0.0, 0.05, 40),
    Knobs(18, 0.3, 0.1, 40),
    Knobs(24, 0.5, 0.1, 60),
    Knobs(32, 0.8, 0.1, 90),
    Knobs(44, 1.0, 0.1, 150),
)
FAMILY = Family(
    Row,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Pairs()),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="bringing the right sign to each place, for both alternations",
    guess_rate=0.16,
    canon=canon,
    redraws=outline,
    skills=("planning", "optimisation"),
    peers=("reasoning-gym/binary_alternation", "RLVE/binary_alternation"),
    version=3,
)
