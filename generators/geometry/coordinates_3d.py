"""Coordinates in space: exact distances, areas and volumes from points.

`solve` uses cross products; `verify` has none: it knows scalar products only, as the determinants
of Gram, whose roots are areas and volumes in any number of dimensions.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.geometry._points import is_root, length

Spot: TypeAlias = tuple[int, int, int]
Vector: TypeAlias = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of question that there are
    skipped: int  # of them, the easiest
    reach: int  # the largest coordinate
    middles: int  # points that are told as centres of gravity or mirror images of others


@dataclass(frozen=True, slots=True)
class Space:
    letters: str
    points: tuple[Spot, ...]
    made: tuple[tuple[str, tuple[int, ...]], ...]  # new points, from the places of others
    question: str
    about: tuple[int, ...]  # places of points


def generate(rng: Random, knobs: Knobs) -> Space | None:
    question = rng.choice(QUESTIONS[min(knobs.skipped, knobs.kinds - 1) : knobs.kinds])
    about = list(range(ARITY[question]))
    made: list[tuple[str, tuple[int, ...]]] = []
    given = ARITY[question]
    for place in range(min(knobs.middles, given)):
        kind = rng.choice(list(MADE))
        made.append((kind, tuple(rng.sample(range(given + place), MADE[kind]))))
        about[rng.choice([at for at in about if at < given])] = given + place
        about = sorted(about, key=lambda at: (at >= given, at))
    rng.shuffle(about)
    letters = rng.choice(ALPHABETS)
    return _filled(rng, knobs, letters, tuple(made), question, tuple(about))


def solve(space: Space) -> answers.Expr | None:
    places = _all_points(space)
    square = _square(space.question, [places[place] for place in space.about])
    return length(square) if square else None


def verify(space: Space, answer: answers.Expr) -> float:
    places = _all_points(space)
    start, *others = (places[place] for place in space.about)
    ways = [_less(other, start) for other in others]
    match space.question:
        case "distance":
            square = _gram(ways)
        case "triangle":
            square = _gram(ways) / 4
        case "from_line":  # a parallelogram by its base
            square = _over(_gram(ways), _gram([_less(others[1], others[0])]))
        case "tetrahedron":
            square = _gram(ways) / 36
        case "from_plane":  # a box by its base
            square = _over(_gram(ways), _gram([_less(other, others[0]) for other in others[1:]]))
        case _:  # two lines: a box by the parallelogram of their directions
            sides = [ways[0], _less(others[2], others[1])]
            square = _over(_gram([*sides, ways[1]]), _gram(sides))
    return float(square > 0 and is_root(answer, square))


def render(space: Space, style: Style) -> Prompt:
    names = space.letters
    given = [f"{name}({x}, {y}, {z})" for name, (x, y, z) in zip(names, space.points)]
    told = "".join(f" {_sentence(space, place)}" for place in range(len(space.made)))
    points = f"{', '.join(given[:-1])} and {given[-1]}"
    goal = GOALS[space.question].format(*(names[place] for place in space.about))
    return Prompt(
        style.pick(
            f"Take the points {points} in space.{told} Find {goal}.",
            f"In space with Cartesian coordinates, let {points} be given.{told} What is {goal}?",
            f"The points {points} lie in three-dimensional space.{told} Determine {goal}.",
        ),
        form="its exact value (an integer, a fraction, or a root such as 7sqrt(11)/3)",
    )


def steps(space: Space) -> list[str]:
    places = _all_points(space)
    lines = []
    for place in range(len(space.made)):
        x, y, z = places[len(space.points) + place]
        lines.append(f"{_sentence(space, place)} So it is ({x}, {y}, {z}).")
    chosen = [places[place] for place in space.about]
    start, *others = chosen
    for other, place in zip(others, space.about[1:]):
        x, y, z = _less(other, start)
        ends = f"{space.letters[space.about[0]]} to {space.letters[place]}"
        lines.append(f"From {ends}: ({x}, {y}, {z})")
    if len(others) == 2:
        x, y, z = _cross(_less(others[0], start), _less(others[1], start))
        lines.append(f"Their cross product is ({x}, {y}, {z}).")
    if len(others) == 3:
        volume = _dot(
            _cross(*(_less(other, start) for other in others[:2])), _less(others[2], start)
        )
        lines.append(f"Their scalar triple product is {volume}.")
    return [*lines, f"The square of the answer is {_square(space.question, chosen)}."]


def hardness(space: Space) -> float:
    digits = sum(len(str(abs(number))) for point in space.points for number in point)
    return 5 * QUESTIONS.index(space.question) + 6 * len(space.made) + digits


def canon(space: Space) -> tuple[object, ...]:
    return space.points, space.made, space.question, space.about


def twin(rng: Random, knobs: Knobs, space: Space) -> Space | None:
    return _filled(rng, knobs, space.letters, space.made, space.question, space.about)


def renamed(rng: Random, knobs: Knobs, space: Space) -> Space:
    letters = rng.choice([word for word in ALPHABETS if word != space.letters])
    return Space(letters, space.points, space.made, space.question, space.about)


def _filled(
    rng: Random,
    knobs: Knobs,
    letters: str,
    made: tuple[tuple[str, tuple[int, ...]], ...],
    question: str,
    about: tuple[int, ...],
) -> Space | None:
    reach = knobs.reach
    flat = _flat(made, question, about)
    for _ in range(TRIES):
        points = []
        for _ in range(ARITY[question]):
            x, y, z = (rng.randint(-reach, reach) for _ in range(3))
            points.append((x, y, z))
        if flat or max(map(max, points)) <= 1:
            continue
        space = Space(letters, tuple(points), made, question, about)
        places = _all_points(space)
        if len(set(places)) < len(places):
            continue
        square = _square(question, [places[place] for place in about])
        if square and square.numerator * square.denominator < 10**11:
            return space
    return None


@lru_cache(maxsize=1024)
def _flat(
    made: tuple[tuple[str, tuple[int, ...]], ...], question: str, about: tuple[int, ...]
) -> bool:
    """Whether what is asked for is 0, or is nothing, wherever the points lie: it is so at points
    that have nothing to do with each other."""
    rng = Random(0)
    points = [
        (rng.getrandbits(60), rng.getrandbits(60), rng.getrandbits(60))
        for _ in range(ARITY[question])
    ]
    places = _all_points(Space("", tuple(points), made, question, about))
    return not _square(question, [places[place] for place in about])


def _all_points(space: Space) -> list[Vector]:
    places: list[Vector] = []
    for spot in space.points:
        places.append((Fraction(spot[0]), Fraction(spot[1]), Fraction(spot[2])))
    for kind, about in space.made:
        points = [places[place] for place in about]
        if kind == "mirror":
            x, y, z = (2 * q - p for p, q in zip(*points))
        else:
            x, y, z = (sum(axis, Fraction(0)) / len(points) for axis in zip(*points))
        places.append((x, y, z))
    return places


def _square(question: str, points: list[Vector]) -> Fraction | None:
    """The square of what is asked for, by cross products; None where there is no such thing."""
    start, *others = points
    ways = [_less(other, start) for other in others]
    if question == "distance":
        return _dot(ways[0], ways[0])
    if question == "tetrahedron":
        return _dot(_cross(ways[0], ways[1]), ways[2]) ** 2 / 36
    if question in ("triangle", "from_line"):
        normal = _cross(ways[0], ways[1])
        along = _less(others[1], others[0])
        wide = _dot(along, along)
        if question == "triangle":
            return _dot(normal, normal) / 4
        return _dot(normal, normal) / wide if wide else None
    if question == "from_plane":
        normal = _cross(_less(others[1], others[0]), _less(others[2], others[0]))
    else:
        normal = _cross(ways[0], _less(others[2], others[1]))
    wide = _dot(normal, normal)
    return _dot(normal, ways[0 if question == "from_plane" else 1]) ** 2 / wide if wide else None


def _gram(vectors: list[Vector]) -> Fraction:
    """The determinant of all their scalar products."""
    rows = [[_dot(one, other) for other in vectors] for one in vectors]
    if len(rows) == 1:
        return rows[0][0]
    if len(rows) == 2:
        return rows[0][0] * rows[1][1] - rows[0][1] ** 2
    (a, b, c), (_, d, e), (_, _, f) = rows
    return a * d * f + 2 * b * c * e - c * c * d - b * b * f - e * e * a


def _over(above: Fraction, below: Fraction) -> Fraction:
    return above / below if below else Fraction(-1)


def _less(one: Vector, other: Vector) -> Vector:
    return one[0] - other[0], one[1] - other[1], one[2] - other[2]


def _dot(one: Vector, other: Vector) -> Fraction:
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]


def _cross(one: Vector, other: Vector) -> Vector:
    (a, b, c), (d, e, f) = one, other
    return b * f - c * e, c * d - a * f, a * e - b * d


def _sentence(space: Space, place: int) -> str:
    kind, about = space.made[place]
    new = space.letters[len(space.points) + place]
    names = [space.letters[point] for point in about]
    match kind:
        case "middle":
            return f"{new} is the midpoint of the segment {''.join(names)}."
        case "mirror":
            return f"{new} is the mirror image of {names[0]} in the point {names[1]}."
        case _:
            return f"{new} is the centroid of the triangle {''.join(names)}."


QUESTIONS = ("distance", "triangle", "from_line", "tetrahedron", "from_plane", "lines")
ARITY = {
    "distance": 2,
    "triangle": 3,
    "from_line": 3,
    "tetrahedron": 4,
    "from_plane": 4,
    "lines": 4,
}
MADE = {"middle": 2, "mirror": 2, "centroid": 3}
GOALS = {
    "distance": "the distance between the points {0} and {1}",
    "triangle": "the area of the triangle {0}{1}{2}",
    "from_line": "the distance from the point {0} to the line through {1} and {2}",
    "tetrahedron": "the volume of the tetrahedron {0}{1}{2}{3}",
    "from_plane": "the distance from the point {0} to the plane through {1}, {2} and {3}",
    "lines": "the shortest distance between the line through {0} and {1} and the line through {2}"
    " and {3}",
}
ALPHABETS = ("ABCDEFGHJ", "PQRSTUVWX", "KLMNPQRST")
TRIES = 30
LADDER = (
    Knobs(1, 0, 9, 0),
    Knobs(3, 0, 9, 0),
    Knobs(6, 1, 12, 1),
    Knobs(6, 3, 20, 2),
    Knobs(6, 4, 30, 4),
)
FAMILY = Family(
    Space,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Expression(names=(), evaluated=True),
    hardness=hardness,
    proof="unique",
    solver="cross products",
    guess_rate=0.08,
    steps=steps,
    canon=canon,
    inputs=("points",),
    twin=twin,
    renamed=renamed,
    skills=("coordinates", "solids", "calculation"),
    version=3,
)
