"""Definite integral: polynomials in pieces, absolute values, rounding down, and parts that cancel.

All answers are rational. `solve` splits the interval where a piece ends and takes antiderivatives;
`verify` cuts it at every whole number and integrates there from values alone (a polynomial is fixed
by enough of them). What cancels by symmetry is checked by adding its values at mirrored points.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.calculus._numeric import close, number, read, valued
from puzzlemill.generators.calculus._polynomials import (
    Coefficients,
    area,
    from_roots,
    plus,
    rational_roots,
    value,
    weighed,
)
from puzzlemill.generators.calculus._polynomials import text as written

# A form, its polynomials, and for a part that cancels its text; numbers stand for where pieces end.
Part: TypeAlias = tuple[str, tuple[tuple[int, ...], ...], str]


@dataclass(frozen=True, slots=True)
class Knobs:
    parts: int  # integrands that are added
    form: int  # the hardest: 1 polynomial ... 6 mirrored
    degree: int  # of the polynomials, at most
    number: int  # the largest coefficient


@dataclass(frozen=True, slots=True)
class Integral:
    parts: tuple[Part, ...]
    low: int
    high: int


def generate(rng: Random, knobs: Knobs) -> Integral:
    forms = [FORMS[knobs.form - 1]]
    others = [form for form in FORMS[: knobs.form] if form not in forms]
    forms += rng.sample(others, min(knobs.parts - 1, len(others)))
    if "odd" in forms:
        high = rng.randint(1, 5)
        low = -high
    else:
        low = rng.randint(-5, 3)
        high = low + rng.randint(2, 6)
    parts = tuple(_part(rng, knobs, form, low, high) for form in forms)
    return Integral(parts, low, high)


def solve(integral: Integral) -> Fraction | None:
    """Antiderivatives, between the places where the pieces of each part end."""
    low, high = integral.low, integral.high
    if not low < high or max(abs(low), abs(high)) > BOUND:
        return None
    total = Fraction(0)
    for form, polynomials, _ in integral.parts:
        if form == "mirrored":
            total += Fraction(high - low, 2) * polynomials[0][0]
        elif form != "odd":
            ends = _ends(form, polynomials, low, high)
            if ends is None:
                return None
            inside = sorted({end for end in ends if low < end < high})
            cuts = [Fraction(low), *inside, Fraction(high)]
            for left, right in pairwise(cuts):
                piece = _piece(form, polynomials, (left + right) / 2)
                total += area(piece, left, right)
        elif low != -high:
            return None
    return total


def verify(integral: Integral, answer: Fraction) -> float:
    """Between whole numbers every part is one polynomial, or one that cancels with its mirror."""
    total = Fraction(0)
    low, high = integral.low, integral.high
    for form, polynomials, text in integral.parts:
        if text:
            around = Fraction(low + high)
            share = Fraction(polynomials[0][0] if polynomials else 0)
            if not _mirrors(text, around, share):
                return 0.0
            total += share * (high - low) / 2
            continue
        for left in range(low, high):
            total += weighed(_piece(form, polynomials, left + Fraction(1, 2)), left, left + 1)
    return float(total == answer)


def render(integral: Integral, style: Style) -> Prompt:
    parts = [_text(part) for part in integral.parts]
    function = " + ".join(text for text, _ in parts).replace("+ -", "- ")
    low, high = integral.low, integral.high
    question = style.pick(
        f"Compute the integral of f(x) = {function} from x = {low} to x = {high}.",
        f"Let f(x) = {function}. Find the exact value of the definite integral of f over the"
        f" interval [{low}, {high}].",
        f"What is the value of ∫ f(x) dx from {low} to {high}, where f(x) = {function}?",
    )
    notes = " ".join(note for _, note in parts if note)
    if notes:
        question += f"\n\n{notes}"
    return Prompt(question, form="a number (an integer or an exact fraction, such as -7/12)")


def steps(integral: Integral) -> list[str]:
    lines = []
    for part in integral.parts:
        found = solve(replace(integral, parts=(part,)))
        form, polynomials, _ = part
        ends = _ends(form, polynomials, integral.low, integral.high) or []
        inside = [str(end) for end in ends if integral.low < end < integral.high]
        cut = f", cut at x = {', '.join(dict.fromkeys(inside))}," if inside else ""
        why = {"odd": " by symmetry", "mirrored": " by exchanging x with its mirror image"}
        lines.append(f"{_text(part)[0]}{cut} gives {found}{why.get(form, '')}")
    return lines


def hardness(integral: Integral) -> float:
    """What there is to integrate, piece by piece."""
    total = 0.0
    for form, polynomials, _ in integral.parts:
        ends = _ends(form, polynomials, integral.low, integral.high) or []
        pieces = 1 + sum(integral.low < end < integral.high for end in set(ends))
        total += FORMS.index(form) + pieces * max(map(len, polynomials), default=2)
    return total


def _part(rng: Random, knobs: Knobs, form: str, low: int, high: int) -> Part:
    match form:
        case "polynomial":
            return form, (_polynomial(rng, knobs),), ""
        case "absolute":
            return form, (_crossing(rng, knobs, low, high),), ""
        case "larger":
            base = _polynomial(rng, replace(knobs, degree=min(knobs.degree, 2)))
            other = plus(base, _crossing(rng, replace(knobs, degree=2), low, high))
            return form, (base, tuple(int(each) for each in other)), ""
        case "pieces":
            cut = rng.randint(low + 1, high - 1)
            small = replace(knobs, degree=min(knobs.degree, 2))
            return form, (_polynomial(rng, small), _polynomial(rng, small), (cut,)), ""
        case "rounded":
            polynomial = _polynomial(rng, replace(knobs, degree=rng.randint(1, 2)))
            return form, (polynomial,), ""
        case "odd":
            shapes = [shape for shape, fits in ODD if fits(high)]
            text = rng.choice(shapes)
            for sign in "@#":
                text = text.replace(sign, str(rng.randint(2, knobs.number + 1)))
            return form, (), text
        case _:
            one, times = rng.randint(1, 5), rng.randint(1, knobs.number)
            shape = rng.choice(MIRRORED)
            first, second = _shifted(one - low), f"{one + high} - x"
            here, there = shape.replace("@", first), shape.replace("@", second)
            front = "" if times == 1 else str(times)
            return form, ((times,),), f"{front}{here}/({here} + {there})"


def _polynomial(rng: Random, knobs: Knobs) -> tuple[int, ...]:
    numbers = [rng.randint(-knobs.number, knobs.number) for _ in range(knobs.degree)]
    return (*numbers, rng.choice((-1, 1)) * rng.randint(1, knobs.number))


def _crossing(rng: Random, knobs: Knobs, low: int, high: int) -> tuple[int, ...]:
    """A polynomial with whole roots, one of them inside the interval."""
    roots = [rng.randint(low + 1, high - 1)]
    while len(roots) < min(knobs.degree, 3):
        roots.append(rng.randint(low - 2, high + 2))
    return tuple(int(each) for each in from_roots(roots, rng.choice((-2, -1, 1, 1, 2))))


def _ends(
    form: str, polynomials: tuple[tuple[int, ...], ...], low: int, high: int
) -> list[Fraction] | None:
    """Where the pieces of a part end; None where they end at irrational places."""
    match form:
        case "absolute":
            return rational_roots(polynomials[0])
        case "larger":
            return rational_roots(plus(polynomials[0], polynomials[1], -1))
        case "pieces":
            return [Fraction(polynomials[2][0])]
        case "rounded":
            return [Fraction(end) for end in range(low + 1, high)]
        case _:
            return []


def _piece(form: str, polynomials: tuple[tuple[int, ...], ...], at: Fraction) -> Coefficients:
    """The polynomial that a part is around a place."""
    first = polynomials[0]
    match form:
        case "absolute":
            return first if value(first, at) > 0 else [-each for each in first]
        case "larger":
            return max(first, polynomials[1], key=lambda each: value(each, at))
        case "pieces":
            return first if at < polynomials[2][0] else polynomials[1]
        case "rounded":
            return [each * (at.numerator // at.denominator) for each in first]
        case _:
            return first


def _mirrors(text: str, around: Fraction, share: Fraction) -> bool:
    """Whether values at mirrored points always add up to a share."""
    tree, want = read(text), number(share, 60)
    for off in (Fraction(1, 7), Fraction(1, 3), Fraction(5, 11)):
        left, right = around / 2 - off, around / 2 + off
        values = [valued(tree, {"x": number(at, 60)}, 60) for at in (left, right)]
        if None in values or not close(values[0] + values[1], want, 40):
            return False
    return True


def _shifted(by: int) -> str:
    return "x" if not by else f"x + {by}" if by > 0 else f"x - {-by}"


def _text(part: Part) -> tuple[str, str]:
    """The part as a formula, and what has to be said of it besides."""
    form, polynomials, text = part
    shown = [written(each) for each in polynomials]
    match form:
        case "absolute":
            return f"|{shown[0]}|", ""
        case "larger":
            return (
                f"max({shown[0]}, {shown[1]})",
                "Here max(a, b) is the larger of the two numbers a and b.",
            )
        case "pieces":
            cut = polynomials[2][0]
            return "g(x)", (
                f"Here g(x) = {shown[0]} for x < {cut}, and g(x) = {shown[1]} for x ≥ {cut}."
            )
        case "rounded":
            return (
                f"floor(x)*({shown[0]})",
                "Here floor(x) is the largest integer that is not above x.",
            )
        case "polynomial":
            return shown[0], ""
        case _:
            return text, ""


ODD: tuple[tuple[str, Callable[[int], bool]], ...] = (
    ("x^3*cos(@x)", lambda high: True),
    ("sin(@x)^3", lambda high: True),
    ("@x/(x^4 + #)", lambda high: True),
    ("x^5*e^(-@x^2)", lambda high: True),
    ("atan(@x)", lambda high: True),
    ("x^2*sin(@x)*cos(#x)", lambda high: True),
    ("x*sqrt(x^2 + @)", lambda high: True),
    ("ln((x^2 + x + 1)/(x^2 - x + 1))*cos(@x)", lambda high: True),
    ("sin(@x)*ln(x^2 + #)", lambda high: True),
)
MIRRORED = ("sqrt(@)", "ln(1 + @)", "(@)^3", "e^(@)", "atan(@)")
FORMS = ["polynomial", "absolute", "pieces", "odd", "larger", "rounded", "mirrored"]
BOUND = 100  # of the ends
LADDER = (
    Knobs(1, 1, 2, 6),
    Knobs(1, 3, 3, 6),
    Knobs(2, 4, 3, 8),
    Knobs(2, 6, 3, 8),
    Knobs(4, 7, 4, 9),
)
FAMILY = Family(
    Integral,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="antiderivatives between the ends of the pieces",
    guess_rate=0.08,
    steps=steps,
    redraws=True,
    skills=("integrals", "functions", "fractions"),
)
