"""Transformations: a chain of rotations, reflections, shifts and dilations of the plane.

Asked for: where a point goes, where it came from, or which point the whole chain leaves in place.
`solve` multiplies matrices; `verify` takes the answer, walks it through the chain step by step by
what each transformation does to a complex number, and looks where it ends.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.geometry._points import Point, Spot

Step: TypeAlias = tuple[str, tuple[int, ...]]  # a kind and its numbers
Matrix: TypeAlias = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]  # two rows of three


@dataclass(frozen=True, slots=True)
class Knobs:
    steps: int  # of the chain
    kinds: int  # of transformation that there are
    reach: int  # the largest coordinate
    backward: float  # the share of questions for a point before the chain, or left in place by it


@dataclass(frozen=True, slots=True)
class Chain:
    steps: tuple[Step, ...]
    question: str  # "image", "origin" or "fixed"
    point: Spot  # not told where the question is for a fixed point


def generate(rng: Random, knobs: Knobs) -> Chain | None:
    kinds = [rng.choice(KINDS[: knobs.kinds]) for _ in range(knobs.steps)]
    question = "image"
    if rng.random() < knobs.backward:
        question = rng.choice(("origin", "fixed"))
    return _filled(rng, knobs, kinds, question)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(chain: Chain) -> tuple[Fraction, ...] | None:
    """The chain as one matrix; for what is sought before it, a system of two equations."""
    matrices = [_matrix(step) for step in chain.steps]
    if any(matrix is None for matrix in matrices):
        return None
    (a, b, c), (d, e, f) = _product([matrix for matrix in matrices if matrix])
    x, y = map(Fraction, chain.point)
    if chain.question == "image":
        return a * x + b * y + c, d * x + e * y + f
    if chain.question == "fixed":
        x, y, a, e = Fraction(0), Fraction(0), a - 1, e - 1
    whole = a * e - b * d
    if not whole:
        return None
    return ((x - c) * e - b * (y - f)) / whole, (a * (y - f) - d * (x - c)) / whole


def verify(chain: Chain, answer: tuple[Fraction, ...]) -> float:
    if len(answer) != 2 or any(number.denominator > 10**40 for number in answer):
        return 0.0
    given = Fraction(chain.point[0]), Fraction(chain.point[1])
    found = answer[0], answer[1]
    start = given if chain.question == "image" else found
    end = start
    for step in chain.steps:
        moved = _moved(step, end)
        if moved is None:
            return 0.0
        end = moved
    wanted = {"image": found, "origin": given, "fixed": start}[chain.question]
    return float(end == wanted)


def render(chain: Chain, style: Style) -> Prompt:
    told = "\n".join(f"{place}. {_told(step)}" for place, step in enumerate(chain.steps, 1))
    x, y = chain.point
    many = len(chain.steps) > 1
    comma = "," if many else ""
    these = "these transformations, one after another" if many else "this transformation"
    if chain.question == "image":
        question = style.pick(
            f"The point ({x}, {y}) undergoes {these}:\n\n{told}\n\nWhere does it end up?",
            f"Apply {these}{comma} to the point ({x}, {y}):\n\n{told}\n\nWhat are the coordinates"
            " of the result?",
            f"Start with the point ({x}, {y}) of the plane.\n\n{told}\n\nWhat is its final image?",
        )
    elif chain.question == "origin":
        question = style.pick(
            f"A point undergoes {these}:\n\n{told}\n\nIt ends up at ({x}, {y}). Where was it at"
            " first?",
            f"Which point is taken to ({x}, {y}) by {these}?\n\n{told}",
            f"After {these}, a point is at ({x}, {y}):\n\n{told}\n\nFind the point that it started"
            " from.",
        )
    else:
        question = style.pick(
            f"The plane undergoes {these}:\n\n{told}\n\nExactly one point ends where it was at"
            " first. Which one?",
            f"Exactly one point of the plane is taken to itself by {these}. Find it.\n\n{told}",
            f"Find the only point that lies in the same place before and after {these}:\n\n{told}",
        )
    return Prompt(
        question + (RULE if any(kind in TURNS for kind, _ in chain.steps) else ""),
        form="the x and the y coordinate of the point, each an integer or a fraction in lowest"
        " terms, separated by a comma, such as -7/2, 11",
    )


def steps(chain: Chain) -> list[str]:
    matrices = [matrix for matrix in map(_matrix, chain.steps) if matrix]
    if chain.question == "image":
        lines, x, y = [], Fraction(chain.point[0]), Fraction(chain.point[1])
        for step, ((a, b, c), (d, e, f)) in zip(chain.steps, matrices):
            x, y = a * x + b * y + c, d * x + e * y + f
            lines.append(f"{_told(step)} The point is now at ({x}, {y}).")
        return lines
    lines = [
        f"{_told(step)} {_as_rule(_product(matrices[: place + 1]))}"
        for place, step in enumerate(chain.steps)
    ]
    goal = "x, y" if chain.question == "fixed" else ", ".join(map(str, chain.point))
    x, y = solve(chain) or ()
    return [*lines, f"This is to be ({goal}): the only solution is x = {x}, y = {y}."]


def hardness(chain: Chain) -> float:
    work = sum(WORK[kind] for kind, _ in chain.steps)
    return work * (1 if chain.question == "image" else 2)


def twin(rng: Random, knobs: Knobs, chain: Chain) -> Chain | None:
    return _filled(rng, knobs, [kind for kind, _ in chain.steps], chain.question)


def _filled(rng: Random, knobs: Knobs, kinds: list[str], question: str) -> Chain | None:
    for _ in range(TRIES):
        chosen = tuple((kind, _numbers(rng, kind, knobs.reach)) for kind in kinds)
        point = rng.randint(2, knobs.reach), rng.randint(-knobs.reach, knobs.reach)
        told = [point] if question != "fixed" else []
        made = Chain(chosen, question, point if told else (0, 0))
        found = solve(made)
        seen = max(max(numbers) for numbers in [*told, *(step[1] for step in chosen)])
        if (
            found
            and seen > 1
            and list(found) != list(point)
            and _plain(found)
            and _plain(_start(made, found))
        ):
            return made
    return None


def _start(chain: Chain, found: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Every coordinate on the way."""
    at: Point = (found[0], found[1])
    if chain.question == "image":
        at = Fraction(chain.point[0]), Fraction(chain.point[1])
    seen = list[Fraction]()
    for step in chain.steps:
        at = _moved(step, at) or at
        seen += at
    return tuple(seen)


def _plain(numbers: tuple[Fraction, ...]) -> bool:
    return all(number.denominator <= 60 and abs(number) < 1000 for number in numbers)


def _numbers(rng: Random, kind: str, reach: int) -> tuple[int, ...]:
    x, y = (rng.choice((-1, 1)) * rng.randint(1, reach) for _ in range(2))
    match kind:
        case "shift" | "half" | "left" | "right":
            return x, y
        case "column" | "row" | "rise" | "fall":
            return (x,)
        case "stretch":
            return x, y, rng.choice((2, 3, 4, -1, -2, -3))
        case "shrink":
            return x, y, rng.randint(2, 4)
        case _:
            slope = rng.choice(((1, 2), (2, 1), (-1, 2), (-2, 1), (1, 3), (3, 1), (-3, 1), (3, 4)))
            return *slope, rng.randint(2, reach)


def _matrix(step: Step) -> Matrix | None:
    """What is done to (x, y, 1)."""
    kind, numbers = step
    u, v, *more = map(Fraction, (*numbers, 0)[: max(len(numbers), 2)])
    zero, one = Fraction(0), Fraction(1)
    match kind:
        case "shift":
            return (one, zero, u), (zero, one, v)
        case "half":
            return (-one, zero, 2 * u), (zero, -one, 2 * v)
        case "left":
            return (zero, -one, u + v), (one, zero, v - u)
        case "right":
            return (zero, one, u - v), (-one, zero, u + v)
        case "column":
            return (-one, zero, 2 * u), (zero, one, zero)
        case "row":
            return (one, zero, zero), (zero, -one, 2 * u)
        case "rise":
            return (zero, one, -u), (one, zero, u)
        case "fall":
            return (zero, -one, u), (-one, zero, u)
        case "stretch" | "shrink":
            factor = more[0] if kind == "stretch" else 1 / more[0]
            return (factor, zero, u - factor * u), (zero, factor, v - factor * v)
    # The mirror ux - vy + w = 0, from the formula for the foot of a perpendicular.
    square, w = u * u + v * v, more[0]
    return (
        (1 - 2 * u * u / square, 2 * u * v / square, -2 * u * w / square),
        (2 * u * v / square, 1 - 2 * v * v / square, 2 * v * w / square),
    )


def _product(matrices: list[Matrix]) -> Matrix:
    """All of them, the first one first."""
    (a, b, c), (d, e, f) = matrices[0]
    for (p, q, r), (s, t, u) in matrices[1:]:
        a, d, b, e = p * a + q * d, s * a + t * d, p * b + q * e, s * b + t * e
        c, f = p * c + q * f + r, s * c + t * f + u
    return (a, b, c), (d, e, f)


def _moved(step: Step, point: Point) -> Point | None:
    """One step by its geometry: what is done to the way from a fixed point, or along and across a
    mirror."""
    kind, numbers = step
    x, y = point
    if kind in ("half", "left", "right", "stretch", "shrink"):
        right, up = x - numbers[0], y - numbers[1]
        if kind == "shrink" and not numbers[2]:
            return None
        match kind:
            case "half":
                right, up = -right, -up
            case "left":
                right, up = -up, right
            case "right":
                right, up = up, -right
            case "stretch":
                right, up = numbers[2] * right, numbers[2] * up
            case _:
                right, up = right / numbers[2], up / numbers[2]
        return numbers[0] + right, numbers[1] + up
    if kind == "shift":
        return x + numbers[0], y + numbers[1]
    if kind == "column":
        return numbers[0] - (x - numbers[0]), y
    if kind == "row":
        return x, numbers[0] - (y - numbers[0])
    # A mirror through (0, high) along (run, rise): the way from there, along and across it.
    run, rise, high = 1, 1 if kind == "rise" else -1, Fraction(numbers[0])
    if kind == "mirror":
        run, rise, high = numbers[1], numbers[0], Fraction(numbers[2], numbers[1])
    up = y - high
    along = (x * run + up * rise) / Fraction(run * run + rise * rise)
    return 2 * along * run - x, high + 2 * along * rise - up


def _told(step: Step) -> str:
    kind, numbers = step
    first, second, third = (*numbers, 0, 0)[:3]
    match kind:
        case "shift":
            return f"Shift by the vector ({first}, {second})."
        case "half":
            return f"Rotate by 180 degrees about the point ({first}, {second})."
        case "left":
            return f"Rotate by 90 degrees counterclockwise about the point ({first}, {second})."
        case "right":
            return f"Rotate by 90 degrees clockwise about the point ({first}, {second})."
        case "column" | "row":
            return f"Reflect in the line {'x' if kind == 'column' else 'y'} = {first}."
        case "rise":
            high = f"+ {first}" if first > 0 else f"- {-first}"
            return f"Reflect in the line y = x {high}."
        case "fall":
            high = f"+ {first}" if first > 0 else f"- {-first}"
            return f"Reflect in the line y = -x {high}."
        case "stretch":
            return f"Dilate from the centre ({first}, {second}) by the factor {third}."
        case "shrink":
            return f"Dilate from the centre ({first}, {second}) by the factor 1/{third}."
    left = {1: "x", -1: "-x"}.get(first, f"{first}x") if first < 2 else f"{first}x"
    down = "y" if second == 1 else f"{second}y"
    return f"Reflect in the line {left} - {down} + {third} = 0."


def _as_rule(matrix: Matrix) -> str:
    (a, b, c), (d, e, f) = matrix
    return f"So far (x, y) goes to ({a}*x + {b}*y + {c}, {d}*x + {e}*y + {f})."


KINDS = (
    "shift",
    "column",
    "row",
    "half",
    "left",
    "right",
    "rise",
    "fall",
    "stretch",
    "shrink",
    "mirror",
)
TURNS = ("left", "right")
RULE = "\n\nThe x axis points to the right and the y axis up."
WORK = {kind: 1 if place < 3 else 2 if place < 8 else 4 for place, kind in enumerate(KINDS)}
TRIES = 30
LADDER = (
    Knobs(1, 6, 8, 0.0),
    Knobs(2, 8, 9, 0.0),
    Knobs(3, 10, 12, 0.3),
    Knobs(5, 11, 15, 0.6),
    Knobs(8, 11, 20, 0.9),
)
FAMILY = Family(
    Chain,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.NumberList(form="the coordinates of a point", names=("x", "y")),
    hardness=hardness,
    proof="unique",
    solver="a product of matrices",
    guess_rate=0.03,
    steps=steps,
    inputs=("steps", "point"),
    twin=twin,
    skills=("coordinates", "matrices"),
    version=2,
)
