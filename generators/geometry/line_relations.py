"""Points and lines: new points from old ones, one after another, then a distance.

A new point is a midpoint, a crossing of two lines, a foot of a perpendicular, or a mirror image.
`solve` moves along vectors; `verify` knows homogeneous coordinates only, where points and lines are
triples of whole numbers and each is the cross product of two of the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import listed
from puzzlemill.generators.geometry._points import (
    Point,
    Spot,
    dot,
    exact,
    is_root,
    length,
    meeting,
    minus,
    turn,
)

Triple: TypeAlias = tuple[int, int, int]
Step: TypeAlias = tuple[str, tuple[int, ...]]  # a kind, and the places of the points it is about


@dataclass(frozen=True, slots=True)
class Knobs:
    steps: int  # new points
    reach: int  # the largest coordinate of a given point
    denominator: int  # the largest in a coordinate of a new point


@dataclass(frozen=True, slots=True)
class Figure:
    letters: str  # names of the given points, then of the new ones
    points: tuple[Spot, ...]
    steps: tuple[Step, ...]
    question: Step


def generate(rng: Random, knobs: Knobs) -> Figure | None:
    given = rng.randint(3, 4) + knobs.steps // 3
    points = _drawn(rng, knobs.reach, given)
    if max(map(max, points)) < 2:  # one at least is a number that a letter may stand for
        return None
    places, steps = [exact(point) for point in points], list[Step]()
    for _ in range(knobs.steps):
        for _ in range(TRIES):
            step = _step(rng, len(places), bool(steps))
            new = _made(step, places)
            if new and new not in places and _denominator(new) <= knobs.denominator:
                steps.append(step)
                places.append(new)
                break
        else:
            return None
    last = len(places) - 1 if steps else rng.randrange(given)
    others = rng.sample([place for place in range(len(places)) if place != last], 2)
    kind = rng.choice(("line", "line", "point"))
    question = kind, (last, *others[: ARITY[kind] - 1])
    figure = Figure(rng.choice(ALPHABETS), points, tuple(steps), question)
    return figure if _sensible(figure) else None


def solve(figure: Figure) -> answers.Expr | None:
    places = _all_points(figure)
    square = None if places is None else _asked(figure.question, places)
    return None if square is None else length(square)


def verify(figure: Figure, answer: answers.Expr) -> float:
    triples = [(x, y, 1) for x, y in figure.points]
    for kind, about in figure.steps:
        new = _crossed(kind, [triples[place] for place in about])
        if new is None or not new[2]:
            return 0.0
        triples.append(new)
    kind, about = figure.question
    point, *others = (triples[place] for place in about)
    if kind == "point":
        over = [_at(point, axis) - _at(others[0], axis) for axis in (0, 1)]
        return float(is_root(answer, over[0] ** 2 + over[1] ** 2))
    a, b, c = _through(*others)
    if not a and not b:
        return 0.0
    away = a * point[0] + b * point[1] + c * point[2]
    return float(is_root(answer, Fraction(away**2, (a * a + b * b) * point[2] ** 2)))


def render(figure: Figure, style: Style) -> Prompt:
    names = figure.letters
    given = [f"{name}({x}, {y})" for name, (x, y) in zip(names, figure.points)]
    told = " ".join(_sentence(figure, place) for place in range(len(figure.steps)))
    told = f" {told}" if told else ""
    kind, about = figure.question
    point, *others = (names[place] for place in about)
    goal = f"the point {others[0]}" if kind == "point" else f"the line {others[0]}{others[1]}"
    line = " A line extends beyond the points that name it."
    note = line if kind == "line" or any(step[0] != "middle" for step in figure.steps) else ""
    return Prompt(
        style.pick(
            f"In the plane, the points {listed(given)} are given.{told} What is the distance from"
            f" {point} to {goal}?{note}",
            f"Let the points {listed(given)} be given.{told} Find the exact distance between the"
            f" point {point} and {goal}.{note}",
            f"Plot the points {listed(given)} in a coordinate system.{told} How far is {point}"
            f" from {goal}?{note}",
        ),
        form="the exact distance (an integer, a fraction, or a root such as 7sqrt(11)/3)",
    )


def steps(figure: Figure) -> list[str]:
    places = _all_points(figure) or []
    given = len(figure.points)
    lines = [
        f"{_sentence(figure, place)} So {figure.letters[given + place]} is ({x}, {y})."
        for place, (x, y) in enumerate(places[given:])
    ]
    square = _asked(figure.question, places)
    kind, about = figure.question
    if kind == "line":
        point, one, other = (places[place] for place in about)
        lines.append(
            f"The triangle with that point and the two on the line has twice the area"
            f" {abs(turn(point, one, other))}, on a base whose square is"
            f" {dot(minus(other, one), minus(other, one))}."
        )
    return [*lines, f"The square of the distance is {square}."]


def hardness(figure: Figure) -> float:
    places = _all_points(figure) or []
    weight = sum({"middle": 1, "meet": 3}.get(kind, 4) for kind, _ in figure.steps)
    digits = sum(len(str(number)) for place in places for number in place)
    return 10 * weight + digits


def canon(figure: Figure) -> tuple[object, ...]:
    return figure.points, figure.steps, figure.question


def twin(rng: Random, knobs: Knobs, figure: Figure) -> Figure | None:
    for _ in range(TRIES):
        points = _drawn(rng, knobs.reach, len(figure.points))
        made = Figure(figure.letters, points, figure.steps, figure.question)
        places = _all_points(made)
        if places and max(map(_denominator, places)) <= knobs.denominator and _sensible(made):
            return made
    return None


def renamed(rng: Random, knobs: Knobs, figure: Figure) -> Figure:
    letters = rng.choice([word for word in ALPHABETS if word != figure.letters])
    return Figure(letters, figure.points, figure.steps, figure.question)


def _drawn(rng: Random, reach: int, count: int) -> tuple[Spot, ...]:
    """Different points."""
    side = 2 * reach + 1
    cells = rng.sample(range(side * side), count)
    return tuple((cell % side - reach, cell // side - reach) for cell in cells)


def _step(rng: Random, known: int, needs_last: bool) -> Step:
    """A new point; of several, each is made from the one before."""
    kind = rng.choice(KINDS)
    count = min(ARITY[kind], known)
    about = rng.sample(range(known), count)
    if needs_last and known - 1 not in about:
        about[rng.randrange(count)] = known - 1
    return ("foot" if count < ARITY[kind] else kind), tuple(about)


def _sensible(figure: Figure) -> bool:
    places = _all_points(figure)
    square = None if places is None else _asked(figure.question, places)
    return bool(square) and square is not None and square.numerator * square.denominator < 10**12


def _all_points(figure: Figure) -> list[Point] | None:
    places = [exact(spot) for spot in figure.points]
    for step in figure.steps:
        new = _made(step, places)
        if new is None:
            return None
        places.append(new)
    return places


def _made(step: Step, places: Sequence[Point]) -> Point | None:
    kind, about = step
    points = [places[place] for place in about]
    if len(set(points)) < len(points):
        return None
    if kind == "meet":
        return meeting(points[0], points[1], points[2], points[3])
    if kind == "middle":
        (x, y), (u, v) = points
        return (x + u) / 2, (y + v) / 2
    point, one, other = points
    along = minus(other, one)
    share = dot(minus(point, one), along) / dot(along, along)
    foot = one[0] + share * along[0], one[1] + share * along[1]
    if foot == point:
        return None
    return foot if kind == "foot" else (2 * foot[0] - point[0], 2 * foot[1] - point[1])


def _asked(question: Step, places: Sequence[Point]) -> Fraction | None:
    """The square of the distance; None where there is no line."""
    kind, about = question
    point, one, *more = (places[place] for place in about)
    if kind == "point":
        return dot(minus(one, point), minus(one, point))
    base = minus(more[0], one)
    return turn(point, one, more[0]) ** 2 / dot(base, base) if any(base) else None


def _crossed(kind: str, points: list[Triple]) -> Triple | None:
    """A new point in homogeneous coordinates."""
    if kind == "meet":
        return _lowest(_through(_through(*points[:2]), _through(*points[2:])))
    if kind == "middle":
        (x, y, w), (u, v, z) = points
        return _lowest((x * z + u * w, y * z + v * w, 2 * w * z))
    point, one, other = points
    line = _through(one, other)
    upright = _through(point, (line[0], line[1], 0))
    foot = _lowest(_through(line, upright))
    if kind == "foot":
        return foot
    (x, y, w), (u, v, z) = point, foot
    return _lowest((2 * u * w - x * z, 2 * v * w - y * z, w * z))


def _through(one: Triple, other: Triple) -> Triple:
    """The line through two points, or the point on two lines."""
    (a, b, c), (d, e, f) = one, other
    return b * f - c * e, c * d - a * f, a * e - b * d


def _lowest(triple: Triple) -> Triple:
    divisor = gcd(*triple) or 1
    return triple[0] // divisor, triple[1] // divisor, triple[2] // divisor


def _at(triple: Triple, axis: int) -> Fraction:
    return Fraction(triple[axis], triple[2])


def _denominator(point: Point) -> int:
    return max(point[0].denominator, point[1].denominator)


def _sentence(figure: Figure, place: int) -> str:
    kind, about = figure.steps[place]
    new = figure.letters[len(figure.points) + place]
    first, *rest = (figure.letters[point] for point in about)
    match kind:
        case "meet":
            return f"The lines {first}{rest[0]} and {rest[1]}{rest[2]} meet at {new}."
        case "middle":
            return f"{new} is the midpoint of the segment {first}{rest[0]}."
        case "foot":
            line = f"{rest[0]}{rest[1]}"
            return f"{new} is the foot of the perpendicular from {first} to the line {line}."
        case _:
            return f"{new} is the mirror image of {first} in the line {rest[0]}{rest[1]}."


ALPHABETS = ("ABCDEFGHJKL", "PQRSTUVWXYZ", "KLMNPQRSTUV")
KINDS = ("meet", "meet", "middle", "foot", "mirror", "mirror")
ARITY = {"meet": 4, "middle": 2, "foot": 3, "mirror": 3, "line": 3, "point": 2}
TRIES = 40
LADDER = (
    Knobs(0, 6, 1),
    Knobs(1, 8, 5),
    Knobs(2, 10, 26),
    Knobs(3, 12, 130),
    Knobs(5, 15, 600),
)
FAMILY = Family(
    Figure,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Expression(names=(), evaluated=True),
    hardness=hardness,
    proof="unique",
    solver="vectors in exact fractions",
    guess_rate=0.08,
    steps=steps,
    canon=canon,
    inputs=("points",),
    twin=twin,
    renamed=renamed,
    skills=("coordinates", "fractions", "triangles"),
    peers=("reasoning-core/planar_geometry_relations",),
    version=3,
)
