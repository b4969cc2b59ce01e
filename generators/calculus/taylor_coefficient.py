"""Taylor coefficient: the factor of a power of x (or of x minus a centre) in a function's series.

`solve` multiplies, divides and composes truncated power series in fractions. `verify` knows no
series: a coefficient is a derivative over a factorial, so it takes the function's difference
quotient of that order, to hundreds of digits.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import factorial
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.calculus._numeric import close, difference, number, read, valued
from puzzlemill.generators.calculus._series import coefficient, expanded, near


@dataclass(frozen=True, slots=True)
class Knobs:
    factors: int  # functions that are multiplied
    composed: int  # the chance in percent that one is a function of a function
    order: int  # of the coefficient, at most
    number: int  # the largest number in it
    moved: int  # the chance in percent that the centre is not 0


@dataclass(frozen=True, slots=True)
class Expansion:
    text: str
    centre: int
    order: int


def generate(rng: Random, knobs: Knobs) -> Expansion | None:
    centre = 0
    if 100 * rng.random() < knobs.moved:
        centre = rng.choice((-3, -2, -1, 1, 2, 3))
    factors: list[str] = []
    for _ in range(knobs.factors):
        deep = 100 * rng.random() < knobs.composed
        factors.append((_composed if deep else _simple)(rng, knobs.number, centre))
    low = max(2, knobs.order - 1)
    text = _product(rng.randint(2, 9), factors)
    expansion = Expansion(text, centre, rng.randint(low, knobs.order))
    found = solve(expansion)
    if not found or len(str(found)) > 24 or len(set(factors)) < len(factors):
        return None
    return expansion


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(expansion: Expansion) -> Fraction | None:
    terms = expansion.order + 3
    letter = near(Fraction(expansion.centre), terms)
    found = expanded(read(expansion.text), letter, terms)
    return None if found is None else coefficient(found, expansion.order)


def verify(expansion: Expansion, answer: Fraction) -> float:
    tree, order = read(expansion.text), expansion.order
    digits = STEP * (order + 2)
    slope = difference(
        lambda place: valued(tree, {"x": place}, digits),
        number(expansion.centre, digits),
        number(Fraction(1, 10**STEP), digits),
        order,
    )
    return float(
        slope is not None and close(slope / factorial(order), number(answer, digits), STEP)
    )


def render(expansion: Expansion, style: Style) -> Prompt:
    function, order = expansion.text, expansion.order
    if expansion.centre:
        centre = expansion.centre
        inside = f"(x {'-' if centre > 0 else '+'} {abs(centre)})"
        question = style.pick(
            f"The function f(x) = {function} is expanded in powers of {inside}. What is the"
            f" coefficient of {inside}^{order}?",
            f"Find the coefficient of {inside}^{order} in the Taylor series of {function} about"
            f" x = {centre}.",
            f"Let f(x) = {function}. What is the coefficient of {inside}^{order} in its"
            f" Taylor series around x = {centre}?",
        )
    else:
        question = style.pick(
            f"The function f(x) = {function} is expanded in powers of x. What is the coefficient"
            f" of x^{order}?",
            f"Find the coefficient of x^{order} in the Maclaurin series of {function}.",
            f"Let f(x) = {function}. What is the coefficient of x^{order} in its Taylor series"
            " around x = 0?",
        )
    return Prompt(question, form="a number (an integer or an exact fraction, such as -7/120)")


def steps(expansion: Expansion) -> list[str]:
    """The series of each factor, and what they multiply to."""
    terms = expansion.order + 3
    letter = near(Fraction(expansion.centre), terms)
    lines = [f"With t = x{f' - {expansion.centre}' if expansion.centre else ''}:"]
    lines[0] = lines[0].replace("- -", "+ ")
    factors = _split(expansion.text)
    for text in [*factors, expansion.text][: None if len(factors) > 1 else 1]:
        found = expanded(read(text), letter, terms)
        if found is not None:
            numbers = [str(coefficient(found, power)) for power in range(expansion.order + 1)]
            lines.append(f"{text} has the coefficients {', '.join(numbers)}")
    return lines


def hardness(expansion: Expansion) -> float:
    return expansion.order * (1 + expansion.text.count("("))


def _product(front: int, factors: list[str]) -> str:
    """A number times the factors, with those that begin with 1/ below one line."""
    above = [factor for factor in factors if not factor.startswith("1/")]
    below = [factor.removeprefix("1/") for factor in factors if factor.startswith("1/")]
    top = f"{front}{'*'.join(above)}"
    if not below:
        return top
    return f"{top}/{below[0]}" if len(below) == 1 else f"{top}/({'*'.join(below)})"


def _split(text: str) -> list[str]:
    """The factors of a product."""
    found, depth, start = list[str](), 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "*" and not depth:
            found.append(text[start:place])
            start = place + 1
    return [*found, text[start:]]


def _simple(rng: Random, most: int, centre: int) -> str:
    """A function whose value at the centre, and so whose every coefficient, is rational."""
    times = rng.choice([each for each in range(-most, most + 1) if each])
    zero, one = _line(times, -times * centre), _line(times, 1 - times * centre)
    return rng.choice(
        (
            f"e^({zero})",
            f"sin({zero})" if times > 0 or centre else f"sin({_line(-times, 0)})",
            f"cos({zero})" if times > 0 or centre else f"cos({_line(-times, 0)})",
            f"ln({one})",
            f"sqrt({one})",
            f"1/({one})",
            f"1/({one})^{rng.randint(2, 4)}",
        )
    )


def _composed(rng: Random, most: int, centre: int) -> str:
    times = rng.choice([each for each in range(-most, most + 1) if each])
    other = rng.choice([each for each in range(2, most + 2) if each != times])
    zero = _line(times, -times * centre)
    second = _line(other, -other * centre)
    return rng.choice(
        (
            f"e^(sin({second}))",
            f"ln(cos({second}))",
            f"1/(2 - e^({zero}))",
            f"sqrt(1 + sin({second}))",
            f"ln(1 + {_many(other, 'tan')}({_line(1, -centre)}))",
            f"1/({_quadratic(times, other, centre)})",
            f"sqrt({_quadratic(times, other, centre)})",
            f"e^({_many(other, 'atan')}({zero}))",
            f"1/(1 + ln({_line(other, 1 - other * centre)}))",
            f"tan({second})",
            f"sin(e^({zero}) - 1)",
        )
    )


def _many(number: int, function: str) -> str:
    return f"{number}{function}"


def _line(times: int, added: int) -> str:
    """3x - 2; the number is first where x has a minus: 1 - 3x."""
    if times < 0 < added:
        return f"{added} - {_line(-times, 0)}"
    front = {1: "x", -1: "-x"}.get(times, f"{times}x")
    if not added:
        return front
    return f"{front} + {added}" if added > 0 else f"{front} - {-added}"


def _quadratic(one: int, two: int, centre: int) -> str:
    """1 + one t + two t^2 for t = x - centre."""
    slope = one - 2 * two * centre
    low = 1 - one * centre + two * centre * centre
    middle = (
        "" if not slope else f" {'+' if slope > 0 else '-'} {abs(slope) if abs(slope) > 1 else ''}x"
    )
    end = "" if not low else f" {'+' if low > 0 else '-'} {abs(low)}"
    return f"{two}x^2{middle}{end}"


STEP = 30  # digits of the step of a difference quotient
LADDER = (
    Knobs(1, 0, 3, 3, 0),
    Knobs(2, 0, 5, 7, 0),
    Knobs(2, 30, 5, 7, 20),
    Knobs(2, 80, 6, 7, 40),
    Knobs(3, 80, 8, 7, 50),
)
FAMILY = Family(
    Expansion,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="truncated power series in fractions",
    guess_rate=0.1,
    steps=steps,
    skills=("series", "derivatives", "fractions"),
    version=4,
)
