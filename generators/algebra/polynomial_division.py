"""Polynomial division: the quotient or the remainder, also of powers far too high to divide.

`solve` takes every power of x modulo the divisor, by squaring, or divides step by step where the
quotient is asked for. `verify` looks at one point: where x is huge, coefficients are digits, and a
remainder of polynomials is a remainder of whole numbers.
"""

from dataclasses import dataclass, replace
from itertools import zip_longest
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.polynomial import Terms
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators._misreadings import misreadings
from puzzlemill.generators.algebra._polynomials import (
    Exact,
    coefficients,
    divided,
    drawn,
    product,
    signed,
    terms_of,
    trimmed,
    value,
    written,
)

Term: TypeAlias = tuple[int, int]  # coefficient, exponent


@dataclass(frozen=True, slots=True)
class Knobs:
    degree: int  # of the dividend, where it is not a few powers
    divisor: int  # the degree of the divisor, at most
    coefficient: int  # the largest
    leading: int  # the largest at the highest power of the divisor
    powers: float  # how often the dividend is a few powers
    exponent: int  # the largest in such a dividend


@dataclass(frozen=True, slots=True)
class Division:
    dividend: tuple[Term, ...]  # the highest power first
    divisor: tuple[int, ...]  # from the constant upwards
    asked: Literal["quotient", "remainder"]


def generate(rng: Random, knobs: Knobs) -> Division:
    if rng.random() < knobs.powers:
        divisor = rng.choice(
            [each for each in SLOW if knobs.divisor <= len(each) <= knobs.divisor + 2]
        )
        return Division(_powers(rng, knobs, len(divisor)), divisor, "remainder")
    size = rng.randint(max(1, knobs.divisor - 1), knobs.divisor)
    numbers = [rng.randint(-knobs.coefficient, knobs.coefficient) for _ in range(size)]
    below = [drawn(rng, knobs.coefficient), *numbers[1:], rng.randint(1, knobs.leading)]
    quotient = [rng.randint(-knobs.coefficient, knobs.coefficient) for _ in range(knobs.degree)]
    quotient = [*quotient[: knobs.degree - size], drawn(rng, knobs.coefficient)]
    left = [rng.randint(-knobs.coefficient, knobs.coefficient) for _ in range(size)]
    above = [a + b for a, b in zip_longest(product(quotient, below), left, fillvalue=0)]
    found = tuple((number, place) for place, number in enumerate(above) if number)
    return Division(found[::-1], tuple(below), rng.choice(("quotient", "remainder")))


def solve(division: Division) -> Terms | None:
    divisor, asked = division.divisor, division.asked
    if len(trimmed(divisor)) != len(divisor) or not 2 <= len(divisor) <= 9:
        return None
    top = max(exponent for _, exponent in division.dividend)
    if top <= LONG:
        above: list[Exact] = [0] * (top + 1)
        for number, exponent in division.dividend:
            above[exponent] += number
        found = divided(trimmed(Fraction(each) for each in above), divisor)[asked == "remainder"]
        return terms_of(found) if all(map(_small, found)) else None
    if divisor[-1] != 1 or asked == "quotient":
        return None
    left = [0] * (len(divisor) - 1)
    for number, exponent in division.dividend:
        power = _power(exponent, divisor)
        if power is None:
            return None
        left = [a + number * b for a, b in zip_longest(left, power, fillvalue=0)]
    return terms_of(left) if all(map(_small, left)) else None


def verify(division: Division, answer: Terms) -> float:
    dividend, divisor = division.dividend, division.divisor
    top = max(exponent for _, exponent in dividend)
    degree = top - len(divisor) + 1 if division.asked == "quotient" else len(divisor) - 2
    found = coefficients(answer, min(degree, LONG))
    if found is None or not all(map(_small, found)):
        return 0.0
    if division.asked == "quotient":
        return float(_left_over(dividend, divisor, found))
    # A power of the first coefficient clears all fractions of the division.
    scale = divisor[-1] ** (top - len(divisor) + 2) if divisor[-1] != 1 else 1
    whole = [number * scale for number in found]
    if any(number.denominator != 1 for number in whole):
        return 0.0
    modulus = value(divisor, POINT)
    above = sum(number * pow(POINT, exponent, modulus) for number, exponent in dividend)
    return float((scale * above - value([int(each) for each in whole], POINT)) % modulus == 0)


def render(division: Division, style: Style) -> Prompt:
    above, below = dividend_text(division.dividend), written(division.divisor)
    asked = division.asked
    question = style.pick(
        f"Find the {asked} when\n\n{above}\n\nis divided by {below}.",
        f"The polynomial P(x) = {above} is divided by D(x) = {below}. What is the {asked}?",
        f"Divide {above} by {below} (polynomial long division in x). Give the {asked}.",
        f"Let {above} = ({below})*Q(x) + R(x), where R(x) is of lower degree than {below}."
        f" Determine {'Q(x), the quotient' if asked == 'quotient' else 'R(x), the remainder'}.",
    )
    return Prompt(
        question,
        form=f"the {asked}, a polynomial in x with like terms collected and exact coefficients,"
        " such as 4x^2 - 7x/2 + 9 (a constant, including 0, is a polynomial too)",
    )


def steps(division: Division) -> list[str]:
    """Long division line by line; of high powers, each one's remainder."""
    divisor = written(division.divisor)
    top = division.dividend[0][1]
    gold = solve(division)
    shown = answers.Polynomial().write(gold or ())
    if top > LONG:
        lines = []
        for _, exponent in division.dividend:
            power = _power(exponent, division.divisor) or []
            thing = dividend_text(((1, exponent),))
            lines.append(f"Modulo {divisor}: {thing} = {written(trimmed(power))}")
        return [*lines, f"The {division.asked} is {shown}"]
    left = [Fraction(0)] * (top + 1)
    for number, exponent in division.dividend:
        left[exponent] += number
    lines = []
    while len(left := trimmed(left)) >= len(division.divisor):
        factor, place = left[-1] / division.divisor[-1], len(left) - len(division.divisor)
        for step, number in enumerate(division.divisor):
            left[place + step] -= factor * number
        part = written([*[Fraction(0)] * place, factor])
        lines.append(f"Take {part} times {divisor} away: {written(trimmed(left))} is left")
    return [*lines, f"The {division.asked} is {shown}"]


def progress(division: Division, lines: Lines) -> float:
    return states_followed(FAMILY, division, lines)


def hardness(division: Division) -> float:
    top = division.dividend[0][1]
    size = len(division.divisor)
    if top > LONG:
        return 10 * size + 4 * len(division.dividend) + top.bit_length()
    return 4 * (top - size + 2) * size * (1 + 0.5 * (division.divisor[-1] > 1))


def twin(rng: Random, knobs: Knobs, division: Division) -> Division | None:
    if division.dividend[0][1] > LONG:
        terms = _powers(rng, knobs, len(division.divisor), len(division.dividend))
        return replace(division, dividend=terms)
    divisor = tuple(drawn(rng, knobs.coefficient) if each else 0 for each in division.divisor[:-1])
    quotient = [
        drawn(rng, knobs.coefficient)
        for _ in range(division.dividend[0][1] - len(division.divisor) + 2)
    ]
    below = (*divisor, division.divisor[-1])
    above = product(quotient, below)
    above[0] += drawn(rng, knobs.coefficient)
    found = tuple((number, place) for place, number in enumerate(above) if number)
    return replace(division, dividend=found[::-1], divisor=below)


def misread(rng: Random, division: Division) -> Division | None:
    """A dividend with which one number of the answer is another; of high powers, two others."""
    above = {exponent: number for number, exponent in division.dividend}
    divisor, top = division.divisor, max(above)
    step = rng.choice((-3, -2, -1, 1, 2, 3))
    if top > LONG:
        one, other = rng.choices(sorted(above), k=2)
        # Larger ones would show: the remainder of a high power has large numbers.
        above[one], above[other] = above[other], above[one]
        above[one] *= rng.choice((-1, 1))
    elif division.asked == "remainder":
        place = rng.randrange(len(divisor) - 1)
        above[place] = above.get(place, 0) + step
    else:
        place = rng.randrange(top - len(divisor) + 2)
        for at, number in enumerate(divisor, place):
            above[at] = above.get(at, 0) + step * number
    dividend = tuple((above[at], at) for at in sorted(above, reverse=True) if above[at])
    same = bool(dividend) and dividend[0][1] == top
    return replace(division, dividend=dividend) if same else None


def _powers(rng: Random, knobs: Knobs, size: int, count: int = 0) -> tuple[Term, ...]:
    """A few powers, the highest first, the last perhaps a constant."""
    count = count or rng.randint(1, 2 + size // 2)
    lowest = max(LONG, knobs.exponent // 4)
    found = {rng.randint(lowest + 1, max(knobs.exponent, lowest + 20))}
    while len(found) < count:
        found.add(rng.randint(0, knobs.exponent) if rng.random() < 0.7 else rng.randint(0, 9))
    numbers = [1 if rng.random() < 0.4 else drawn(rng, knobs.coefficient) for _ in found]
    return tuple(zip(numbers, sorted(found, reverse=True)))


def _power(exponent: int, divisor: tuple[int, ...]) -> list[int] | None:
    """x^exponent modulo a divisor that begins with 1; None if the coefficients explode."""
    found = [1]
    for bit in f"{exponent:b}":
        found = product(found, found)
        if bit == "1":
            found = [0, *found]
        while len(found) >= len(divisor):
            top, start = found.pop(), len(found) - len(divisor) + 1
            for place, number in enumerate(divisor[:-1]):
                found[start + place] -= top * number
        if not all(map(_small, found)):
            return None
    return found


def _left_over(
    dividend: tuple[Term, ...], divisor: tuple[int, ...], quotient: list[Fraction]
) -> bool:
    """Whether the dividend less divisor times quotient is of a lower degree than the divisor."""
    left: dict[int, Fraction] = {}
    for number, exponent in dividend:
        left[exponent] = left.get(exponent, Fraction(0)) + number
    for place, factor in enumerate(quotient):
        for step, number in enumerate(divisor):
            left[place + step] = left.get(place + step, Fraction(0)) - factor * number
    return not any(number for power, number in left.items() if power >= len(divisor) - 1)


def _small(number: Exact) -> bool:
    return -LARGE < number < LARGE and number.denominator < LARGE


def dividend_text(dividend: tuple[Term, ...]) -> str:
    text = ""
    for number, exponent in dividend:
        thing = "" if exponent == 0 else "x" if exponent == 1 else f"x^{exponent}"
        text += signed(number, thing, bool(text))
    return text


LONG = 40  # the highest degree that is divided step by step
LARGE, POINT = 10**40, 10**90
# Divisors by which high powers leave small remainders.
SLOW = (
    (-1, 0, 1),
    (1, 0, 1),
    (0, -1, 1),
    (0, 1, 1),
    (1, 1, 1),
    (1, -1, 1),
    (1, -2, 1),
    (1, 2, 1),
    (0, -1, 0, 1),
    (-1, 0, 0, 1),
    (1, 0, 0, 1),
    (-1, 1, -1, 1),
    (1, 1, 1, 1),
    (1, -1, -1, 1),
    (0, 1, 1, 1),
    (1, 0, 1, 0, 1),
    (-1, 0, 0, 0, 1),
    (1, 0, -1, 0, 1),
    (1, 1, 1, 1, 1),
    (1, -1, 1, -1, 1),
    (-1, 1, 0, -1, 1),
    (1, 0, -2, 0, 1),
    (-1, -1, 0, 1, 1),
)
LADDER = (
    Knobs(2, 1, 6, 1, 0.0, 50),
    Knobs(4, 2, 9, 1, 0.2, 99),
    Knobs(5, 2, 9, 2, 0.4, 500),
    Knobs(6, 3, 12, 3, 0.5, 3000),
    Knobs(9, 4, 15, 4, 0.5, 9999),
)
FAMILY = Family(
    Division,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Polynomial(),
    hardness=hardness,
    proof="unique",
    solver="long division, and powers by squaring",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    inputs=("dividend",),
    slips=misreadings(solve, misread),
    twin=twin,
    skills=("polynomials", "modular"),
    peers=("RLVE/polynomial_remainder",),
    version=3,
)
