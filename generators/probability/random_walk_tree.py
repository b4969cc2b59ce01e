"""Random walk: crossing bridges between islands at random until an island is reached.

The islands make a tree, perhaps with a few bridges more. `solve` writes an equation for each
island and eliminates. `verify` takes the bridges for wires: effective resistances, as quotients of
determinants, give hitting times and probabilities (Tetali's formula).
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import counted
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.probability._chance import EXACT, PROBABILITY, eliminated

Bridges: TypeAlias = tuple[tuple[int, int, int], ...]  # two islands, and how many bridges


@dataclass(frozen=True, slots=True)
class Knobs:
    islands: int  # of the walk
    extra: int  # pairs of islands joined beyond a tree, at most
    bridges: int  # between two islands, at most
    before: float  # the share of questions which of two islands comes first


@dataclass(frozen=True, slots=True)
class Walk:
    name: str
    islands: int
    bridges: Bridges
    start: int
    goal: int
    rival: int  # 0: asked is the time; else whether the goal is reached before this island


def generate(rng: Random, knobs: Knobs) -> Walk | None:
    count = knobs.islands
    pairs = [(rng.randrange(max(1, place - 3), place), place) for place in range(2, count + 1)]
    order = rng.sample(range(1, count + 1), count)
    pairs = [(order[one - 1], order[other - 1]) for one, other in pairs]
    for _ in range(rng.randint(0, knobs.extra)):
        one, other = rng.sample(order, 2)
        if (one, other) not in pairs and (other, one) not in pairs:
            pairs.append((one, other))
    rng.shuffle(pairs)
    start, goal, rival = rng.sample(order, 3)
    if rng.random() >= knobs.before:
        rival = 0
    bridges = tuple((min(pair), max(pair), 0) for pair in pairs)
    return _filled(rng, knobs, Walk(rng.choice(NAMES), count, bridges, start, goal, rival))


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(walk: Walk) -> Fraction | None:
    """One equation for every island where the walk goes on."""
    if not _sensible(walk):
        return None
    ways = _ways(walk)
    going = [island for island in range(1, walk.islands + 1) if island not in _last(walk)]
    rows = []
    for island in going:
        total = sum(ways[island].values())
        row = [Fraction(island == other) for other in going]
        right = Fraction(not walk.rival)
        for other, number in ways[island].items():
            if other in going:
                row[going.index(other)] -= Fraction(number, total)
            elif walk.rival and other == walk.goal:
                right += Fraction(number, total)
        rows.append([*row, right])
    values = eliminated(rows)
    return None if values is None else values[going.index(walk.start)]


def verify(walk: Walk, answer: Fraction) -> float:
    start, goal, rival = walk.start, walk.goal, walk.rival
    far = _resistance(walk, goal, rival or start)
    if rival:
        apart = _resistance(walk, start, rival) + far - _resistance(walk, start, goal)
        return float(2 * far * answer == apart)
    ways = _ways(walk)
    total = sum(
        sum(ways[island].values())
        * (far + _resistance(walk, goal, island) - _resistance(walk, start, island))
        for island in ways
    )
    return float(2 * answer == total)


def render(walk: Walk, style: Style) -> Prompt:
    name = walk.name
    lines = "\n".join(
        f"- islands {one} and {other}: {counted(number, 'bridge')}"
        for one, other, number in walk.bridges
    )
    scene = (
        f"There are {walk.islands} islands, numbered from 1 to {walk.islands}. Bridges join them:"
    )
    rule = (
        f"{name} starts on island {walk.start}, and again and again crosses one of the bridges of"
        f" the island that {name} is on, all of these bridges being equally likely each time (the"
        " one just crossed too)."
    )
    if walk.rival:
        asked = f"the probability that {name} gets to island {walk.goal} before island {walk.rival}"
    else:
        asked = f"the expected number of crossings until {name} is on island {walk.goal}"
        asked += " for the first time"
    return Prompt(
        style.pick(
            f"{scene}\n\n{lines}\n\n{rule} What is {asked}?",
            f"{scene}\n\n{lines}\n\n{rule}\n\nFind {asked}.",
            f"Find {asked}. {scene}\n\n{lines}\n\n{rule}",
        ),
        form=PROBABILITY if walk.rival else EXACT,
    )


def steps(walk: Walk) -> list[str]:
    what = "the probability" if walk.rival else "the expected number of crossings"
    lines = [f"Let v_i be {what}, starting on island i."]
    for island, ways in _ways(walk).items():
        if island in _last(walk):
            lines.append(f"v_{island} = {int(bool(walk.rival) and island == walk.goal)}")
            continue
        total = sum(ways.values())
        terms = [f"{Fraction(number, total)} v_{other}" for other, number in ways.items()]
        lines.append(f"v_{island} = {'' if walk.rival else '1 + '}{' + '.join(terms)}")
    for island in range(1, walk.islands + 1):
        if island not in _last(walk):
            lines.append(f"Solved: v_{island} = {solve(replace(walk, start=island))}")
    return [*lines, f"The answer is v_{walk.start} = {solve(walk)}."]


def hardness(walk: Walk) -> float:
    return walk.islands * len(walk.bridges) + sum(number for _, _, number in walk.bridges)


def canon(walk: Walk) -> list[str]:
    """Islands without their numbers."""
    facts: list[Any] = [("bridge", f"i{a}", f"i{b}", n) for a, b, n in walk.bridges]
    facts.append(("asked", f"i{walk.start}", f"i{walk.goal}", f"i{walk.rival}"))
    names = [f"i{island}" for island in range(1, walk.islands + 1)]
    return unnamed(facts, names, symmetric=("bridge",))


def twin(rng: Random, knobs: Knobs, walk: Walk) -> Walk | None:
    return _filled(rng, knobs, walk)


def renamed(rng: Random, knobs: Knobs, walk: Walk) -> Walk:
    return replace(walk, name=rng.choice(NAMES))


def _filled(rng: Random, knobs: Knobs, draft: Walk) -> Walk | None:
    bridges = tuple((a, b, rng.randint(1, knobs.bridges)) for a, b, _ in draft.bridges)
    if max(number for _, _, number in bridges) == 1:
        return None
    walk = replace(draft, bridges=bridges)
    value = solve(walk)
    return None if value in (None, 0, 1) else walk


def _last(walk: Walk) -> tuple[int, ...]:
    return (walk.goal, walk.rival) if walk.rival else (walk.goal,)


def _ways(walk: Walk) -> dict[int, dict[int, int]]:
    """For every island, how many bridges lead where."""
    found: dict[int, dict[int, int]] = {island: {} for island in range(1, walk.islands + 1)}
    for one, other, number in walk.bridges:
        found[one][other] = found[one].get(other, 0) + number
        found[other][one] = found[other].get(one, 0) + number
    return found


def _sensible(walk: Walk) -> bool:
    places = [place for one, other, _ in walk.bridges for place in (one, other)]
    if not 2 <= walk.islands <= 20 or any(not 1 <= place <= walk.islands for place in places):
        return False
    if any(one == other or number < 1 for one, other, number in walk.bridges):
        return False
    if walk.start in _last(walk) or walk.goal == walk.rival:
        return False
    if any(not 1 <= place <= walk.islands for place in (walk.start, *_last(walk))):
        return False
    ways, seen = _ways(walk), [1]
    for island in seen:  # grows while it is walked
        seen += [other for other in ways[island] if other not in seen]
    return len(seen) == walk.islands


def _resistance(walk: Walk, one: int, other: int) -> Fraction:
    """Between two islands, every bridge a wire of resistance 1."""
    if one == other:
        return Fraction(0)
    return Fraction(_minor(walk, (one, other)), _trees(walk))


@lru_cache(maxsize=2)
def _trees(walk: Walk) -> int:
    """The spanning trees, by Kirchhoff: whichever island is left out."""
    return _minor(walk, (1,))


def _minor(walk: Walk, without: tuple[int, ...]) -> int:
    """The determinant of the Laplacian without some islands, in whole numbers (Bareiss)."""
    kept = [island for island in range(1, walk.islands + 1) if island not in without]
    ways = _ways(walk)
    rows = [[sum(ways[a].values()) if a == b else -ways[a].get(b, 0) for b in kept] for a in kept]
    last = 1
    for place, pivot in enumerate(rows):  # no pivot is 0: the matrix is positive definite
        top = pivot[place]
        for at in range(place + 1, len(rows)):  # it stays symmetric: half of it will do
            row, head = rows[at], pivot[at]
            row[at:] = [
                (own * top - head * other) // last for own, other in zip(row[at:], pivot[at:])
            ]
        last = top
    return last


NAMES = ("Astrid", "Bruno", "Camille", "Dora", "Emil", "Freya", "Gabor", "Hilda", "Ilya", "Juno")
LADDER = (
    Knobs(3, 0, 5, 0.3),
    Knobs(6, 1, 5, 0.3),
    Knobs(7, 2, 5, 0.3),
    Knobs(8, 3, 5, 0.3),
    Knobs(10, 5, 6, 0.3),
)
FAMILY = Family(
    Walk,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="elimination in fractions",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    inputs=("bridges",),
    twin=twin,
    renamed=renamed,
    skills=("probability", "expectation", "equations"),
    peers=("RLVE/tree_random_walk_expectation",),
)
