"""Triangle centres: exact coordinates of a centre, and of centres of triangles made with it.

`solve` weighs the corners (barycentric coordinates, from the squares of the sides); `verify` never
uses weights: it draws the lines by which each centre is defined and lets two of them meet.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.geometry._points import (
    Point,
    Spot,
    cross,
    dot,
    exact,
    meeting,
    minus,
    turn,
)

Stage: TypeAlias = tuple[str, int]  # a centre, and which corner it then replaces
Corners: TypeAlias = tuple[Point, Point, Point]


@dataclass(frozen=True, slots=True)
class Knobs:
    reach: int  # the largest coordinate
    stages: int  # centres, each of the triangle that the one before gave rise to
    kinds: int  # of centre that there are
    denominator: int  # the largest in a centre's coordinate


@dataclass(frozen=True, slots=True)
class Triangle:
    letters: str  # the three corners, then the centres
    corners: tuple[Spot, Spot, Spot]
    stages: tuple[Stage, ...]


def generate(rng: Random, knobs: Knobs) -> Triangle | None:
    first = knobs.kinds // 4 if knobs.stages == 1 else 0  # no centroid alone, once there are more
    stages = tuple(
        (rng.choice(KINDS[first : knobs.kinds]), rng.randrange(3)) for _ in range(knobs.stages)
    )
    if any(kind == "incentre" for kind, _ in stages[1:]):
        return None
    return _filled(rng, knobs, rng.choice(ALPHABETS), stages)


def solve(triangle: Triangle) -> tuple[Fraction, ...] | None:
    """Centre after centre, as a mean of the corners."""
    centres = _centres(triangle)
    return centres[-1] if centres else None


def verify(triangle: Triangle, answer: tuple[Fraction, ...]) -> float:
    corners: list[Point] = [exact(spot) for spot in triangle.corners]
    centre: Point | None = None
    for kind, corner in triangle.stages:
        centre = _crossing(kind, (corners[0], corners[1], corners[2]))
        if centre is None:
            return 0.0
        corners[corner] = centre
    return float(answer == centre)


def render(triangle: Triangle, style: Style) -> Prompt:
    names = triangle.letters
    given = [f"{name}({x}, {y})" for name, (x, y) in zip(names, triangle.corners)]
    told, corners = list[str](), list(names[:3])
    for place, (kind, corner) in enumerate(triangle.stages):
        new = names[3 + place]
        told.append(f"{new} is {DEFINED[kind]} of the triangle {''.join(corners)}")
        corners[corner] = new
    points = f"{given[0]}, {given[1]} and {given[2]}"
    chain = ". ".join(told[:-1]) + ". " if len(told) > 1 else ""
    last, final = names[2 + len(told)], told[-1]
    return Prompt(
        style.pick(
            f"A triangle has the corners {points}. {chain}{final}. Find the coordinates of {last}.",
            f"The corners of a triangle are {points}. {chain}Where is the point {last}, if"
            f" {final}?",
            f"Let {points} be three points of the plane. {chain}{final}. What are the exact"
            f" coordinates of {last}?",
        ),
        form=f"the x and the y coordinate of {last}, each an integer or a fraction in lowest terms,"
        " separated by a comma, such as -7/2, 11",
    )


def steps(triangle: Triangle) -> list[str]:
    """The weights of the corners, and the centre that they give, for each stage."""
    corners, lines = [exact(spot) for spot in triangle.corners], list[str]()
    names = list(triangle.letters[:3])
    for place, (kind, corner) in enumerate(triangle.stages):
        weights = _weights(kind, (corners[0], corners[1], corners[2]))
        assert weights is not None, "the puzzle was solved"
        x, y = _mean(weights, corners)
        new = triangle.letters[3 + place]
        told = ", ".join(f"{name}: {weight}" for name, weight in zip(names, weights))
        lines.append(f"{new} is the mean of the corners with weights {told}; so {new} = ({x}, {y})")
        corners[corner], names[corner] = (x, y), new
    return lines


def hardness(triangle: Triangle) -> float:
    centres = _centres(triangle) or []
    work = sum(WORK[kind] for kind, _ in triangle.stages)
    return 10 * work + sum(len(str(number)) for centre in centres for number in centre)


def canon(triangle: Triangle) -> tuple[object, ...]:
    """The names do not matter; nor, for one centre, does the order of the corners."""
    if len(triangle.stages) == 1:
        return sorted(triangle.corners), triangle.stages[0][0]
    return triangle.corners, triangle.stages


def twin(rng: Random, knobs: Knobs, triangle: Triangle) -> Triangle | None:
    for _ in range(TRIES):
        made = _filled(rng, knobs, triangle.letters, triangle.stages)
        if made:
            return made
    return None


def renamed(rng: Random, knobs: Knobs, triangle: Triangle) -> Triangle:
    letters = rng.choice([word for word in ALPHABETS if word != triangle.letters])
    return Triangle(letters, triangle.corners, triangle.stages)


def _filled(rng: Random, knobs: Knobs, letters: str, stages: tuple[Stage, ...]) -> Triangle | None:
    """With corners for which all centres are there and have small denominators."""
    whole_sides = stages[0][0] == "incentre"
    for _ in range(TRIES):
        corners = _with_whole_sides(rng, knobs.reach) if whole_sides else _any(rng, knobs.reach)
        if corners is None or max(map(max, corners)) < 2:
            continue
        made = Triangle(letters, corners, stages)
        centres = _centres(made)
        if centres and _fine(centres, [exact(spot) for spot in corners], knobs.denominator):
            return made
    return None


def _any(rng: Random, reach: int) -> tuple[Spot, Spot, Spot]:
    one, two, three = ((rng.randint(-reach, reach), rng.randint(-reach, reach)) for _ in range(3))
    return one, two, three


def _with_whole_sides(rng: Random, reach: int) -> tuple[Spot, Spot, Spot] | None:
    """Two right triangles with whole sides and one height, side by side, moved about."""
    high = rng.choice(HEIGHTS)
    left, right = (rng.choice(FEET[high]) for _ in range(2))
    spots = [(-left, 0), (right * rng.choice((1, 1, -1)), 0), (0, high)]
    spots = [(3 * x - 4 * y, 4 * x + 3 * y) for x, y in spots] if rng.random() < 0.3 else spots
    for _ in range(rng.randrange(4)):
        spots = [(-y, x) for x, y in spots]
    across, down = (rng.randint(-9, 9) for _ in range(2))
    spots = [(x + across, y + down) for x, y in spots]
    rng.shuffle(spots)
    far = max(abs(number) for spot in spots for number in spot)
    return (spots[0], spots[1], spots[2]) if far <= 3 * reach + 20 else None


def _fine(centres: list[Point], corners: list[Point], most: int) -> bool:
    """Not a corner again, and with denominators that are not too large."""
    if any(centre in [*corners, *centres[:place]] for place, centre in enumerate(centres)):
        return False
    return all(number.denominator <= most for centre in centres for number in centre)


@lru_cache(maxsize=2)
def _centres(triangle: Triangle) -> list[Point]:
    """All centres; empty where one is missing."""
    corners = [exact(spot) for spot in triangle.corners]
    found = []
    for kind, corner in triangle.stages:
        weights = _weights(kind, (corners[0], corners[1], corners[2]))
        if weights is None:
            return []
        corners[corner] = _mean(weights, corners)
        found.append(corners[corner])
    return found


def _weights(kind: str, corners: Corners) -> tuple[Fraction, Fraction, Fraction] | None:
    """How much each corner counts for a centre, from the squares a, b, c of the sides."""
    one, two, three = corners
    if not turn(one, two, three):
        return None
    gaps = minus(three, two), minus(one, three), minus(two, one)
    a, b, c = (dot(gap, gap) for gap in gaps)
    at_a, at_b, at_c = b + c - a, c + a - b, a + b - c
    match kind:
        case "centroid":
            return Fraction(1), Fraction(1), Fraction(1)
        case "circumcentre":
            return a * at_a, b * at_b, c * at_c
        case "orthocentre":
            return at_b * at_c, at_c * at_a, at_a * at_b
        case "nine_point":
            return (
                a * (b + c) - (b - c) ** 2,
                b * (c + a) - (c - a) ** 2,
                c * (a + b) - (a - b) ** 2,
            )
        case "symmedian":
            return a, b, c
        case _:
            sides = [_root(square) for square in (a, b, c)]
            return None if 0 in sides else (sides[0], sides[1], sides[2])


def _mean(weights: tuple[Fraction, ...], corners: list[Point]) -> Point:
    total = sum(weights, ZERO)
    x, y = (
        sum((weight * corner[axis] for weight, corner in zip(weights, corners)), ZERO) / total
        for axis in (0, 1)
    )
    return x, y


def _crossing(kind: str, corners: Corners) -> Point | None:
    """A centre as the meeting of two of the lines that define it."""
    one, two, three = corners
    if not cross(minus(two, one), minus(three, one)):
        return None
    if kind == "nine_point":  # the circle through the middles of the sides
        middles = _middle(one, two), _middle(two, three), _middle(three, one)
        return _crossing("circumcentre", middles)
    lines = (_line(kind, corners), _line(kind, (two, three, one)))
    if lines[0] is None or lines[1] is None:
        return None
    return meeting(*lines[0], *lines[1])


def _line(kind: str, corners: Corners) -> tuple[Point, Point] | None:
    """The first corner's line through a centre; its opposite side's, for the circumcentre."""
    one, two, three = corners
    along = minus(three, two)
    if kind == "centroid":
        return one, _middle(two, three)
    if kind == "circumcentre":
        middle = _middle(two, three)
        return middle, (middle[0] - along[1], middle[1] + along[0])
    if kind == "orthocentre":
        return one, (one[0] - along[1], one[1] + along[0])
    left, right = minus(two, one), minus(three, one)
    if kind == "incentre":
        long, wide = _root(dot(left, left)), _root(dot(right, right))
        if not long or not wide:
            return None
        return one, (
            one[0] + left[0] / long + right[0] / wide,
            one[1] + left[1] / long + right[1] / wide,
        )
    # The symmedian meets the opposite side in the ratio of the squares of the sides at the corner.
    share = dot(left, left) / (dot(left, left) + dot(right, right))
    return one, (two[0] + share * along[0], two[1] + share * along[1])


def _middle(one: Point, other: Point) -> Point:
    return (one[0] + other[0]) / 2, (one[1] + other[1]) / 2


def _root(square: Fraction) -> Fraction:
    """The root of a whole square; 0 where there is none."""
    side = isqrt(square.numerator)
    return Fraction(side) if square.denominator == 1 and side * side == square else Fraction(0)


ZERO = Fraction(0)
KINDS = ("centroid", "circumcentre", "orthocentre", "incentre", "nine_point", "symmedian")
DEFINED = {
    "centroid": "the centroid (where the medians meet)",
    "circumcentre": "the circumcentre (equally far from all three corners)",
    "orthocentre": "the orthocentre (where the altitudes meet)",
    "incentre": "the incentre (the centre of the inscribed circle)",
    "nine_point": "the centre of the nine-point circle (the circle through the midpoints of the"
    " three sides)",
    "symmedian": "the symmedian point (where the mirror images of the three medians in the angle"
    " bisectors from the same corners meet)",
}
WORK = {
    "centroid": 1,
    "circumcentre": 4,
    "orthocentre": 4,
    "incentre": 4,
    "nine_point": 6,
    "symmedian": 6,
}
FEET = {  # of a height, the other legs of right triangles with whole sides
    12: (5, 9, 16, 35),
    8: (6, 15),
    15: (8, 20, 36),
    24: (7, 10, 18, 32, 45),
    20: (15, 21, 48),
    40: (9, 30, 42),
    60: (11, 25, 32, 45, 63),
    36: (15, 27, 48, 77),
}
HEIGHTS = tuple(FEET)
ALPHABETS = ("ABCDEF", "PQRSTU", "KLMNPQ", "UVWXYZ")
TRIES = 40
LADDER = (
    Knobs(6, 1, 1, 3),
    Knobs(8, 1, 3, 40),
    Knobs(12, 1, 6, 200),
    Knobs(12, 2, 6, 2000),
    Knobs(15, 3, 6, 10**7),
)
FAMILY = Family(
    Triangle,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.NumberList(form="the coordinates of a point", names=("x", "y")),
    hardness=hardness,
    proof="unique",
    solver="barycentric weights",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    inputs=("corners",),
    twin=twin,
    renamed=renamed,
    skills=("triangles", "coordinates", "fractions"),
    peers=("reasoning-gym/advanced_geometry",),
    version=2,
)
