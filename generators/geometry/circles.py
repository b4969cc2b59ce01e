"""Circles: an exact length at a circle that is given by centre, by equation or by three points.

Asked for: a tangent from a point, a chord on a line, the chord that two circles share, or a tangent
that two circles share. `solve` finds centre and radius and uses right triangles; `verify` never
looks for a centre: it works on the equation x^2 + y^2 + dx + ey + f = 0 alone, by the power of a
point, the roots of a quadratic on a line, and the line that two circles share.
"""

from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.geometry._points import (
    Point,
    dot,
    exact,
    is_root,
    length,
    meeting,
    minus,
)

Numbers: TypeAlias = tuple[int, ...]
Equation: TypeAlias = tuple[Fraction, Fraction, Fraction]  # d, e and f


@dataclass(frozen=True, slots=True)
class Knobs:
    given: Literal["centre", "equation", "points", "any"]  # how a circle is told
    questions: int  # kinds of question that there are
    reach: int  # the largest coordinate


@dataclass(frozen=True, slots=True)
class Circles:
    given: tuple[str, ...]  # how each of the one or two circles is told
    numbers: tuple[Numbers, ...]  # x, y, r; d, e, f; or three points
    question: str
    about: Numbers  # a point, or the a, b, c of a line ax + by = c


def generate(rng: Random, knobs: Knobs) -> Circles | None:
    able = [
        kind for kind in QUESTIONS[: knobs.questions] if kind in THREE or knobs.given != "points"
    ]
    question = rng.choice(able)
    count = 2 if question in ("common", "outer", "inner") else 1
    tangents = question in ("outer", "inner") and knobs.given != "centre"
    given = tuple(
        "equation"
        if tangents
        else rng.choice(("equation", "points"))
        if knobs.given == "any"
        else knobs.given
        for _ in range(count)
    )
    return _filled(rng, knobs, given, question)


def solve(circles: Circles) -> answers.Expr | None:
    square = _square(circles)
    return None if square is None else length(square)


def verify(circles: Circles, answer: answers.Expr) -> float:
    found = [_equation(kind, numbers) for kind, numbers in zip(circles.given, circles.numbers)]
    square = _by_equations(circles.question, circles.about, found)
    return float(square is not None and is_root(answer, square))


def render(circles: Circles, style: Style) -> Prompt:
    told = [_told(kind, numbers) for kind, numbers in zip(circles.given, circles.numbers)]
    if len(told) == 1:
        start = style.pick(
            f"A circle {told[0]}.", f"In the plane, a circle {told[0]}.", f"A circle k {told[0]}."
        )
    else:
        start = style.pick(
            f"One circle {told[0]}; another circle {told[1]}.",
            f"Circle k {told[0]}. Circle m {told[1]}.",
            f"The first of two circles {told[0]}. The second {told[1]}.",
        )
    return Prompt(
        f"{start} {_asked(circles, style)}",
        form="the exact length (an integer, a fraction, or a root such as 7sqrt(11)/3)",
    )


def steps(circles: Circles) -> list[str]:
    lines, found = [], list[tuple[Point, Fraction]]()
    for kind, numbers in zip(circles.given, circles.numbers):
        circle = _centre(kind, numbers)
        assert circle is not None, "the puzzle was solved"
        (x, y), square = circle
        found.append(circle)
        lines.append(f"Centre ({x}, {y}), square of the radius {square}.")
    if len(found) == 2:
        gap = minus(found[1][0], found[0][0])
        lines.append(f"The square of the distance between the centres is {dot(gap, gap)}.")
    elif circles.question == "tangent":
        gap = minus(exact(_pair(circles.about)), found[0][0])
        lines.append(f"The square of the distance from the point to the centre is {dot(gap, gap)}.")
    else:
        away = _away(circles.about, found[0][0])
        lines.append(f"The square of the distance from the line to the centre is {away}.")
    return [*lines, f"The square of the length is {_square(circles)}."]


def hardness(circles: Circles) -> float:
    digits = sum(len(str(number)) for numbers in circles.numbers for number in numbers)
    return digits + sum(WORK[kind] for kind in (*circles.given, circles.question))


def twin(rng: Random, knobs: Knobs, circles: Circles) -> Circles | None:
    return _filled(rng, knobs, circles.given, circles.question)


def _filled(rng: Random, knobs: Knobs, given: tuple[str, ...], question: str) -> Circles | None:
    for _ in range(TRIES):
        whole = question in ("outer", "inner")
        numbers = tuple(_numbers(rng, kind, knobs.reach, whole) for kind in given)
        about = tuple(rng.randint(-knobs.reach, knobs.reach) for _ in range(ABOUT.get(question, 0)))
        if question == "chord" and not (about[0] and about[1]):
            continue
        made = Circles(given, numbers, question, about)
        square = _square(made)
        plain = square is not None and square.numerator * square.denominator < 10**9
        if plain and max(map(max, numbers)) > 1:
            return made
    return None


def _numbers(rng: Random, kind: str, reach: int, whole: bool) -> Numbers:
    """`whole`: centre and radius are."""
    across, down = (rng.randint(-reach, reach) for _ in range(2))
    if kind == "centre":
        return across, down, rng.randint(2, reach)
    if kind == "equation" and whole:
        radius = rng.randint(2, reach // 2)
        return -2 * across, -2 * down, across**2 + down**2 - radius**2
    if kind == "equation":
        return across, down, rng.randint(-reach * reach // 2, reach)
    return across, down, *(rng.randint(-reach, reach) for _ in range(4))


def _centre(kind: str, numbers: Numbers) -> tuple[Point, Fraction] | None:
    """The centre and the square of the radius."""
    if kind == "centre":
        x, y, radius = map(Fraction, numbers)
        return (x, y), radius * radius
    if kind == "equation":
        d, e, f = map(Fraction, numbers)
        square = (d * d + e * e) / 4 - f
        return ((-d / 2, -e / 2), square) if square > 0 else None
    one, two, three = _three(numbers)
    upright = [
        ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, b[1] - a[1], a[0] - b[0])
        for a, b in ((one, two), (two, three))
    ]
    ends = [point for x, y, u, v in upright for point in ((x, y), (x + u, y + v))]
    centre = meeting(ends[0], ends[1], ends[2], ends[3])
    if centre is None:
        return None
    gap = minus(one, centre)
    return centre, dot(gap, gap)


def _square(circles: Circles) -> Fraction | None:
    """Of the length asked for, from right triangles with a radius; None where there is none."""
    found = [_centre(kind, numbers) for kind, numbers in zip(circles.given, circles.numbers)]
    if found[0] is None or found[-1] is None:
        return None
    centre, radius = found[0]
    if circles.question == "tangent":
        gap = minus(exact(_pair(circles.about)), centre)
        square = dot(gap, gap) - radius
    elif circles.question == "chord":
        away = _away(circles.about, centre)
        square = Fraction(0) if away is None else 4 * (radius - away)
    else:
        other, wide = found[-1]
        gap = minus(other, centre)
        apart = dot(gap, gap)
        if not apart:
            return None
        square = _shared(circles.question, apart, radius, wide) or Fraction(0)
    return square if square > 0 else None


def _shared(question: str, apart: Fraction, one: Fraction, other: Fraction) -> Fraction | None:
    """From the squares of the distance of two centres and of the radii."""
    if question == "common":
        foot = (apart + one - other) ** 2 / (4 * apart)
        return 4 * (one - foot)
    # Radii whose product is rational: only then is the answer a plain root.
    product = length(one * other)
    both = product.at() if product else None
    if both is None or apart <= one + other + 2 * both:
        return None
    return apart - one - other + (2 if question == "outer" else -2) * both


def _away(line: Numbers, point: Point) -> Fraction | None:
    """The square of the distance of a point from a line."""
    a, b, c = line
    if not a and not b:
        return None
    return (a * point[0] + b * point[1] - c) ** 2 / Fraction(a * a + b * b)


def _equation(kind: str, numbers: Numbers) -> Equation | None:
    if kind == "equation":
        d, e, f = map(Fraction, numbers)
        return d, e, f
    if kind == "centre":
        x, y, radius = map(Fraction, numbers)
        return -2 * x, -2 * y, x * x + y * y - radius * radius
    # Three linear equations for d, e, f, by Cramer's rule.
    rows = [(x, y, Fraction(1), -(x * x + y * y)) for x, y in _three(numbers)]
    whole = _determinant([row[:3] for row in rows])
    if not whole:
        return None
    d, e, f = (
        _determinant([(*row[:place], row[3], *row[place + 1 : 3]) for row in rows]) / whole
        for place in range(3)
    )
    return d, e, f


def _by_equations(question: str, about: Numbers, found: list[Equation | None]) -> Fraction | None:
    if found[0] is None or found[-1] is None:
        return None
    d, e, f = found[0]
    if question == "tangent":
        x, y = about
        return x * x + y * y + d * x + e * y + f
    if question == "chord":
        return _cut(found[0], (Fraction(about[0]), Fraction(about[1]), Fraction(about[2])))
    g, h, k = found[-1]
    if question == "common":
        return _cut(found[0], (d - g, e - h, k - f))
    # How far apart they are, and the product of the radii, from the coefficients alone.
    one, other = d * d + e * e - 4 * f, g * g + h * h - 4 * k
    if one <= 0 or other <= 0:
        return None
    apart = (d * d + e * e + g * g + h * h - 2 * d * g - 2 * e * h) / 4
    product = length(one * other / 16)
    both = product.at() if product else None
    if both is None:
        return None
    return apart - (one + other) / 4 + (2 * both if question == "outer" else -2 * both)


def _cut(equation: Equation, line: tuple[Fraction, Fraction, Fraction]) -> Fraction | None:
    """The square of the chord on ax + by = c: where the line has parameters that satisfy the
    equation, two roots of a quadratic."""
    (d, e, f), (a, b, c) = equation, line
    if not a and not b:
        return None
    x, y = (c / a, Fraction(0)) if a else (Fraction(0), c / b)
    # The points (x - bt, y + at).
    second = a * a + b * b
    first = -2 * b * x + 2 * a * y - d * b + e * a
    last = x * x + y * y + d * x + e * y + f
    return (first * first - 4 * second * last) / second


def _determinant(rows: list[tuple[Fraction, ...]]) -> Fraction:
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def _three(numbers: Numbers) -> list[Point]:
    return [(Fraction(x), Fraction(y)) for x, y in zip(numbers[::2], numbers[1::2])]


def _pair(about: Numbers) -> tuple[int, int]:
    return about[0], about[1]


def _told(kind: str, numbers: Numbers) -> str:
    if kind == "centre":
        x, y, radius = numbers
        return f"has the centre ({x}, {y}) and the radius {radius}"
    if kind == "equation":
        parts = zip(("x", "y", ""), numbers)
        more = "".join(_signed(number, name) for name, number in parts)
        return f"has the equation x^2 + y^2{more} = 0"
    a, b, c, d, e, f = numbers
    return f"passes through the points ({a}, {b}), ({c}, {d}) and ({e}, {f})"


def _signed(number: int, name: str) -> str:
    if not number:
        return ""
    if number < 0:
        size = -number
        return f" - {'' if name and size == 1 else size}{name}"
    return f" + {'' if name and number == 1 else f'{number}'}{name}"


def _asked(circles: Circles, style: Style) -> str:
    about = circles.about
    match circles.question:
        case "tangent":
            point = f"the point ({about[0]}, {about[1]})"
            return style.pick(
                f"How long is a tangent segment from {point} to the circle, measured from that"
                " point to the point of contact?",
                f"A tangent is drawn to it from {point}. Find the distance from that point to the"
                " point of contact.",
                f"From {point}, what is the length of the tangent to the circle (up to the point"
                " where it touches)?",
            )
        case "chord":
            text = _signed(about[0], "x") + _signed(about[1], "y")
            line = text[3:] if text[1] == "+" else f"-{text[3:]}"
            return style.pick(
                f"How long is the chord that it cuts from the line {line} = {about[2]}?",
                f"The line {line} = {about[2]} meets it in two points. How far apart are they?",
                f"Find the length of its chord on the line {line} = {about[2]}.",
            )
        case "common":
            return style.pick(
                "The circles meet in two points. How far apart are these?",
                "Find the length of the chord that the two circles share.",
                "What is the distance between the two points that lie on both circles?",
            )
    inner = circles.question == "inner"
    side = "on opposite sides of it" if inner else "on the same side of it"
    return style.pick(
        f"A line touches both circles, which lie {side}. How far apart are the two points of"
        " contact?",
        f"Find the length of a common tangent of the two circles, which lie {side}, from one"
        " point of contact to the other.",
        f"A straight line is tangent to the two circles, which lie {side}. What is the distance"
        " between the points where it touches them?",
    )


QUESTIONS = ("tangent", "chord", "outer", "inner", "common")
THREE = ("tangent", "chord", "common")  # asked of circles through three points
ABOUT = {"tangent": 2, "chord": 3}
WORK = {
    "centre": 0,
    "equation": 3,
    "points": 25,
    "tangent": 2,
    "chord": 5,
    "outer": 4,
    "inner": 6,
    "common": 12,
}
TRIES = 60
LADDER = (
    Knobs("centre", 1, 8),
    Knobs("centre", 4, 10),
    Knobs("equation", 5, 14),
    Knobs("any", 5, 14),
    Knobs("points", 5, 25),
)
FAMILY = Family(
    Circles,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Expression(names=(), evaluated=True),
    hardness=hardness,
    proof="unique",
    solver="centre and radius, then right triangles",
    guess_rate=0.08,
    steps=steps,
    inputs=("numbers", "about"),
    twin=twin,
    skills=("circles", "coordinates", "calculation"),
    version=3,
)
