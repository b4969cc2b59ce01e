"""Sum of a series: finite or infinite; arithmetic, geometric, both at once, or telescoping.

`solve` has closed forms. `verify` adds up: a finite sum term by term, a geometric one until what is
left is beyond fifty digits. An infinite telescoping sum is the leading coefficient of a polynomial
that is fixed by the first few partial sums.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import comb, factorial
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.calculus._polynomials import Exact, joined, value
from puzzlemill.generators.calculus._polynomials import text as written


@dataclass(frozen=True, slots=True)
class Knobs:
    # The hardest: 1 polynomial, 2 geometric, 3 telescoping, 4 both of the first two at once, 5
    # telescoping over some steps.
    form: int
    degree: int  # of the polynomial in a term
    number: int  # the largest number
    last: int  # the last index of a finite sum, at most


@dataclass(frozen=True, slots=True)
class Series:
    form: str  # powers, telescoping, factorial
    polynomial: tuple[int, ...]  # the term's, from the constant upwards
    ratio: tuple[int, int]  # what it is multiplied by from term to term
    step: int  # telescoping: from one factor of the denominator to the other
    last: int  # the last index; 0: there is none
    first: int  # the first index


def generate(rng: Random, knobs: Knobs) -> Series | None:
    form = rng.choice((knobs.form, knobs.form, max(1, knobs.form - 1)))
    if knobs.form in (3, 4):
        form = knobs.form  # what comes before is soon seen through
    last = rng.randint(max(4, knobs.last // 3), knobs.last)
    first = rng.choice((0, 1, 1, 2))
    numbers = [rng.randint(-knobs.number, knobs.number) for _ in range(knobs.degree)]
    numbers.append(rng.randint(1, knobs.number))
    if form == 1:
        return Series("powers", tuple(numbers), (1, 1), 0, last, first)
    if form in (2, 4):
        below = rng.randint(2, 9)
        above = rng.choice(
            [n for n in range(1 - below, below) if n and Fraction(n, below).denominator == below]
        )
        endless = rng.random() < 0.7
        polynomial = (rng.randint(1, 20 * knobs.number),) if form == 2 else tuple(numbers)
        ratio = (above, below) if endless else (rng.choice((-3, -2, 2, 3)), 1)
        return Series("powers", polynomial, ratio, 0, 0 if endless else min(last, 12), first)
    if form == 3 and rng.random() < 0.15:
        return Series(
            "factorial", (rng.randint(1, 9 * knobs.number),), (1, 1), 0, rng.randint(5, 12), 1
        )
    slope, step = rng.randint(1, 6), 1 if form == 3 else rng.randint(3, 6)
    low = rng.randint(0, 9)
    return Series(
        "telescoping",
        (low, slope, rng.randint(1, 20 * knobs.number)),
        (1, 1),
        step,
        0 if rng.random() < 0.5 else last,
        1,
    )


def solve(series: Series) -> Fraction | None:
    """A closed form; None where the series has no sum, or too many terms."""
    numbers, last = series.polynomial, series.last
    above, below = series.ratio
    if last > MOST or max(map(abs, (*numbers, above, below, series.step))) > BOUND or not below:
        return None
    if (last and last < series.first) or not 0 <= series.first <= 9 or not any(numbers):
        return None
    if series.form == "factorial":
        return Fraction(numbers[0] * (factorial(last + 1) - 1)) if 0 < last < 30 else None
    if series.form == "telescoping":
        return _telescoped(series)
    ratio = Fraction(above, below)
    if ratio == 1:
        if not last:
            return None
        return _powers(numbers, last) - _powers(numbers, series.first - 1)
    if not ratio or (not last and abs(ratio) >= 1) or last > 60 < abs(ratio) * 60:
        return None
    left = _shifted_sum(numbers, ratio)
    start = value(left, series.first - 1) * ratio ** (series.first - 1)
    return (value(left, last) * ratio**last if last else 0) - start


def verify(series: Series, answer: Fraction) -> float:
    if series.last:
        return float(sum(map(_term(series), range(series.first, series.last + 1))) == answer)
    if series.form == "telescoping":
        return float(_leading(series) == answer)
    ratio, total, at = abs(Fraction(*series.ratio)), 0, series.first
    scale = 10**DIGITS
    power = Fraction(*series.ratio) ** at * scale
    above, below = series.ratio
    shrunk = power.numerator // power.denominator
    while shrunk not in (0, -1) and at < 10**4:
        total += int(value(series.polynomial, at)) * shrunk
        shrunk = shrunk * above // below
        at += 1
    return float(ratio < 1 and abs(answer * scale - total) < 10 ** (DIGITS // 2))


def render(series: Series, style: Style) -> Prompt:
    term, first, last = _text(series), series.first, series.last
    if last:
        question = style.pick(
            f"Compute the sum of {term} over all integers k from {first} to {last}.",
            f"What is the exact value of the sum, for k = {first} to {last}, of {term}?",
            f"Evaluate\n\nsum from k = {first} to {last} of {term}",
        )
    else:
        question = style.pick(
            f"Compute the sum of the infinite series whose terms are {term} for k = {first},"
            f" {first + 1}, {first + 2}, and so on.",
            f"What is the exact value of the infinite sum, for k = {first} to ∞, of {term}?",
            f"Evaluate\n\nsum from k = {first} to ∞ of {term}",
        )
    return Prompt(question, form="a number (an integer or an exact fraction, such as 17/6)")


def steps(series: Series) -> list[str]:
    """A function whose differences are the terms, and its values at the ends."""
    if series.form == "factorial":
        return [f"k*k! = (k + 1)! - k!, so the sum is {series.polynomial[0]}((n + 1)! - 1)",
                f"n = {series.last}: {solve(series)}"]  # fmt: skip
    if series.form == "telescoping":
        low, slope, above = series.polynomial
        one, other = written([low, slope], "k"), written([low + slope * series.step, slope], "k")
        front = Fraction(above, slope * series.step)
        return [f"Each term is {front} times 1/({one}) - 1/({other})",
                f"What is left after cancelling adds up to {solve(series)}"]  # fmt: skip
    ratio = Fraction(*series.ratio)
    if ratio == 1:
        lines = [
            f"Sum of k^{power} for k = {series.first} to {series.last}:"
            f" {_powers(own, series.last) - _powers(own, series.first - 1)}"
            for power, number in enumerate(series.polynomial)
            if number and (own := (*[0] * power, 1))
        ]
        return [*lines, f"Together: {solve(series)}"]
    left = written(_shifted_sum(series.polynomial, ratio), "k")
    return [f"With F(k) = ({left})*({ratio})^k, each term is F(k) - F(k - 1)",
            f"Only the ends of the sum are left: {solve(series)}"]  # fmt: skip


def hardness(series: Series) -> float:
    ratio = Fraction(*series.ratio)
    mixed = ratio != 1 and len(series.polynomial) > 1
    powers = 16 if mixed else 3 if ratio == 1 else 8
    weight = {"powers": powers, "telescoping": 0, "factorial": 20}[series.form]
    digits = sum(len(str(abs(number))) for number in series.polynomial)
    return weight + digits + 6 * (len(series.polynomial) + series.step)


def twin(rng: Random, knobs: Knobs, series: Series) -> Series | None:
    """The same form with other numbers."""
    numbers = tuple(
        rng.randint(1, knobs.number) * (-1 if each < 0 else 1) if each else 0
        for each in series.polynomial
    )
    other = replace(series, polynomial=numbers)
    return other if solve(other) is not None else None


def _powers(numbers: tuple[int, ...], last: int) -> Fraction:
    """The sum of a polynomial's values at 0 to last, by its differences at 0."""
    values = [value(numbers, at) for at in range(len(numbers))]
    total = Fraction(0)
    for place in range(len(numbers)):
        total += values[0] * comb(last + 1, place + 1) if last >= 0 else 0
        values = [right - left for left, right in pairwise(values)]
    return total


def _shifted_sum(numbers: tuple[int, ...], ratio: Fraction) -> list[Exact]:
    """Q with Q(k) r^k - Q(k - 1) r^(k - 1) = P(k) r^k, from the highest power downwards."""
    size = len(numbers)
    found = [Fraction(0)] * size
    for power in range(size - 1, -1, -1):
        rest = Fraction(numbers[power])
        for high in range(power + 1, size):
            rest += found[high] * comb(high, power) * (-1) ** (high - power) / ratio
        found[power] = rest / (1 - 1 / ratio)
    return list(found)


def _telescoped(series: Series) -> Fraction | None:
    low, slope, above = series.polynomial
    if slope < 1 or series.step < 1 or low < 0 or series.step > 50:
        return None
    total = Fraction(0)
    for place in range(series.step):
        total += Fraction(1, slope * (series.first + place) + low)
        if series.last:
            total -= Fraction(1, slope * (series.last + 1 + place) + low)
    return total * above / (slope * series.step)


def _term(series: Series) -> Callable[[int], Fraction]:
    def found(at: int) -> Fraction:
        if series.form == "factorial":
            return Fraction(series.polynomial[0] * at * factorial(at))
        if series.form == "telescoping":
            low, slope, above = series.polynomial
            here = slope * at + low
            return Fraction(above, here * (here + slope * series.step))
        return Fraction(value(series.polynomial, at) * Fraction(*series.ratio) ** at)

    return found


def _leading(series: Series) -> Fraction:
    """The partial sum up to N, times the factors left over, is a polynomial in N of degree `step`:
    its highest difference tells its leading coefficient, which the limit has in it."""
    low, slope, _ = series.polynomial
    term, total, values = _term(series), Fraction(0), []
    for last in range(series.first, series.first + series.step + 1):
        total += term(last)
        factors = 1
        for place in range(1, series.step + 1):
            factors *= slope * (last + place) + low
        values.append(total * factors)
    while len(values) > 1:
        values = [right - left for left, right in pairwise(values)]
    return Fraction(values[0] / factorial(series.step) / slope**series.step)


def _text(series: Series) -> str:
    numbers = series.polynomial
    if series.form == "factorial":
        return f"{joined([(numbers[0], 'k')])}*k!"
    if series.form == "telescoping":
        low, slope, above = numbers
        second = written([low + slope * series.step, slope], "k")
        return f"{above}/({_bracketed(written([low, slope], 'k'))}*({second}))"
    above, below = series.ratio
    if (above, below) == (1, 1):
        return _bracketed(written(numbers, "k"))
    ratio = f"({above}/{below})" if below > 1 else f"({above})" if above < 0 else f"{above}"
    if numbers == (1,):
        return f"{ratio}^k"
    return f"{_bracketed(written(numbers, 'k'))}*{ratio}^k"


def _bracketed(text: str) -> str:
    return f"({text})" if " " in text or text[0] == "-" else text


MOST, BOUND, DIGITS = 3000, 10**7, 120
LADDER = (
    Knobs(1, 1, 6, 12),
    Knobs(2, 2, 30, 30),
    Knobs(3, 2, 40, 40),
    Knobs(4, 3, 40, 60),
    Knobs(5, 3, 99, 99),
)
FAMILY = Family(
    Series,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="closed forms",
    guess_rate=0.05,
    steps=steps,
    inputs=("polynomial", "last"),
    twin=twin,
    skills=("series", "sequences", "fractions"),
    version=3,
)
