"""Convex hull: the corners of the smallest convex polygon that holds all points.

`solve` walks the points from left to right, once below and once above; `verify` takes an answer at
its word and checks what being the hull means: every point lies on the left of every side.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.search import Node
from puzzlemill.generators.geometry._points import Spot

Corners = tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    points: int  # in all
    reach: int  # the largest coordinate
    flat: float  # the share of points that lie on a side between others


@dataclass(frozen=True, slots=True)
class Points:
    points: tuple[Spot, ...]


def generate(rng: Random, knobs: Knobs) -> Points | None:
    flat = int(knobs.flat * knobs.points)
    side = knobs.reach + 1
    points = [
        (cell % side, cell // side) for cell in rng.sample(range(side * side), knobs.points - flat)
    ]
    for _ in range(40 * flat):
        if len(points) == knobs.points:
            break
        (x, y), (u, v) = rng.sample(points, 2)
        part = rng.randint(2, 4)
        if (u - x) % part == 0 and (v - y) % part == 0:
            between = x + (u - x) // part, y + (v - y) // part
            points += [] if between in points else [between]
    rng.shuffle(points)
    return (
        Points(tuple(points))
        if len(points) == knobs.points and solve(Points(tuple(points)))
        else None
    )


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(given: Points) -> Corners | None:
    """Chains from left to right and back, each turning left only."""
    points = sorted(set(given.points))
    if len(points) < len(given.points):
        return None
    chains = []
    for walk in (points, points[::-1]):
        chain: list[Spot] = []
        for point in walk:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        chains += chain[:-1]
    return tuple(chains) if len(chains) > 2 else None


def verify(given: Points, answer: Corners) -> float:
    points = given.points
    known = set(points)
    if len(answer) < 3 or len(answer) > len(points) or len(set(answer)) < len(answer):
        return 0.0
    if any(corner not in known for corner in answer) or answer[0] != min(points):
        return 0.0
    rounds = zip(answer, answer[1:] + answer[:1], answer[2:] + answer[:2])
    if any(_turn(one, two, three) <= 0 for one, two, three in rounds):
        return 0.0
    sides = zip(answer, answer[1:] + answer[:1])
    return float(all(_turn(a, b, point) >= 0 for a, b in sides for point in points))


def render(given: Points, style: Style) -> Prompt:
    told = ", ".join(f"({x}, {y})" for x, y in given.points)
    rule = (
        " Give its corners counterclockwise, beginning with the leftmost one (of several leftmost"
        " ones, the lowest). Points that lie on a side between two corners are not corners. The x"
        " axis points to the right and the y axis up."
    )
    return Prompt(
        style.pick(
            f"Find the convex hull of these points: {told}.{rule}",
            f"A rubber band is stretched around nails at {told} and let go. Which nails are the"
            f" corners of the polygon that it forms?{rule}",
            f"What is the smallest convex polygon that contains all of the points {told}?{rule}",
        ),
        form="the corners in this order, each in round brackets, such as (0, 3), (5, 1), (2, 8)",
    )


def steps(given: Points) -> list[str]:
    """The walk from left to right and back, with the points that are dropped on the way."""
    points, lines = sorted(given.points), list[str]()
    for name, walk in (("Below", points), ("Above", points[::-1])):
        chain: list[Spot] = []
        for point in walk:
            dropped = []
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
                dropped.append(str(chain.pop()))
            chain.append(point)
            drop = f", dropping {', '.join(dropped)}" if dropped else ""
            lines.append(f"{name}: take {point}{drop}")
    return lines


def search(given: Points) -> Node:
    """Round the hull from corner to corner: one that leaves a point on its right is none."""
    corners = solve(given)
    assert corners is not None, "the puzzle was solved"
    return _onward(given, corners, 0, ())


def slips(rng: Random, given: Points, gold: Corners) -> Iterator[Corners]:
    """Walks round with corners overlooked and points near a side taken for corners."""
    rounds = list(enumerate(zip(gold, gold[1:] + gold[:1])))
    # Where each point stands in a walk round: the corner before it, and how far behind that.
    place = {corner: (0.0, at, 0) for at, (corner, _) in rounds}
    for point in given.points:
        if point not in place:
            deep, at = min((_turn(a, b, point) ** 2 / _length(a, b), at) for at, (a, b) in rounds)
            (x, y), (u, v) = rounds[at][1]
            place[point] = deep, at, (point[0] - x) * (u - x) + (point[1] - y) * (v - y)
    ends = {end(gold, key=key) for end in (min, max) for key in (lambda p: p[0], lambda p: p[1])}
    taken = set(gold)
    for _ in range(SLIPS):
        left = sorted(place.keys() - taken, key=lambda point: place[point])[:NEAR]
        loose = sorted(taken.difference(gold[:1], ends))
        draw = rng.random()
        if left and (draw < 0.65 or not loose):
            taken.add(rng.choice(left))
        if len(taken) > 3 and ((loose and draw > 0.25) or not left):
            taken.remove(rng.choice(loose or sorted(taken.difference(gold[:1]))))
        yield tuple(sorted(taken, key=lambda point: place[point][1:]))


def hardness(given: Points) -> float:
    far = max(max(point) for point in given.points)
    return len(given.points) * (1 + far / 50)


def canon(given: Points) -> list[Spot]:
    """In any order, moved to the origin."""
    left, low = (min(point[axis] for point in given.points) for axis in (0, 1))
    return sorted((x - left, y - low) for x, y in given.points)


def twin(rng: Random, knobs: Knobs, given: Points) -> Points | None:
    tried = (generate(rng, knobs) for _ in range(5))
    return next((made for made in tried if made), None)


def _onward(given: Points, corners: Corners, reached: int, lines: tuple[str, ...]) -> Node:
    """The points that may follow the corners so far."""
    if reached == len(corners):
        return Node(lines)
    here, right = corners[reached], corners[(reached + 1) % len(corners)]
    others = [point for point in given.points if point not in (here, right)]
    return Node(
        lines,
        branches=tuple(partial(_next, given, corners, reached, each) for each in (right, *others)),
    )


def _next(given: Points, corners: Corners, reached: int, point: Spot) -> Node:
    here = corners[reached]
    line = f"From {here} to {point}?"
    for other in given.points:
        turn = _turn(here, point, other)
        if turn < 0:
            return Node((line,), f"{other} lies on the right of that")
        if not turn and _far(here, other) > _far(here, point):
            return Node((line,), f"{other} lies further on the same line")
    return _onward(given, corners, reached + 1, (f"{line} No point lies on the right of that.",))


def _far(one: Spot, other: Spot) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def _length(one: Spot, other: Spot) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


def _turn(a: Spot, b: Spot, c: Spot) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


SLIPS = 20
NEAR = 3  # points that lie nearest to a side, one of which is taken for a corner
LADDER = (
    Knobs(5, 9, 0.0),
    Knobs(8, 15, 0.1),
    Knobs(14, 25, 0.2),
    Knobs(25, 50, 0.25),
    Knobs(45, 99, 0.25),
)
FAMILY = Family(
    Points,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(),
    hardness=hardness,
    proof="unique",
    solver="two chains from left to right",
    guess_rate=0.02,
    steps=steps,
    search=search,
    canon=canon,
    inputs=("points",),
    twin=twin,
    slips=slips,
    slips_version=2,
    skills=("coordinates", "polygons"),
    peers=("RLVE/convex_hull", "CLRS-Text/graham_scan", "CLRS-Text/jarvis_march"),
)
