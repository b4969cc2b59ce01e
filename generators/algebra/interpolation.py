"""Interpolation: the one polynomial of low degree with given values, and slopes, at given points.

`solve` builds it from divided differences, where a slope counts as a value taken twice; so there is
exactly one. `verify` puts every point in.
"""

from dataclasses import dataclass
from itertools import pairwise, zip_longest
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.polynomial import Terms
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.prose import listed
from puzzlemill.generators.algebra._polynomials import (
    coefficients,
    derivative,
    drawn,
    terms_of,
    trimmed,
    value,
)

Point: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    degree: int  # of the polynomial, at most
    x: int  # the largest, either side of 0
    coefficient: int  # the largest
    denominator: int  # the largest in a coefficient
    slopes: int  # values of the derivative that are told


@dataclass(frozen=True, slots=True)
class Points:
    values: tuple[Point, ...]  # x, p(x)
    slopes: tuple[Point, ...]  # x, p'(x)


def generate(rng: Random, knobs: Knobs) -> Points | None:
    """Whole coefficients, and perhaps a few fractions that make whole values all the same."""
    slopes = min(knobs.slopes, (knobs.degree + 1) // 2)
    spots = rng.sample(range(-knobs.x, knobs.x + 1), knobs.degree + 1 - slopes)
    numbers = [rng.randint(-knobs.coefficient, knobs.coefficient) for _ in range(knobs.degree + 1)]
    below, piece = 1, tuple[int, ...]()
    if rng.random() < FRACTIONS:
        below, piece, _ = rng.choice(
            [
                each
                for each in PIECES
                if each[0] <= knobs.denominator
                and len(each[1]) <= len(numbers)
                and (each[2] or not slopes)
            ]
        )
    times = drawn(rng, 3)
    above = [below * a + times * b for a, b in zip_longest(numbers, piece, fillvalue=0)]
    values = tuple((spot, value(above, spot) // below) for spot in spots)
    sloping = tuple(
        (spot, value(derivative(above), spot) // below) for spot in rng.sample(spots, slopes)
    )
    if max([*spots, *(number for _, number in values)]) < 2 or not any(numbers[2:]):
        return None
    if any(abs(number) > LARGEST for _, number in (*values, *sloping)):
        return None
    return Points(values, sloping)


def solve(points: Points) -> Terms | None:
    """Newton's form, multiplied out."""
    slopes, values = dict(points.slopes), dict(points.values)
    if len(values) < len(points.values) or not set(slopes) <= set(values):
        return None
    nodes = [spot for spot, _ in points.values for _ in range(1 + (spot in slopes))]
    column = [Fraction(values[spot]) for spot in nodes]
    weights = column[:1]
    for step in range(1, len(nodes)):
        column = [
            (above - below) / (nodes[place + step] - nodes[place])
            if nodes[place + step] != nodes[place]
            else Fraction(slopes[nodes[place]])
            for place, (below, above) in enumerate(pairwise(column))
        ]
        weights.append(column[0])
    found = [Fraction(0)]
    for weight, node in zip(reversed(weights), reversed(nodes)):
        found = [
            low - node * high for low, high in zip([Fraction(0), *found], [*found, Fraction(0)])
        ]
        found[0] += weight
    found = trimmed(found)
    return terms_of(found) if all(abs(each) < LARGEST**6 for each in found) else None


def verify(points: Points, answer: Terms) -> float:
    found = coefficients(answer, len(points.values) + len(points.slopes) - 1)
    if found is None:
        return 0.0
    if any(_at(found, spot) != number for spot, number in points.values):
        return 0.0
    return float(all(_slope(found, spot) == number for spot, number in points.slopes))


def render(points: Points, style: Style) -> Prompt:
    degree = len(points.values) + len(points.slopes) - 1
    told = [f"p({spot}) = {number}" for spot, number in points.values]
    told += [f"p'({spot}) = {number}" for spot, number in points.slopes]
    facts = listed(told)
    lines = "\n".join(told)
    prime = " (p' is the derivative of p)" if points.slopes else ""
    question = style.pick(
        f"Find the polynomial p(x) of degree at most {degree} for which {facts}{prime}.",
        f"A polynomial p has degree at most {degree} and satisfies{prime}\n\n{lines}\n\nWhat is"
        " p(x)?",
        f"There is exactly one polynomial p of degree {degree} or less with\n\n{lines}\n\nWrite it"
        f" down{prime}.",
    )
    return Prompt(
        question,
        form="p(x), a polynomial in x that is multiplied out, with ^ for powers and exact"
        " coefficients, such as 5x^3 - 7x/2 + 11",
    )


def steps(points: Points) -> list[str]:
    """The rows of divided differences, each beginning with a weight of Newton's form."""
    slopes, values = dict(points.slopes), dict(points.values)
    nodes = [spot for spot, _ in points.values for _ in range(1 + (spot in slopes))]
    column = [Fraction(values[spot]) for spot in nodes]
    lines = [f"At x = {', '.join(map(str, nodes))} the values are {', '.join(map(str, column))}"]
    for step in range(1, len(nodes)):
        column = [
            (column[place + 1] - column[place]) / (nodes[place + step] - nodes[place])
            if nodes[place + step] != nodes[place]
            else Fraction(slopes[nodes[place]])
            for place in range(len(column) - 1)
        ]
        lines.append(f"Divided differences {step}: {', '.join(map(str, column))}")
    return [*lines, f"p(x) = {answers.Polynomial().write(solve(points) or ())}"]


def progress(points: Points, lines: Lines) -> float:
    return states_followed(FAMILY, points, lines)


def hardness(points: Points) -> float:
    told = (*points.values, *points.slopes)
    digits = sum(len(str(abs(number))) for _, number in told)
    return len(told) ** 2 + digits + 3 * len(points.slopes)


def canon(points: Points) -> list[list[Point]]:
    """The points in the order of x."""
    return [sorted(points.values), sorted(points.slopes)]


def twin(rng: Random, knobs: Knobs, points: Points) -> Points | None:
    """The same places, whole coefficients."""
    size = len(points.values) + len(points.slopes)
    numbers = [rng.randint(-knobs.coefficient, knobs.coefficient) for _ in range(size)]
    slope = derivative(numbers)
    return Points(
        tuple((spot, value(numbers, spot)) for spot, _ in points.values),
        tuple((spot, value(slope, spot)) for spot, _ in points.slopes),
    )


def _at(polynomial: list[Fraction], spot: int) -> Fraction:
    return sum((number * spot**place for place, number in enumerate(polynomial)), Fraction(0))


def _slope(polynomial: list[Fraction], spot: int) -> Fraction:
    return _at([place * number for place, number in enumerate(polynomial)][1:], spot)


LARGEST = 10**7
FRACTIONS = 0.8
# What has whole values at whole numbers: the denominator, and the coefficients above it; and
# whether its derivative has, too.
PIECES: tuple[tuple[int, tuple[int, ...], bool], ...] = (
    (1, (), True),
    (2, (0, 1, 1), False),
    (2, (0, 3, 1), False),
    (2, (0, 0, 1, -2, 1), True),
    (3, (0, -1, 0, 1), False),
    (4, (0, 0, 1, 2, 1), True),
    (4, (0, 0, 1, -2, 1), True),
    (6, (0, 1, 3, 2), False),
    (6, (0, 2, 3, 1), False),
    (12, (0, 0, -1, 0, 1), False),
    (12, (0, 0, 1, 0, -2, 0, 1), True),
)
LADDER = (
    Knobs(2, 3, 3, 1, 0),
    Knobs(2, 5, 9, 1, 0),
    Knobs(3, 6, 9, 6, 0),
    Knobs(4, 7, 9, 12, 1),
    Knobs(6, 9, 12, 12, 2),
)
FAMILY = Family(
    Points,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Polynomial(),
    hardness=hardness,
    proof="unique",
    solver="divided differences",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("values", "slopes"),
    twin=twin,
    skills=("polynomials", "equations"),
    peers=("RLVE/polynomial_interpolation",),
)
