"""Wythoff's game: take from one of two heaps, or about as many from both; which move wins?

Every winning move is right. `solve` lists the lost positions by the least number not yet used;
`verify` tells a lost position by Wythoff's irrational multiples, in whole numbers; `recheck` marks
what each lost position can be come to from.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from math import isqrt
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE
from puzzlemill.core.answers.impossible import Impossible
from puzzlemill.core.family import Family, Prompt, Style

SLIPS = 60  # mistakes that are tried
HOPELESS = 0.03  # share of positions without a winning move


@dataclass(frozen=True, slots=True)
class Knobs:
    most: int  # objects in a heap
    apart: int  # at most by how much what is taken from the two heaps may differ


@dataclass(frozen=True, slots=True)
class Heaps:
    first: int
    second: int
    apart: int


def generate(rng: Random, knobs: Knobs) -> Heaps | None:
    apart = rng.randrange(knobs.apart + 1)
    low = max(knobs.most // 4, 2)
    hopeless = rng.random() < HOPELESS
    if hopeless:
        pairs = [it for it in _lost(knobs.most, apart) if low <= it[1] <= knobs.most]
        if not pairs:
            return None
        first, second = rng.sample(rng.choice(pairs), 2)
        return Heaps(first, second, apart)
    heaps = Heaps(rng.randrange(low, knobs.most + 1), rng.randrange(low, knobs.most + 1), apart)
    gold = solve(heaps)
    # To take everything at once is no problem worth asking.
    if gold is IMPOSSIBLE or abs(heaps.first - heaps.second) <= apart:
        return None
    return heaps


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(heaps: Heaps) -> tuple[int, ...] | Impossible:
    """The lost positions in order; each of them is tried as the position to leave."""
    for low, high in _lost(max(heaps.first, heaps.second), heaps.apart):
        for left in ((low, high), (high, low)):
            taken = (heaps.first - left[0], heaps.second - left[1])
            if _allowed(taken, heaps):
                return taken
    return IMPOSSIBLE


def verify(heaps: Heaps, taken: tuple[int, ...] | Impossible) -> float:
    if isinstance(taken, Impossible):
        return float(_cold(heaps.first, heaps.second, heaps.apart))
    if len(taken) != 2 or not _allowed(taken, heaps):
        return 0.0
    return float(_cold(heaps.first - taken[0], heaps.second - taken[1], heaps.apart))


def recheck(heaps: Heaps, taken: tuple[int, ...] | Impossible) -> bool:
    """Position by position, the smaller ones first; a lost one marks whence it can be left."""
    # Up to a power of two, for the next heaps as well.
    cold = _unmarked(1 << max(heaps.first, heaps.second).bit_length(), heaps.apart)
    if isinstance(taken, Impossible):
        return (heaps.first, heaps.second) in cold
    if len(taken) != 2:
        return False
    one, two = taken
    if min(one, two) < 0 or max(one, two) < 1 or one > heaps.first or two > heaps.second:
        return False
    if one and two and abs(one - two) > heaps.apart:
        return False
    return (heaps.first - one, heaps.second - two) in cold


def render(heaps: Heaps, style: Style) -> Prompt:
    both = (
        "the same number from both heaps"
        if heaps.apart == 0
        else f"some from each heap, in amounts that differ by at most {heaps.apart}"
    )
    first, second = heaps.first, heaps.second
    return Prompt(
        style.pick(
            f"Two players take turns. There are two heaps, with {first} and {second} objects. In a"
            " turn a player takes objects away: either any number from one of the heaps (at least"
            f" one), or {both} (at least one from each). Whoever takes the last object of all wins."
            " It is your turn. Find a move after which you win however your opponent plays.",
            f"A game with two heaps of matches (called objects here): the first has {first}, the"
            f" second {second}. The players take turns. A move takes one or more objects from a"
            f" single heap; or {both}, at least one from each. The player who makes the last move,"
            " so that"
            " nothing is left, is the winner. You move next. Which move makes sure that you win?",
            f"The first heap holds {first} objects and the second one {second}. You and your"
            " opponent, who makes no mistakes, take turns removing objects until none is left;"
            " whoever cannot move has lost. It is allowed to remove as many as one likes, though at"
            f" least one, from either heap alone; it is also allowed to remove {both}, at least one"
            " from each. You are to move. What do you remove?",
        )
        + " If every move lets your opponent win, the answer is: impossible.",
        form="how many objects to take from the first heap and how many from the second (0 for"
        ' none), separated by a comma, or the word "impossible"',
    )


def steps(heaps: Heaps) -> list[str]:
    """The lost positions up to the larger heap, by their differences, and the move."""
    top = max(heaps.first, heaps.second)
    pairs = [it for it in _lost(top, heaps.apart) if it[1] <= top]
    lines = [
        "who is to move loses at: "
        + ", ".join(f"({low}, {high})" for low, high in pairs[:60])
        + (" and so on" if len(pairs) > 60 else "")
    ]
    gold = solve(heaps)
    if isinstance(gold, Impossible):
        return [*lines, "this is one of them: no move wins"]
    left = (heaps.first - gold[0], heaps.second - gold[1])
    return [*lines, f"take {gold[0]} and {gold[1]} to leave {left[0]} and {left[1]}"]


def slips(
    rng: Random, heaps: Heaps, gold: tuple[int, ...] | Impossible
) -> Iterator[tuple[int, ...]]:
    """The winning moves of heaps that are nearly these, as far as they are allowed here."""
    for _ in range(SLIPS):
        first, second = (
            max(1, each + rng.randint(-max(2, each // 20), max(2, each // 20)))
            for each in (heaps.first, heaps.second)
        )
        taken = solve(Heaps(first, second, heaps.apart))
        if not isinstance(taken, Impossible) and _allowed(taken, heaps):
            yield taken


def canon(heaps: Heaps) -> object:
    return sorted((heaps.first, heaps.second)), heaps.apart


def hardness(heaps: Heaps) -> float:
    return heaps.first + heaps.second


def _allowed(taken: tuple[int, ...], heaps: Heaps) -> bool:
    one, two = taken
    if not (0 <= one <= heaps.first and 0 <= two <= heaps.second and one + two):
        return False
    return not (one and two) or abs(one - two) <= heaps.apart


@cache
def _lost(top: int, apart: int) -> list[tuple[int, int]]:
    """The lost positions whose lower number is at most `top`: the n-th has the least number not
    yet used, and that plus n times (apart + 1)."""
    found: list[tuple[int, int]] = []
    used: set[int] = set()
    low = 0
    while low <= top:
        high = low + len(found) * (apart + 1)
        found.append((low, high))
        used |= {low, high}
        while low in used:
            low += 1
    return found


def _cold(first: int, second: int, apart: int) -> bool:
    """Whether the one to move loses, by the lower number of the n-th lost position."""
    low, high = sorted((first, second))
    step = apart + 1
    number, rest = divmod(high - low, step)
    # n (2 - a + sqrt(a^2 + 4)) / 2, where the root is irrational.
    return rest == 0 and low == (number * (2 - step) + isqrt(number**2 * (step**2 + 4))) // 2


@cache
def _unmarked(top: int, apart: int) -> frozenset[tuple[int, int]]:
    """The lost positions of heaps of at most `top`, by rows, columns and bands already taken."""
    cold: set[tuple[int, int]] = set()
    rows: set[int] = set()
    columns: set[int] = set()
    bands: set[int] = set()  # differences from which a lost position can be left
    for first in range(top + 1):
        for second in range(top + 1):
            if first in rows:
                break
            if second in columns or second - first in bands:
                continue
            cold.add((first, second))
            rows.add(first)
            columns.add(second)
            bands |= set(range(second - first - apart, second - first + apart + 1))
    return frozenset(cold)


LADDER = (
    Knobs(12, 0),
    Knobs(350, 3),
    Knobs(450, 3),
    Knobs(650, 4),
    Knobs(1000, 6),
)
FAMILY = Family(
    Heaps,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.IntList(names=("first heap", "second heap"))),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="lost positions by the least number not yet used",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    redraws=True,
    slips=slips,
    skills=("games", "arithmetic"),
    peers=("RLVE/wythoff_game",),
    theme="heaps",
    version=5,
)
