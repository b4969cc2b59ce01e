"""Lattice paths: how many ways lead through a grid of streets, past all that is closed?

`solve` adds up the ways to reach each crossing. `verify` never walks: it counts free ways by
binomial coefficients, mirrors those that cross a line, and splits what is forbidden by the first
closed place that a way runs into.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product
from math import comb, prod
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed

Point: TypeAlias = tuple[int, int]
Street: TypeAlias = tuple[Point, Point]  # from one crossing to the next


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # the longer one, at most
    closed: int  # crossings and streets that are closed
    through: int  # crossings that must be visited
    diagonal: float  # how often diagonal steps are allowed
    line: float  # how often there is a line that must not be crossed


@dataclass(frozen=True, slots=True)
class Streets:
    width: int
    height: int
    diagonal: bool
    crossings: tuple[Point, ...]  # closed
    streets: tuple[Street, ...]  # closed
    through: tuple[Point, ...]  # to be visited
    margin: int  # y is never more than x plus this; -1: there is no such rule


def generate(rng: Random, knobs: Knobs) -> Streets | None:
    width = rng.randint((knobs.side + 1) // 2, knobs.side)
    height = rng.randint((knobs.side + 1) // 2, knobs.side)
    diagonal, line = rng.random() < knobs.diagonal, rng.random() < knobs.line
    margin = rng.randint(0, max(1, height // 2)) if line else -1
    if line and height > width + margin:
        return None
    inside = [
        (x, y)
        for x in range(width + 1)
        for y in range(height + 1)
        if 0 < x + y < width + height and not (line and y > x + margin)
    ]
    if len(inside) < knobs.through + knobs.closed:
        return None
    places = rng.sample(inside, knobs.through + knobs.closed)
    through, closed = places[: knobs.through], places[knobs.through :]
    number = rng.randint(0, knobs.closed // 2)
    streets = tuple(sorted(_street(rng, place, width, height) for place in closed[:number]))
    crossings = tuple(sorted(closed[number:]))
    puzzle = Streets(width, height, diagonal, crossings, streets, tuple(sorted(through)), margin)
    return puzzle if (solve(puzzle) or 0) > 1 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(puzzle: Streets) -> int | None:
    """Ways to each crossing from those before it; a bit for each crossing that was visited."""
    if not (puzzle.width > 0 and puzzle.height > 0 and puzzle.width * puzzle.height <= MOST):
        return None
    everything = (1 << len(puzzle.through)) - 1
    return _ways(puzzle)[puzzle.width, puzzle.height].get(everything, 0)


def verify(puzzle: Streets, answer: int) -> float:
    return float(answer >= 0 and _first_hits(puzzle) == answer)


def render(puzzle: Streets, style: Style) -> Prompt:
    goal = f"({puzzle.width}, {puzzle.height})"
    ways = "one unit to the right, one unit up" + (
        ", or diagonally from (x, y) to (x + 1, y + 1)" if puzzle.diagonal else ""
    )
    ways = ways if puzzle.diagonal else ways.replace(", one unit up", " or one unit up")
    lines = []
    if puzzle.crossings:
        points = listed(map(str, puzzle.crossings), "or")
        lines.append(f"It must not visit {points}.")
    if puzzle.streets:
        pairs = listed((f"from {start} to {end}" for start, end in puzzle.streets), "or")
        lines.append(f"It must not contain the step {pairs}.")
    if puzzle.through:
        lines.append(f"It must visit {listed(map(str, puzzle.through))}.")
    if puzzle.margin >= 0:
        bound = f"x + {puzzle.margin}" if puzzle.margin else "x"
        lines.append(f"It must never visit a point (x, y) with y > {bound}.")
    rules = "\n".join(f"- {line}" for line in lines)
    question = style.pick(
        f"A path on the grid of points with whole coordinates leads from (0, 0) to {goal}. Every"
        f" step goes {ways}. How many such paths obey the following?",
        f"A robot drives from (0, 0) to {goal}; in each step it moves {ways}. In how many ways can"
        " it get there, if its path has to keep to these rules?",
        f"Count the lattice paths from (0, 0) to {goal} whose steps each go {ways}, and that"
        " satisfy these conditions:",
    )
    if not lines:
        question = style.pick(
            f"How many paths lead from (0, 0) to {goal} if every step goes {ways}?",
            f"In each step a robot moves {ways}. In how many ways can it drive from (0, 0) to"
            f" {goal}?",
            f"Count the lattice paths from (0, 0) to {goal} whose steps each go {ways}.",
        )
    return Prompt(f"{question}\n\n{rules}".strip(), form="one integer, the number of paths")


def steps(puzzle: Streets) -> list[str]:
    """The number of ways to each crossing of a row, row after row."""
    ways = _ways(puzzle)
    lines = []
    if puzzle.through:
        points = listed(map(str, puzzle.through))
        lines.append(
            f"Count the ways to each point, those that have visited all of {points} apart."
        )
    everything = (1 << len(puzzle.through)) - 1
    for y in range(puzzle.height + 1):
        row = [ways[x, y] for x in range(puzzle.width + 1)]
        said = " ".join(str(sum(here.values())) for here in row)
        lines.append(f"Ways to (0, {y}), ..., ({puzzle.width}, {y}): {said}")
        if puzzle.through and any(here.get(everything) for here in row):
            done = " ".join(str(here.get(everything, 0)) for here in row)
            lines.append(f"Of these, after every required point: {done}")
    return lines


def hardness(puzzle: Streets) -> float:
    rules = len(puzzle.crossings) + len(puzzle.streets) + 3 * len(puzzle.through)
    size = puzzle.width * puzzle.height
    return size * (1 + 0.5 * puzzle.diagonal + 0.5 * (puzzle.margin >= 0)) + 3 * rules


def canon(puzzle: Streets) -> tuple[object, ...]:
    """The smaller of the puzzle and its mirror image, where nothing but a line tells them apart."""

    def turned(flip: bool) -> tuple[object, ...]:
        order = -1 if flip else 1
        return (
            (puzzle.width, puzzle.height)[::order],
            sorted(point[::order] for point in puzzle.crossings),
            sorted((start[::order], end[::order]) for start, end in puzzle.streets),
            sorted(point[::order] for point in puzzle.through),
        )

    forms = [turned(False)] if puzzle.margin >= 0 else [turned(False), turned(True)]
    return puzzle.diagonal, puzzle.margin, min(map(repr, forms))


def _street(rng: Random, start: Point, width: int, height: int) -> Street:
    x, y = start
    ends = [(x + 1, y)] * (x < width) + [(x, y + 1)] * (y < height)
    return start, rng.choice(ends)


def _ways(puzzle: Streets) -> dict[Point, dict[int, int]]:
    steps = [(1, 0), (0, 1), (1, 1)] if puzzle.diagonal else [(1, 0), (0, 1)]
    bits = {point: 1 << place for place, point in enumerate(puzzle.through)}
    barred = set(puzzle.streets)
    ways: dict[Point, dict[int, int]] = {(0, 0): {0: 1}}
    for x, y in product(range(puzzle.width + 1), range(puzzle.height + 1)):
        here = ways.setdefault((x, y), {})
        if (x, y) in puzzle.crossings or 0 <= puzzle.margin < y - x:
            continue
        for right, up in steps:
            before = (x - right, y - up)
            if (before, (x, y)) not in barred:
                for visited, number in ways.get(before, {}).items():
                    now = visited | bits.get((x, y), 0)
                    here[now] = here.get(now, 0) + number
    return ways


@lru_cache(maxsize=64)
def _first_hits(puzzle: Streets) -> int:
    """Free ways, less those that run into a closed place, by the first one; leg by leg."""
    stops = [(0, 0), *sorted(puzzle.through, key=sum), (puzzle.width, puzzle.height)]
    return prod(_leg(puzzle, start, end) for start, end in pairwise(stops))


def _leg(puzzle: Streets, start: Point, end: Point) -> int:
    closed: list[Street] = [(point, point) for point in puzzle.crossings]
    closed = sorted([*closed, *puzzle.streets], key=lambda street: (sum(street[0]), sum(street[1])))
    if any(street == (start, start) for street in closed):
        return 0
    first: list[int] = []
    for place, (entry, _) in enumerate(closed):
        number = _free(puzzle, start, entry)
        for before in range(place):
            number -= first[before] * _free(puzzle, closed[before][1], entry)
        first.append(number)
    hit = sum(number * _free(puzzle, street[1], end) for number, street in zip(first, closed))
    return _free(puzzle, start, end) - hit


def _free(puzzle: Streets, start: Point, end: Point) -> int:
    """Ways past the line alone: those that reach the line above it are as many as those that
    start from the mirror image behind it."""
    if puzzle.margin < 0:
        return _unbound(end[0] - start[0], end[1] - start[1], puzzle.diagonal)
    if start[1] > start[0] + puzzle.margin or end[1] > end[0] + puzzle.margin:
        return 0
    mirrored = (start[1] - puzzle.margin - 1, start[0] + puzzle.margin + 1)
    return _unbound(end[0] - start[0], end[1] - start[1], puzzle.diagonal) - _unbound(
        end[0] - mirrored[0], end[1] - mirrored[1], puzzle.diagonal
    )


def _unbound(right: int, up: int, diagonal: bool) -> int:
    if right < 0 or up < 0:
        return 0
    most = min(right, up) if diagonal else 0
    return sum(
        comb(right + up - slant, slant) * comb(right + up - 2 * slant, right - slant)
        for slant in range(most + 1)
    )


MOST = 20_000  # crossings that are walked through
LADDER = (
    Knobs(5, 1, 0, 0.0, 0.0),
    Knobs(7, 3, 0, 0.2, 0.2),
    Knobs(8, 4, 1, 0.4, 0.4),
    Knobs(11, 6, 1, 0.6, 0.6),
    Knobs(14, 9, 1, 0.8, 0.8),
)
FAMILY = Family(
    Streets,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="ways to each crossing",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    inputs=("width", "height"),
    redraws=True,
    skills=("counting", "recurrences"),
)
