"""Tangent line: of a polynomial's graph, its normal, and where they meet other things.

`solve` takes the slope from the derivative. `verify` knows a tangent by what it is: the line that
meets the curve twice in one place, so that its root can be divided out twice.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.calculus._polynomials import (
    derived,
    integrated,
    plus,
    rational_roots,
    value,
    without_root,
)
from puzzlemill.generators.calculus._polynomials import text as written


@dataclass(frozen=True, slots=True)
class Knobs:
    asked: (
        int  # the hardest question: 1 where it crosses the y-axis ... 7 the area that it cuts off
    )
    degree: int  # of the polynomial; 3 where the question needs a cubic
    number: int  # the largest coefficient


@dataclass(frozen=True, slots=True)
class Tangent:
    curve: tuple[int, ...]
    at: int
    asked: str


def generate(rng: Random, knobs: Knobs) -> Tangent | None:
    asked = rng.choice(QUESTIONS[max(0, knobs.asked - 2) : knobs.asked])
    degree = 3 if asked in CUBIC else knobs.degree
    numbers = [rng.randint(-knobs.number, knobs.number) for _ in range(degree)]
    numbers[0] = rng.randint(2, knobs.number)
    numbers.append(rng.choice((-1, 1)) * rng.randint(1, max(2, knobs.number // 2)))
    tangent = Tangent(tuple(numbers), rng.choice([n for n in range(-4, 6) if n]), asked)
    return tangent if solve(tangent) is not None else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(tangent: Tangent) -> Fraction | None:
    """The slope is the derivative's value."""
    curve, at = tangent.curve, tangent.at
    if not any(curve[2:]) or max(map(abs, (*curve, at))) > BOUND:
        return None
    slope = value(derived(curve), at)
    return _asked(tangent, slope, value(curve, at))


def verify(tangent: Tangent, answer: Fraction) -> float:
    """The line through the point that leaves the root once more when the root is divided out."""
    height = value(tangent.curve, tangent.at)
    rest, _ = without_root(plus(tangent.curve, [height], -1), tangent.at)
    slope = Fraction(without_root(rest, tangent.at)[1])  # the remainder: what the slope must take
    line = [height - slope * tangent.at, slope]
    if tangent.asked == "y-axis":
        return float(value(line, 0) == answer)
    if tangent.asked == "x-axis":
        return float(bool(slope) and value(line, answer) == 0)
    if tangent.asked == "normal":
        return float((answer - tangent.at) == slope * height)
    if tangent.asked == "triangle":
        return float(2 * abs(slope) * answer == value(line, 0) ** 2 and bool(slope))
    if tangent.asked == "again":
        gap = plus(tangent.curve, line, -1)
        return float(value(gap, answer) == 0 and answer != tangent.at)
    if tangent.asked == "area":
        # A cubic that meets a line twice at one place and once at another, so far away, cuts off
        # the fourth power of the distance, times its first coefficient, over 12.
        factors, _ = without_root(
            without_root(plus(tangent.curve, line, -1), tangent.at)[0], tangent.at
        )
        low, top = factors
        fourth = Fraction(low + top * tangent.at) ** 4
        return float(12 * answer * abs(Fraction(top)) ** 3 == fourth)
    other = plus(tangent.curve, [value(tangent.curve, answer), slope], -1)
    moved = plus(other, [slope * answer], 1)
    rest, left = without_root(moved, answer)
    return float(left == 0 and without_root(rest, answer)[1] == 0 and answer != tangent.at)


def render(tangent: Tangent, style: Style) -> Prompt:
    at, formula, named = tangent.at, written(tangent.curve), style.pick("", "", "t")
    if tangent.asked == "normal":
        line = style.pick(
            f"the normal (perpendicular) to the curve y = {formula} at the point with x = {at}",
            f"the normal (perpendicular) to the graph of f(x) = {formula} at x = {at}",
            f"The line t is the normal (the perpendicular) to the curve with the equation"
            f" y = {formula} at x = {at}.",
        )
    else:
        line = style.pick(
            f"the tangent to the curve y = {formula} at the point with x = {at}",
            f"the tangent line that touches the graph of f(x) = {formula} at x = {at}",
            f"The line t is tangent to the curve with the equation y = {formula} at x = {at}.",
        )
    intro, it = (line, named) if named else (f"Consider {line}.", "it")
    match tangent.asked:
        case "y-axis":
            question = f"At which value of y does {named or line} cross the y-axis?"
        case "x-axis" | "normal":
            question = f"At which value of x does {named or line} cross the x-axis?"
        case "triangle":
            question = (
                "What is the area of the triangle enclosed by the two coordinate axes and"
                f" {named or line}?"
            )
        case "again":
            question = f"{intro} At which other value of x does {it} meet the curve again?"
        case "area":
            question = f"{intro} What is the area of the region that {it} and the curve enclose?"
        case _:
            question = (
                f"{intro} At which other value of x does the curve have a tangent that is parallel"
                f" to {it}?"
            )
    if named and not question.startswith(line):
        question = f"{line} {question}"
    return Prompt(question, form="a number (an integer or an exact fraction, such as -7/3)")


def steps(tangent: Tangent) -> list[str]:
    slope, height = value(derived(tangent.curve), tangent.at), value(tangent.curve, tangent.at)
    return [
        f"f({tangent.at}) = {height}",
        f"f'(x) = {written(derived(tangent.curve))}, so the slope is {slope}",
        f"The tangent is y = {written([height - slope * tangent.at, slope])}",
        f"The answer is {solve(tangent)}",
    ]


def hardness(tangent: Tangent) -> float:
    digits = sum(len(str(abs(number))) for number in tangent.curve)
    return 10 * QUESTIONS.index(tangent.asked) + 2 * len(tangent.curve) + digits


def twin(rng: Random, knobs: Knobs, tangent: Tangent) -> Tangent | None:
    """The same question about another curve."""
    numbers = [rng.randint(-knobs.number, knobs.number) for _ in tangent.curve]
    numbers[0] = rng.randint(2, knobs.number)
    numbers[-1] = numbers[-1] or 1
    other = replace(tangent, curve=tuple(numbers), at=rng.choice((-3, -2, -1, 1, 2, 3, 4)))
    return other if solve(other) is not None else None


def _asked(tangent: Tangent, slope: Fraction, height: Fraction) -> Fraction | None:
    at = tangent.at
    cut = height - slope * at
    if tangent.asked == "y-axis":
        return cut
    if tangent.asked == "normal":
        return at + slope * height if slope and height else None
    if tangent.asked == "x-axis":
        return -cut / slope if slope else None
    if tangent.asked == "triangle":
        return cut * cut / (2 * abs(slope)) if slope and cut else None
    if len(tangent.curve) != 4 or not tangent.curve[3]:
        return None
    # Three places where a line meets a cubic add up to the same, whatever the line.
    total = Fraction(-tangent.curve[2], tangent.curve[3])
    other = total - 2 * at
    if tangent.asked == "area":
        gap = plus(tangent.curve, [height - slope * at, slope], -1)
        whole = integrated(gap)
        return abs(value(whole, other) - value(whole, at)) or None
    if tangent.asked == "parallel":
        slopes = rational_roots(plus(derived(tangent.curve), [slope], -1)) or []
        other = next((root for root in slopes if root != at), Fraction(at))
    return other if other != at else None


QUESTIONS = ["y-axis", "x-axis", "normal", "triangle", "again", "parallel", "area"]
CUBIC = ("again", "parallel", "area")
BOUND = 10**9
LADDER = (
    Knobs(1, 2, 5),
    Knobs(2, 3, 9),
    Knobs(4, 4, 9),
    Knobs(6, 4, 12),
    Knobs(7, 5, 20),
)
FAMILY = Family(
    Tangent,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="the derivative's value",
    guess_rate=0.08,
    steps=steps,
    inputs=("curve", "at"),
    twin=twin,
    skills=("derivatives", "coordinates", "polynomials"),
    version=3,
)
