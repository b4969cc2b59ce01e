"""Extremum: the largest or smallest value of a function on an interval, or of what a story tells.

The answer is rational. `solve` looks at the ends and at the roots of the derivative. `verify`
looks for no place: M is the largest value if M - f has a root on the interval and never changes its
sign there, which Sturm's theorem decides.
"""

from dataclasses import dataclass
from math import isqrt
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.calculus._polynomials import (
    Exact,
    derived,
    from_roots,
    integrated,
    plus,
    product,
    rational_roots,
    remainder,
    sign_changes,
    trimmed,
    value,
    without_root,
)
from puzzlemill.generators.calculus._polynomials import text as written


@dataclass(frozen=True, slots=True)
class Knobs:
    form: int  # the hardest: 1 polynomial, 2 story, 3 quotient, 4 range
    degree: int  # of a polynomial
    number: int  # the largest number


@dataclass(frozen=True, slots=True)
class Question:
    form: str  # polynomial, box, product, wall, shop, quotient
    above: tuple[int, ...]  # the function's numerator, or the numbers of a story
    below: tuple[int, ...]  # its denominator
    low: int
    high: int
    asked: str  # largest, smallest, range


def generate(rng: Random, knobs: Knobs) -> Question | None:
    form = knobs.form if knobs.form > 2 else rng.choice((knobs.form, max(1, knobs.form - 1)))
    if form == 2:
        return _story(rng, knobs)
    asked = "range" if form == 4 else rng.choice(("largest", "smallest"))
    low = rng.randint(-6, 1)
    high = low + rng.randint(3, 8)
    if form in (1, 4) and (form == 1 or rng.random() < 0.6):
        roots = [rng.randint(low, high)]
        while len(roots) < knobs.degree - 1:
            roots.append(rng.randint(low - 1, high + 1))
        whole = integrated(from_roots(roots, rng.choice((-1, 1)) * rng.randint(1, 3)))
        shared = next(n for n in range(1, 61) if all((n * each).denominator == 1 for each in whole))
        numbers = [int(each * shared) for each in whole]
        numbers[0] = rng.randint(-knobs.number, knobs.number)
        return Question("polynomial", tuple(numbers), (1,), low, high, asked)
    return _quotient(rng, knobs, low, high, asked)


def solve(question: Question) -> Fraction | None:
    """The ends, and the places between them where the derivative is zero."""
    found = _function(question)
    if found is None:
        return None
    above, below, low, high = found
    numbers: list[Exact] = [*above, *below, low, high]
    if any(not -BOUND <= each <= BOUND for each in numbers):
        return None
    slope = plus(product(derived(above), below), product(above, derived(below)), -1)
    roots = rational_roots(slope)
    if roots is None:
        return None
    places = [low, high, *(root for root in roots if low < root < high)]
    values = [value(above, place) / value(below, place) for place in places]
    if question.asked == "range":
        return max(values) - min(values)
    return max(values) if question.asked == "largest" else min(values)


def verify(question: Question, answer: Fraction) -> float:
    found = _function(question)
    if found is None or max(abs(answer.numerator), answer.denominator) > BOUND**4:
        return 0.0
    above, below, low, high = found
    if question.asked != "range":
        sign = 1 if question.asked == "largest" else -1
        return float(_touches(plus(product(below, [answer]), above, -1), sign, low, high))
    # The two ends of the range are an answer apart: the smallest value is where one of them fits.
    for lowest in _lowest(above, below, low, high):
        top = plus(product(below, [lowest + answer]), above, -1)
        if _touches(top, 1, low, high):
            return 1.0
    return 0.0


def render(question: Question, style: Style) -> Prompt:
    if question.form in STORIES:
        return Prompt(_told(question, style), form=FORM)
    top = written(question.above)
    whole = top if question.form == "polynomial" else f"({top})/({written(question.below)})"
    low, high, asked = question.low, question.high, question.asked
    if asked == "range":
        text = style.pick(
            f"Let M be the largest and m the smallest value of f(x) = {whole} on the interval"
            f" {low} ≤ x ≤ {high}. Find M - m.",
            f"For {low} ≤ x ≤ {high}, by how much does the largest value of f(x) = {whole} exceed"
            " its smallest value?",
            f"On the closed interval [{low}, {high}], the function f(x) = {whole} has a largest"
            " and a smallest value. What is the difference between them?",
        )
        return Prompt(text, form=FORM)
    other = {"largest": "maximum", "smallest": "minimum"}[asked]
    text = style.pick(
        f"Find the {asked} value of f(x) = {whole} on the interval {low} ≤ x ≤ {high}.",
        f"What is the {other} of the function f(x) = {whole} for x from {low} to {high}, both ends"
        " included? Give the value of f, not of x.",
        f"On the closed interval [{low}, {high}], the function f(x) = {whole} takes its {other}"
        f" value. What is this value?",
    )
    return Prompt(text, form=FORM)


def steps(question: Question) -> list[str]:
    found = _function(question)
    if found is None:
        return []
    above, below, low, high = found
    slope = plus(product(derived(above), below), product(above, derived(below)), -1)
    roots = [root for root in rational_roots(slope) or [] if low < root < high]
    top = written(above)
    lines = [f"The function is {top if len(below) == 1 else f'({top})/({written(below)})'}"
             f" for {low} ≤ x ≤ {high}"]  # fmt: skip
    lines.append(f"Its derivative is zero where {written(slope)} = 0")
    for place in sorted({Fraction(low), Fraction(high), *roots}):
        lines.append(f"x = {place}: {value(above, place) / value(below, place)}")
    return [*lines, f"So the answer is {solve(question)}"]


def hardness(question: Question) -> float:
    found = _function(question)
    if found is None:
        return 0.0
    above, below, _, _ = found
    size = 8 * (len(above) - 1) + 12 * (len(below) - 1)
    digits = sum(len(str(abs(number))) for number in above)
    return size + digits + (20 if question.asked == "range" else 0) + 6 * (question.form in STORIES)


def canon(question: Question) -> list[object]:
    return [question.form, question.above, question.below, question.low, question.high,
            question.asked]  # fmt: skip


Function = tuple[list[Exact], list[Exact], Exact, Exact]


def _function(question: Question) -> Function | None:
    """Numerator, denominator and the two ends."""
    numbers = question.above
    match question.form:
        case "box":
            wide, long = numbers
            whole = product((0, wide, -2), (long, -2))
            return (whole, [1], 0, Fraction(min(wide, long), 2)) if min(numbers) > 0 else None
        case "product":
            total, first, second, times = numbers
            if not (0 < first < 9 and 0 < second < 9 and total > 0):
                return None
            whole = from_roots([total] * second, times * (-1) ** second)
            return [*[0] * first, *whole], [1], 0, total
        case "wall":
            length, parts = numbers
            if length < 1 or not 0 < parts < 100:
                return None
            return [0, length, -parts], [1], 0, Fraction(length, parts)
        case "shop":
            price, sold, cut, more = numbers
            if min(numbers) < 1:
                return None
            return (
                [price * sold, price * more - cut * sold, -cut * more],
                [1],
                0,
                Fraction(price, cut),
            )
    if not question.low < question.high or not any(question.above):
        return None
    below: list[Exact] = list(question.below)
    if len(below) > 1 and (
        value(below, question.low) <= 0 or sign_changes(below, question.low, question.high)
    ):
        return None
    return list(question.above), below, question.low, question.high


def _touches(gap: list[Exact], sign: int, low: Exact, high: Exact) -> bool:
    """Whether sign * gap is never negative on the interval, and somewhere zero."""
    gap = trimmed([sign * each for each in gap])
    if not gap:
        return True
    touched = not value(gap, low) or sign_changes(gap, low, high) > 0
    inside = gap
    for end in (low, high):
        while not value(inside, end):
            inside = without_root(inside, end)[0]
    odd = _odd_part(inside)
    if sign_changes(odd, low, high):
        return False
    middle = (low + high) / Fraction(2)
    while not value(gap, middle):
        middle = (low + middle) / 2
    return touched and value(gap, middle) > 0


def _odd_part(polynomial: list[Exact]) -> list[Exact]:
    """A polynomial whose roots are those at which this one changes its sign, each once (Yun)."""
    left, found, often = polynomial, [Fraction(1)], 1
    parts: list[Exact] = list(found)
    shared = _shared(left, trimmed(derived(left)))
    once = _over(left, shared)
    while len(once) > 1:
        deeper = _shared(once, shared)
        if often % 2:
            parts = product(parts, _over(once, deeper))
        shared, once, often = _over(shared, deeper), deeper, often + 1
    return parts


def _shared(one: list[Exact], other: list[Exact]) -> list[Exact]:
    while other:
        one, other = other, remainder(one, other)
    return one


def _over(above: list[Exact], below: list[Exact]) -> list[Exact]:
    """The quotient of a division that leaves nothing."""
    left, found = [Fraction(each) for each in above], list[Exact]()
    while len(left) >= len(below):
        factor = left[-1] / below[-1]
        found.append(factor)
        start = len(left) - len(below)
        for place, number in enumerate(below):
            left[start + place] -= factor * number
        left.pop()
    return found[::-1]


def _lowest(above: list[Exact], below: list[Exact], low: Exact, high: Exact) -> list[Fraction]:
    """Values at the ends and at rational places between them that are never gone below."""
    steps = 12 * int(high - low)
    places = [low + Fraction(place, 12) for place in range(steps + 1)]
    values = sorted({value(above, place) / value(below, place) for place in places})
    return [
        least
        for least in values[:1]
        if _touches(plus(product(below, [least]), above, -1), -1, low, high)
    ]


def _story(rng: Random, knobs: Knobs) -> Question:
    numbers: tuple[int, ...]
    form = rng.choice(("box", "product", "product", "wall", "wall", "shop", "shop", "shop"))
    if form == "box":
        # Sides a and b with a whole root of a^2 - ab + b^2, so that the best cut is rational.
        long = rng.randint(8, 40)
        sides = [
            (wide, long)
            for wide in range(3, long + 1)
            if isqrt(wide * wide - wide * long + long * long) ** 2
            == wide * wide - wide * long + long * long
        ]
        numbers = rng.choice(sides)
        times = rng.randint(1, 9)
        numbers = (numbers[0] * times, numbers[1] * times)
    elif form == "product":
        first, second = rng.choice(((1, 1), (1, 2), (2, 1), (1, 3), (2, 3), (3, 1), (2, 2), (3, 2)))
        numbers = (
            rng.randint(2, 3 * knobs.number) * (first + second),
            first,
            second,
            rng.randint(1, 9),
        )
    elif form == "wall":
        numbers = (rng.randint(40, 50 * knobs.number), rng.randint(2, 6))
    else:
        numbers = (rng.randint(12, 60), 10 * rng.randint(5, 40), rng.randint(1, 3),
                   rng.randint(2, 20))  # fmt: skip
    return Question(form, numbers, (1,), 0, 0, "largest")


def _quotient(rng: Random, knobs: Knobs, low: int, high: int, asked: str) -> Question | None:
    """(x + p) / (x^2 + q) with p^2 + q a square: the slope is zero at -p ± its root."""
    shift = rng.randint(-8, 8)
    root = rng.randint(abs(shift) + 1, abs(shift) + 6)
    times = rng.choice((-1, 1)) * rng.randint(1, knobs.number)
    place = -shift + rng.choice((-1, 1)) * root
    low = place - rng.randint(1, 5)
    high = place + rng.randint(1, 6)
    added = rng.randint(-3, 3) if knobs.degree > 4 else 0
    below = (root * root - shift * shift, 0, 1)
    above = plus((shift * times, times), below, added)
    return Question("quotient", tuple(int(each) for each in above), below, low, high, asked)


def _many(number: int) -> str:
    return "x" if number == 1 else f"{number}x"


def _told(question: Question, style: Style) -> str:
    numbers = question.above
    match question.form:
        case "box":
            wide, long = numbers
            return style.pick(
                f"From a rectangular sheet of card, {wide} cm by {long} cm, equal squares are cut"
                " off at the four corners, and the sides are folded up to make an open box. What"
                " is the largest possible volume of the box, in cubic centimetres?",
                f"An open box is to be folded from a sheet measuring {wide} cm by {long} cm by"
                " cutting a square of the same size out of each corner. Find the greatest volume"
                " that the box can have, in cm^3.",
                f"A sheet of tin is {wide} cm wide and {long} cm long. Squares of side x cm are"
                " removed from its four corners and the flaps are turned up, which makes a tray"
                " without a lid. How many cubic centimetres can the tray hold at most, if x may be"
                " any real number that is possible?",
            )
        case "product":
            total, first, second, times = numbers
            power = f"{times} * x^{first} * y^{second}".replace("^1 ", " ").removesuffix("^1")
            power = power.removeprefix("1 * ")
            return style.pick(
                f"The real numbers x and y are not negative and x + y = {total}. What is the"
                f" largest possible value of {power}?",
                f"Split {total} into two non-negative real numbers x and y (so x + y = {total})"
                f" such that {power} is as large as possible. What is this largest value?",
                f"Find the maximum of {power} among all real x ≥ 0 and y ≥ 0 whose sum is {total}.",
            )
        case "wall":
            length, parts = numbers
            return style.pick(
                f"A farmer has {length} m of fence. She fences a rectangular field along a"
                f" straight wall, which needs no fence, using {parts} fences of equal length at"
                " right angles to the wall and one fence parallel to it. What is the largest total"
                " area of the field, in square metres?",
                f"A rectangular yard lies against a long wall. Its fence consists of one piece"
                f" parallel to the wall and {parts} equally long pieces perpendicular to the wall;"
                f" along the wall there is none. With {length} m of fence in all, what is the"
                " greatest area of the whole yard, in square metres?",
                f"With {length} metres of fencing, a rectangle beside a river is to be enclosed:"
                f" one length of fence opposite the river bank and {parts} of equal length at right"
                " angles to the bank, none along the bank. Find the maximum area of the rectangle"
                " in square metres.",
            )
        case _:
            price, sold, cut, more = numbers
            euros = "1 euro" if cut == 1 else f"{cut} euros"
            return style.pick(
                f"At a price of {price} euros a shop sells {sold} tickets a day. Each time the"
                f" price is lowered by {euros}, it sells {more} tickets more. Suppose the same rule"
                f" holds for every real number x ≥ 0 of such cuts, so that the income in euros is"
                f" ({price} - {_many(cut)})({sold} + {_many(more)}). What is the largest possible"
                " income a day, in euros?",
                f"A cinema charges {price} euros and has {sold} visitors a day. Lowering the price"
                f" by {cut} times x euros brings {more} times x more visitors, where x ≥ 0 may be"
                " any real number. Find the highest possible income a day (price times visitors),"
                " in euros.",
                f"The income of a museum is its entrance fee times its number of visitors. With"
                f" x ≥ 0 a real number, the fee is {price} - {_many(cut)} euros and the number of"
                f" visitors is {sold} + {_many(more)}. What is the maximum of the income, in"
                " euros?",
            )


STORIES = ("box", "product", "wall", "shop")
FORM = "a number (an integer or an exact fraction, such as 27/4)"
BOUND = 10**9
LADDER = (
    Knobs(1, 2, 9),
    Knobs(1, 3, 20),
    Knobs(2, 4, 20),
    Knobs(3, 5, 20),
    Knobs(4, 6, 30),
)
FAMILY = Family(
    Question,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="the ends, and the rational roots of the derivative",
    guess_rate=0.08,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("derivatives", "functions", "polynomials"),
    version=2,
)
