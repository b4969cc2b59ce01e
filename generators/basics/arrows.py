"""Arrows: each letter points to another; follow them for a number of steps.

`solve` walks; `verify` asks of each two neighbours in the answer whether the arrow is listed.
"""

from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.core.relatives import outline

LETTERS = "abcdefghijklm"  # the other half is that of `reversal`: a tiny policy confuses the two


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # how many letters there are
    hops: int  # how many arrows are followed


@dataclass(frozen=True, slots=True)
class Map:
    arrows: tuple[tuple[str, str], ...]  # (from, to); one from each letter
    start: str
    hops: int


def generate(rng: Random, knobs: Knobs) -> Map:
    """All letters in one ring, so that no walk is caught in a short loop."""
    ring = rng.sample(LETTERS, knobs.letters)
    arrows = list(zip(ring, ring[1:] + ring[:1], strict=True))
    rng.shuffle(arrows)
    return Map(tuple(arrows), ring[0], min(knobs.hops, knobs.letters - 1))


def solve(map_: Map) -> tuple[str, ...]:
    target, here, visited = dict(map_.arrows), map_.start, []
    for _ in range(map_.hops):
        here = target[here]
        visited.append(here)
    return tuple(visited)


def verify(map_: Map, visited: tuple[str, ...]) -> float:
    listed = set(map_.arrows)
    walk = zip((map_.start, *visited), visited, strict=False)
    return float(len(visited) == map_.hops and all(pair in listed for pair in walk))


def render(map_: Map, style: Style) -> Prompt:
    arrows = "\n".join(f"{here} -> {there}" for here, there in map_.arrows)
    start = map_.start
    times = f"{map_.hops} arrow{'s' if map_.hops > 1 else ''}"
    return Prompt(
        style.pick(
            f"Start at {start} and follow {times}:\n{arrows}",
            f"Follow {times} from {start}:\n{arrows}",
            f"Each letter points to another. Go along {times} from {start}.\n{arrows}",
        ),
        form="the letters you come to, separated by spaces",
    )


def steps(map_: Map) -> list[str]:
    visited = solve(map_)
    walk = zip((map_.start, *visited), visited, strict=False)
    return [f"{here} -> {there}" for here, there in walk]


def progress(map_: Map, lines: Lines) -> float:
    return way_travelled(FAMILY, map_, lines, _onward, r"(\w) -> (\w)")


def _onward(map_: Map, move: str | tuple[str, str]) -> Map | None:
    """A step is told with where it starts, an answer without."""
    here, there = move if isinstance(move, tuple) else (map_.start, move)
    if here != map_.start or (here, there) not in map_.arrows:
        return None
    return replace(map_, start=there, hops=map_.hops - 1)


def canon(map_: Map) -> list[object]:
    """The order in which the arrows are listed does not matter."""
    return [sorted(map_.arrows), map_.start, map_.hops]


LADDER = (Knobs(3, 2), Knobs(6, 3), Knobs(8, 4), Knobs(10, 6), Knobs(12, 9))
FAMILY = Family(
    Map,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(items="letters"),
    hardness=lambda map_: map_.hops * len(map_.arrows),
    proof="unique",
    solver="a walk along the arrows",
    guess_rate=0.55,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=outline,
    skills=("tracking", "graphs"),
)
