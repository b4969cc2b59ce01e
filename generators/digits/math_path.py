"""Math path: fill in the missing digits, so that the equation holds.

Many fillings can be right, so `verify` puts the digits in and calculates with fractions.
`generate` blanks out digits of a calculation; `solve` looks at what every term can come to by
itself, and where what the one half of them comes to meets what the other half needs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd, lcm
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction

BLANK = "?"
TRIES = 40
MOST_BLANKS = 3  # in a term

Digits: TypeAlias = tuple[int, ...]
Ratio: TypeAlias = tuple[int, int]  # in lowest terms
Term: TypeAlias = tuple[str, ...]  # a sign, then numbers and * or / in turn


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # on the left side
    digits: int  # of a number, at most
    products: float  # share of the terms that are products or quotients
    blanks: int  # missing digits


@dataclass(frozen=True, slots=True)
class Equation:
    left: tuple[Term, ...]
    right: str


def generate(rng: Random, knobs: Knobs) -> Equation | None:
    for _ in range(TRIES):
        left = [_term(rng, knobs, place) for place in range(knobs.terms)]
        right = sum(map(_value, left), Fraction(0))
        if right.denominator == 1 and 0 < right < 10 ** (knobs.digits + 2):
            break
    else:
        return None
    numbers = [list(term) for term in left] + [["+", str(right)]]
    places = [
        (term, word, at)
        for term, words in enumerate(numbers)
        for word in range(1, len(words), 2)
        for at in range(len(words[word]))
    ]
    rng.shuffle(places)
    blanked = [0] * len(numbers)
    for term, word, at in places:
        if sum(blanked) < knobs.blanks and blanked[term] < MOST_BLANKS:
            blanked[term] += 1
            old = numbers[term][word]
            numbers[term][word] = old[:at] + BLANK + old[at + 1 :]
    if sum(blanked) < min(knobs.blanks, len(places) - 1):
        return None
    *terms, (_, result) = numbers
    return Equation(tuple(map(tuple, terms)), result)


def solve(equation: Equation) -> Digits | None:
    terms = [*equation.left, ("-", equation.right)]
    blanks = [sum(word.count(BLANK) for word in term) for term in terms]
    half = min(range(1, len(terms)), key=lambda at: max(sum(blanks[:at]), sum(blanks[at:])))
    ways = [_ways(term) for term in terms]
    scale = lcm(*{under for each in ways for _, under in each})
    whole = [
        {over * (scale // under): digits for (over, under), digits in each.items()} for each in ways
    ]
    first, second = whole[:half], whole[half:]
    sums = _sums(first)
    for rest in _sums(second[1:]):
        for value in second[0]:
            if -(total := value + rest) in sums:
                return _parted(first, -total) + _parted(second, total)
    return None


def verify(equation: Equation, digits: Digits) -> float:
    blanks = _blanks(equation)
    if len(digits) != blanks or not all(0 <= digit <= 9 for digit in digits):
        return 0.0
    left = iter(digits)
    filled = [_filled(term, left) for term in equation.left]
    (right,) = _filled((equation.right,), left)
    numbers = [right, *(word for term in filled for word in term[1::2])]
    if any(number[0] == "0" and len(number) > 1 for number in numbers):
        return 0.0
    if any(sign == "/" and not int(word) for term in filled for sign, word in _signed(term)):
        return 0.0
    return float(sum(map(_value, filled), Fraction(0)) == int(right))


def recheck(equation: Equation, digits: Digits) -> bool:
    """In the printed line, with whole numbers only: both sides times all divisors."""
    line = _printed(equation)
    if line.count(BLANK) != len(digits) or any(digit not in range(10) for digit in digits):
        return False
    for digit in digits:
        line = line.replace(BLANK, str(digit), 1)
    over, under, term, divisor, sign = 0, 1, 0, 1, "+"
    left, right = line.split(" = ")
    for word in [*left.split(" "), "+"]:
        if word in ("+", "-"):
            over, under = over * divisor + term * under, under * divisor
            term, divisor, sign = (1 if word == "+" else -1), 1, word
        elif word in ("*", "/"):
            sign = word
        elif str(int(word)) != word:
            return False
        elif sign == "/":
            divisor *= int(word)
        else:
            term = int(word) if (term, sign) == (0, "+") else term * int(word)
    return bool(under) and str(int(right)) == right and over == int(right) * under


def render(equation: Equation, style: Style) -> Prompt:
    line, blanks = _printed(equation), _blanks(equation)
    rules = (
        f"Each {BLANK} is one digit from 0 to 9; different ones may stand for the same digit. No"
        " number of more than one digit begins with 0. Multiplication and division come before"
        " addition and subtraction, and go from left to right; divisions need not come out even,"
        " but the equation must hold exactly."
    )
    return Prompt(
        style.pick(
            f"Fill in the missing digits so that the equation holds:\n\n{line}\n\n{rules}",
            f"{line}\n\nSome digits of this equation got lost and are shown as {BLANK}. {rules}"
            " Find digits that make it right; if there are several ways, any of them will do.",
            f"Which digits can stand in place of the question marks?\n\n{line}\n\n{rules} One way"
            " is enough.",
        ),
        form=f"the {blanks} digits from left to right, separated by commas",
    )


def steps(equation: Equation) -> list[str]:
    """What each term comes to in the end, of how many values that it could."""
    digits = solve(equation)
    if digits is None:
        return []
    left, lines = iter(digits), []
    for term in equation.left:
        could = len(_ways(term))
        filled = _filled(term, left)
        value = _value(filled)
        if could > 1:
            lines.append(
                f"{' '.join(term[1:])}: one of {could} values, here {' '.join(filled[1:])} ="
                f" {abs(value)}"
            )
    (right,) = _filled((equation.right,), left)
    text = _printed(Equation(equation.left, equation.right))
    for digit in digits:
        text = text.replace(BLANK, str(digit), 1)
    return [*lines, f"Right side {right}: {text}"]


def hardness(equation: Equation) -> float:
    """Digits to find, and products to look through."""
    signs = sum(len(term) // 2 for term in equation.left)
    return _blanks(equation) * 2 + signs


def _term(rng: Random, knobs: Knobs, place: int) -> Term:
    sign = "-" if place and rng.random() < 0.4 else "+"
    number = str(_number(rng, knobs.digits))
    if rng.random() >= knobs.products:
        return sign, number
    if rng.random() < 0.6:
        return sign, number, "*", str(_number(rng, max(1, knobs.digits - 1)))
    divisor = rng.randint(2, 9)
    return sign, str(divisor * _number(rng, max(1, knobs.digits - 1))), "/", str(divisor)


def _number(rng: Random, digits: int) -> int:
    return rng.randint(2, 10 ** rng.randint(max(1, digits - 1), digits) - 1)


def _signed(term: Term) -> Iterator[tuple[str, str]]:
    """The numbers of a term with the signs before them."""
    return zip(("*", *term[2::2]), term[1::2])


def _value(term: Term) -> Fraction:
    value = Fraction(1)
    for sign, word in _signed(term):
        value = value * int(word) if sign == "*" else value / int(word)
    return -value if term[0] == "-" else value


def _filled(term: Term, digits: Iterator[int]) -> Term:
    return tuple(
        "".join(str(next(digits)) if sign == BLANK else sign for sign in word) for word in term
    )


def _ways(term: Term) -> dict[Ratio, Digits]:
    """What a term can come to, with the first digits for it."""
    values: list[tuple[int, int, Digits]] = [(-1 if term[0] == "-" else 1, 1, ())]
    for sign, word in _signed(term):
        readings = _readings(word)
        if sign == "*":
            values = [
                (over * number, under, digits + more)
                for over, under, digits in values
                for more, number in readings
            ]
        else:
            values = [
                (over, under * number, digits + more)
                for over, under, digits in values
                for more, number in readings
                if number
            ]
    found: dict[Ratio, Digits] = {}
    for over, under, digits in values:
        common = gcd(over, under)
        found.setdefault((over // common, under // common), digits)
    return found


def _readings(word: str) -> list[tuple[Digits, int]]:
    """The numbers that a word can stand for, each with its digits for the blanks."""
    found: list[tuple[Digits, int]] = [((), 0)]
    for at, sign in enumerate(word):
        choices = [*range(10)] if sign == BLANK else [int(sign)]
        if at == 0 and len(word) > 1:
            choices = [digit for digit in choices if digit]
        found = [
            ((*digits, digit) if sign == BLANK else digits, 10 * number + digit)
            for digits, number in found
            for digit in choices
        ]
    return found


def _sums(ways: Sequence[dict[int, Digits]]) -> dict[int, None]:
    """What terms can come to together, in an order in which the last term leads."""
    sums: dict[int, None] = {0: None}
    for each in reversed(ways):
        sums = {total + value: None for total in sums for value in each}
    return sums


def _parted(ways: Sequence[dict[int, Digits]], total: int) -> Digits:
    """The first digits with which terms come to this together; the last term leads."""
    if not ways:
        return ()
    first, *others = ways
    rest = next(rest for rest in _sums(others) if total - rest in first)
    return first[total - rest] + _parted(others, rest)


def _blanks(equation: Equation) -> int:
    return _printed(equation).count(BLANK)


def _printed(equation: Equation) -> str:
    words = [word for term in equation.left for word in term]
    return f"{' '.join(words[1:])} = {equation.right}"


LADDER = (
    Knobs(2, 1, 0.0, 2),
    Knobs(3, 2, 0.4, 3),
    Knobs(3, 3, 0.5, 5),
    Knobs(4, 3, 0.6, 7),
    Knobs(5, 4, 0.8, 8),
)
FAMILY = Family(
    Equation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="what the terms can come to, from two halves",
    guess_rate=0.15,
    steps=steps,
    skills=("calculation", "search"),
    peers=("SynLogic/math_path",),
    version=2,
)
