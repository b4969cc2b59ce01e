"""Lenses: where a row of thin lenses puts the image of an object, and how large it is.

`solve` uses the lens equation, lens by lens; `verify` multiplies ray matrices: where the image is,
all rays from a point of the object meet.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.science._quantities import EXACT, shown

Lens: TypeAlias = tuple[int, int]  # its place, cm right of the object, and its focal length, cm


@dataclass(frozen=True, slots=True)
class Knobs:
    lenses: int  # in the row
    diverging: float  # their share
    goals: int  # of questions that there are


@dataclass(frozen=True, slots=True)
class Bench:
    lenses: tuple[Lens, ...]
    goal: str  # "place", "size" or "height"
    height: int  # of the object, mm


def generate(rng: Random, knobs: Knobs) -> Bench | None:
    place, lenses = 0, []
    for _ in range(knobs.lenses):
        place += rng.randint(3, 60)
        sign = -1 if rng.random() < knobs.diverging else 1
        lenses.append((place, sign * rng.randint(2, 40)))
    goal = rng.choice(GOALS[: knobs.goals])
    made = Bench(tuple(lenses), goal, rng.randint(2, 60) if goal == "height" else 0)
    answer = solve(made)
    small = answer is not None and max(abs(answer.numerator), answer.denominator) < 10**5
    return made if small else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(bench: Bench) -> Fraction | None:
    """1/f = 1/u + 1/v, with u from the image of the lens before."""
    images = _images(bench)
    if images is None:
        return None
    image, size = images[-1]
    return {"place": image - bench.lenses[-1][0], "size": size}.get(
        bench.goal, abs(size) * bench.height
    )


def verify(bench: Bench, answer: Fraction) -> float:
    """Rays as height and slope: at the image, the height does not depend on the slope."""
    # The matrix from the object to behind the last lens.
    a, b, c, d = Fraction(1), Fraction(0), Fraction(0), Fraction(1)
    before = 0
    for place, focus in bench.lenses:
        gap = place - before
        a, b = a + gap * c, b + gap * d
        c, d = c - a / focus, d - b / focus
        before = place
    if not d:
        return 0.0
    way = -b / d
    size = a + way * c
    truth = {"place": way, "size": size}.get(bench.goal, abs(size) * bench.height)
    return float(answer == truth)


def render(bench: Bench, style: Style) -> Prompt:
    single = len(bench.lenses) == 1
    lines = [
        f"lens {at}: {place} cm to the right of the object, focal length {focus} cm"
        f" ({'converging' if focus > 0 else 'diverging'})"
        for at, (place, focus) in enumerate(bench.lenses, 1)
    ]
    listing = "\n".join(lines)
    last = "the lens" if single else "the last lens"
    tall = f" The object is {bench.height} mm high." if bench.height else ""
    goal, form = {
        "place": (
            f"How far to the right of {last} is the final image, in centimetres? The number is"
            f" negative if the image is to the left of {last}.",
            f"the number of centimetres, {EXACT}",
        ),
        "size": (
            "What is the magnification, that is, the height of the final image divided by that of"
            " the object? It is negative if the final image is upside down.",
            f"the magnification, {EXACT}",
        ),
        "height": (
            "How many millimetres high is the final image (a positive number, upright or not)?",
            f"the number of millimetres, {EXACT}",
        ),
    }[bench.goal]
    rule = "Light travels to the right through thin lenses that share one axis."
    question = style.pick(
        f"{rule} An object stands on the axis.{tall}\n\n{listing}\n\n{goal}",
        f"An object and the following thin lenses stand on one optical axis, and light goes from"
        f" the object to the right.{tall}\n\n{listing}\n\n{goal}",
        f"{goal} {rule}{tall}\n\n{listing}",
    )
    return Prompt(question, form=form)


def steps(bench: Bench) -> list[str]:
    lines, source = [], Fraction(0)
    images = _images(bench)
    assert images is not None, "generate keeps benches with an image"
    for at, ((place, focus), (image, size)) in enumerate(zip(bench.lenses, images), 1):
        lines.append(
            f"Lens {at}: object distance {shown(place - source)} cm, focal length {focus} cm, so"
            f" image distance {shown(image - place)} cm; magnification up to here {shown(size)}"
        )
        source = image
    return [*lines, f"The answer is {solve(bench)}"]


def hardness(bench: Bench) -> float:
    spread = sum(focus < 0 for _, focus in bench.lenses)
    return 5 * len(bench.lenses) + spread + 2 * GOALS.index(bench.goal)


def canon(bench: Bench) -> tuple[object, ...]:
    return bench.lenses, bench.goal, bench.height


def _images(bench: Bench) -> list[tuple[Fraction, Fraction]] | None:
    """Place and magnification of the image behind each lens; None where one is infinitely far."""
    source, size = Fraction(0), Fraction(1)
    found = []
    for place, focus in bench.lenses:
        distance = place - source
        if not distance or not focus or distance == focus:
            return None
        image = 1 / (Fraction(1, focus) - 1 / distance)
        size *= -image / distance
        source = place + image
        found.append((source, size))
    return found


GOALS = ("place", "size", "height")
LADDER = (Knobs(1, 0.0, 1), Knobs(2, 0.0, 1), Knobs(2, 0.3, 3), Knobs(3, 0.4, 3), Knobs(5, 0.4, 3))
FAMILY = Family(
    Bench,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(units=True),
    hardness=hardness,
    proof="unique",
    solver="the lens equation, lens by lens",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("physics", "fractions", "geometry"),
    peers=("Guru/science",),
    version=3,
)
