"""Polygon area: how large a polygon with whole coordinates is, or how many grid points it holds.

`solve` goes round the corners (the shoelace formula, and Pick's theorem for the points); `verify`
cuts the polygon into slices from bottom to top and adds these up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import gcd
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.geometry._grid_picture import on_grid
from puzzlemill.generators.geometry._points import Spot


@dataclass(frozen=True, slots=True)
class Knobs:
    corners: int  # of the polygon
    reach: int  # the largest coordinate
    points: float  # the share of questions about the grid points inside
    picture: bool  # drawn, with no coordinates in the text


@dataclass(frozen=True, slots=True)
class Polygon:
    corners: tuple[Spot, ...]
    scale: int  # metres of one unit, where the area is asked for; 0: the points inside are
    picture: bool


def generate(rng: Random, knobs: Knobs) -> Polygon | None:
    points = not knobs.picture and rng.random() < knobs.points
    corners = _drawn(rng, knobs.corners, knobs.reach, 0 if knobs.picture else -knobs.reach)
    if corners is None or max(map(max, corners)) < 2:
        return None
    polygon = Polygon(corners, 0 if points else rng.randint(2, 12), knobs.picture)
    return polygon if solve(polygon) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(polygon: Polygon) -> Fraction | None:
    corners = polygon.corners
    far = max(abs(number) for corner in corners for number in corner)
    if far > FARTHEST or not _simple(corners):
        return None
    sides = list(_sides(corners))
    twice = abs(sum(x * v - u * y for (x, y), (u, v) in sides))
    if polygon.scale:
        return Fraction(twice, 2) * polygon.scale**2
    edge = sum(gcd(u - x, v - y) for (x, y), (u, v) in sides)
    return Fraction(twice - edge + 2, 2)


def verify(polygon: Polygon, answer: Fraction) -> float:
    if polygon.scale:
        found = polygon.scale**2 * _sliced(polygon.corners)
    else:
        rows = range(*_extent([y for _, y in polygon.corners]))
        found = Fraction(sum(_inside(polygon.corners, row) for row in rows))
    return float(answer == found)


def render(polygon: Polygon, style: Style) -> Prompt:
    scale = polygon.scale
    if polygon.picture:
        question = style.pick(
            f"<image>\nThe sides of the grid's squares stand for {scale} m each. What is the area"
            " of the polygon?",
            "The picture shows the plan of a field on squared paper; the side of each square stands"
            f" for {scale} m. Find the area of the field.\n<image>",
            "<image>\nThis polygon has all its corners on grid points. If the squares of the grid"
            f" are {scale} m wide, how large is the area of the polygon?",
        )
        return Prompt(question, AREA, (on_grid(polygon.corners),))
    told = ", ".join(f"({x}, {y})" for x, y in polygon.corners)
    if scale:
        question = style.pick(
            f"A polygon has these corners, in this order: {told}. One unit of the coordinate system"
            f" is {scale} m long. What is the area of the polygon?",
            f"A plot of land is bounded by straight fences from corner to corner: {told}, and back"
            f" to the first. One unit on the map stands for {scale} m. How large is the plot?",
            f"Connect the points {told} by line segments in this order, and the last one with the"
            f" first. How large is the region enclosed, if one unit is {scale} m?",
        )
        return Prompt(question, AREA)
    question = style.pick(
        f"A polygon has these corners, in this order: {told}. How many points with two integer"
        " coordinates lie inside it? Points on its boundary do not count.",
        f"Connect the points {told} by line segments in this order, and the last one with the"
        " first. Count the lattice points (both coordinates are integers) strictly inside the"
        " polygon that results.",
        f"The corners of a polygon, in order, are {told}. How many lattice points, that is points"
        " with integer coordinates, are in its interior, not counting those on the sides?",
    )
    return Prompt(question, form="the number of points, as one integer")


def steps(polygon: Polygon) -> list[str]:
    lines, total = [], 0
    for (x, y), (u, v) in _sides(polygon.corners):
        total += x * v - u * y
        lines.append(f"({x}, {y}) to ({u}, {v}): {x} * {v} - {u} * {y} = {x * v - u * y}")
    lines.append(f"The sum is {total}, so the area is {Fraction(abs(total), 2)} square units.")
    if polygon.scale:
        return [*lines, f"Times {polygon.scale}^2: {solve(polygon)} square metres."]
    edge = sum(gcd(u - x, v - y) for (x, y), (u, v) in _sides(polygon.corners))
    lines.append(f"There are {edge} lattice points on the boundary.")
    inside = f"{Fraction(abs(total), 2)} - {edge}/2 + 1 = {solve(polygon)}"
    return [*lines, f"By Pick's theorem, {inside} lie inside."]


def hardness(polygon: Polygon) -> float:
    far = max(abs(number) for corner in polygon.corners for number in corner)
    return len(polygon.corners) * (len(str(far)) + far / 100 + (0 if polygon.scale else 1))


def canon(polygon: Polygon) -> tuple[object, ...]:
    """From its first corner in a fixed direction, moved to the origin."""
    left, low = (min(corner[axis] for corner in polygon.corners) for axis in (0, 1))
    corners = [(x - left, y - low) for x, y in polygon.corners]
    ways = []
    for walk in (corners, corners[::-1]):
        start = walk.index(min(walk))
        ways.append(walk[start:] + walk[:start])
    return min(ways), polygon.scale


def twin(rng: Random, knobs: Knobs, polygon: Polygon) -> Polygon | None:
    least = 0 if polygon.picture else -knobs.reach
    for _ in range(TRIES):
        corners = _drawn(rng, len(polygon.corners), knobs.reach, least)
        scale = rng.randint(2, 12) if polygon.scale else 0
        if corners and max(map(max, corners)) > 1 and solve(Polygon(corners, scale, False)):
            return Polygon(corners, scale, polygon.picture)
    return None


def _drawn(rng: Random, count: int, reach: int, least: int) -> tuple[Spot, ...] | None:
    """Points in a ring, in which two sides that cross are exchanged for two that do not, until
    none cross."""
    wide = reach - least + 1
    cells = rng.sample(range(wide * wide), count)
    ring = [(cell % wide + least, cell // wide + least) for cell in cells]
    for _ in range(UNTANGLED):
        found = _crossing(ring)
        if found is None:
            corners = tuple(ring)
            return corners if _simple(corners) else None
        low, high = found
        ring[low + 1 : high + 1] = ring[low + 1 : high + 1][::-1]
    return None


def _crossing(ring: list[Spot]) -> tuple[int, int] | None:
    """Two sides, by where they begin, that cross each other."""
    sides = list(_sides(ring))
    for low, one in enumerate(sides):
        for high in range(low + 2, len(sides)):
            if (low or high < len(sides) - 1) and _meet(one, sides[high]):
                return low, high
    return None


def _simple(corners: Sequence[Spot]) -> bool:
    """Sides meet at corners only, and every corner is one."""
    if len(set(corners)) < len(corners) or _crossing(list(corners)):
        return False
    sides = _sides(corners)
    return all(_side_of(*one, other[1]) for one, other in zip(sides, [*sides[1:], sides[0]]))


def _meet(one: tuple[Spot, Spot], other: tuple[Spot, Spot]) -> bool:
    """Whether two segments have a point in common."""
    (a, b), (c, d) = one, other
    ends = _side_of(a, b, c), _side_of(a, b, d), _side_of(c, d, a), _side_of(c, d, b)
    if ends[0] * ends[1] < 0 and ends[2] * ends[3] < 0:
        return True
    cases = zip(ends, ((a, b, c), (a, b, d), (c, d, a), (c, d, b)))
    return any(not end and _between(*points) for end, points in cases)


def _side_of(a: Spot, b: Spot, c: Spot) -> int:
    turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (turn > 0) - (turn < 0)


def _between(a: Spot, b: Spot, c: Spot) -> bool:
    """Whether c, on the line ab, is on the segment."""
    return all(min(a[axis], b[axis]) <= c[axis] <= max(a[axis], b[axis]) for axis in (0, 1))


def _sides(corners: Sequence[Spot]) -> list[tuple[Spot, Spot]]:
    return list(zip(corners, [*corners[1:], corners[0]]))


def _sliced(corners: Sequence[Spot]) -> Fraction:
    """The area as trapezia between the heights of neighbouring corners."""
    area = Fraction(0)
    for low, high in pairwise(sorted({y for _, y in corners})):
        middle = Fraction(low + high, 2)
        cuts = sorted(_cut(side, middle) for side in _sides(corners) if _spans(side, middle))
        widths = (right - left for left, right in zip(cuts[::2], cuts[1::2]))
        area += sum(widths, Fraction(0)) * (high - low)
    return area


def _inside(corners: Sequence[Spot], row: int) -> int:
    """How many points of a row are inside: between its odd and even cuts, and on no side."""
    sides, edge = _sides(corners), set[int]()
    for (x, y), (u, v) in sides:
        if y == v == row:
            edge.update(range(min(x, u), max(x, u) + 1))
        elif min(y, v) <= row <= max(y, v):
            cut = _cut(((x, y), (u, v)), Fraction(row))
            edge.update([int(cut)] if cut.denominator == 1 else [])
    cuts = sorted(_cut(side, Fraction(row)) for side in sides if _spans(side, Fraction(row)))
    count = 0
    for left, right in zip(cuts[::2], cuts[1::2]):
        first, last = left.__floor__() + 1, right.__ceil__() - 1
        count += max(last - first + 1, 0) - sum(first <= x <= last for x in edge)
    return count


def _spans(side: tuple[Spot, Spot], height: Fraction) -> bool:
    (_, y), (_, v) = side
    return min(y, v) <= height < max(y, v)


def _cut(side: tuple[Spot, Spot], height: Fraction) -> Fraction:
    (x, y), (u, v) = side
    return x + (height - y) * Fraction(u - x, v - y)


def _extent(heights: list[int]) -> tuple[int, int]:
    return min(heights), max(heights) + 1


AREA = "the exact area in square metres (an integer, a decimal or a fraction)"
FARTHEST = 1000  # coordinate, of a polygon that is looked at
UNTANGLED = 60  # exchanges of sides
TRIES = 20
LADDER = (
    Knobs(3, 6, 0.0, False),
    Knobs(5, 8, 0.0, True),
    Knobs(7, 12, 0.4, False),
    Knobs(10, 25, 0.6, False),
    Knobs(14, 40, 0.7, False),
)
FAMILY = Family(
    Polygon,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="the shoelace formula and Pick's theorem",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    inputs=("corners", "scale"),
    twin=twin,
    skills=("polygons", "coordinates", "counting"),
    version=2,
)
