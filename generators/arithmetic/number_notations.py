"""Number notations: numbers in words, Roman numerals, percent and more, to be ranked and added.

The puzzle holds each number as a ratio and the policy sees its notation: `solve` reads the texts
back and sorts; `verify` takes the ratios and counts for each number how many are larger.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core.answers.numerals import spelled
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.arithmetic._decimals import Exact, decimal

Number: TypeAlias = tuple[str, int, int]  # notation, numerator, denominator


@dataclass(frozen=True, slots=True)
class Knobs:
    count: int  # numbers in the list
    digits: int  # significant ones in which neighbours may still be equal
    notations: Literal["plain", "usual", "all"]  # which ways to write a number may occur
    task: Literal["extreme", "rank", "gap", "all"]  # which questions may occur
    negative: bool  # whether there are numbers below zero


@dataclass(frozen=True, slots=True)
class Numbers:
    numbers: tuple[Number, ...]
    task: Literal["rank", "gap", "top", "bottom"]
    first: int  # a rank from the largest, 1; or how many are added
    second: int  # a lower rank, for a gap


def generate(rng: Random, knobs: Knobs) -> Numbers | None:
    count = knobs.count
    task: Literal["rank", "gap", "top", "bottom"] = "rank"
    first, second = rng.choice((1, count)), 0
    if knobs.task == "rank":
        first = rng.randint(1, count)
    elif knobs.task != "extreme":
        task = "gap" if knobs.task == "gap" else rng.choice(("gap", "top", "bottom"))
        first = rng.randint(1, count - 1) if task == "gap" else rng.randint(2, count - 1)
        second = rng.randint(first + 1, count) if task == "gap" else 0
    names = list(NOTATIONS[knobs.notations])
    notations = [names[place % len(names)] for place in range(count)]
    if count > len(names):
        notations = names + [rng.choice(names) for _ in range(count - len(names))]
    elif count < len(names):
        notations = rng.sample(names, count)
    rng.shuffle(notations)
    return twin(rng, knobs, Numbers(tuple((name, 1, 1) for name in notations), task, first, second))


def twin(rng: Random, knobs: Knobs, numbers: Numbers) -> Numbers | None:
    """Other numbers in the same notations, near each other, no two equal."""
    for _ in range(20):
        centre = Fraction(rng.randint(20, 300), rng.choice((1, 10)))
        if "roman" in {name for name, _, _ in numbers.numbers}:
            centre = Fraction(rng.randint(20, 900))
        drawn = [_drawn(rng, knobs, name, centre) for name, _, _ in numbers.numbers]
        values = [Fraction(above, below) for _, above, below in drawn]
        if len(set(values)) == len(values):
            return Numbers(tuple(drawn), numbers.task, numbers.first, numbers.second)
    return None


def solve(numbers: Numbers) -> Fraction | None:
    """Read every text, sort, and pick or add."""
    values = sorted((_read(_written(number)) for number in numbers.numbers), reverse=True)
    first, second = numbers.first, numbers.second
    match numbers.task:
        case "rank":
            return values[first - 1]
        case "gap":
            return values[first - 1] - values[second - 1]
        case "top":
            return sum(values[:first], Fraction(0))
        case _:
            return sum(values[-first:], Fraction(0))


def verify(numbers: Numbers, answer: Fraction) -> float:
    values = [Fraction(above, below) for _, above, below in numbers.numbers]
    rank = {value: 1 + sum(other > value for other in values) for value in values}
    count, first = len(values), numbers.first
    total = Fraction(0)
    for value, place in rank.items():
        match numbers.task:
            case "rank":
                total += value * (place == first)
            case "gap":
                total += value * ((place == first) - (place == numbers.second))
            case "top":
                total += value * (place <= first)
            case _:
                total += value * (place > count - first)
    return float(total == answer)


def render(numbers: Numbers, style: Style) -> Prompt:
    listed = "\n".join(f"- {_written(number)}" for number in numbers.numbers)
    asked = _asked(numbers) + _note(listed)
    return Prompt(
        style.pick(
            f"Here are some numbers, each written in its own way:\n\n{listed}\n\n{asked}",
            f"{asked}\n\n{listed}",
            f"Compare these {len(numbers.numbers)} numbers.\n\n{listed}\n\n{asked}",
        ),
        form="the exact value in ordinary digits, as an integer, a decimal number or a fraction in"
        " lowest terms",
    )


def steps(numbers: Numbers) -> list[str]:
    values = {_written(number): Fraction(*number[1:]) for number in numbers.numbers}
    lines = [f"{text} is {decimal(value)}" for text, value in values.items()]
    ranked = sorted(values.values(), reverse=True)
    lines.append(f"From the largest: {', '.join(map(decimal, ranked))}")
    found = solve(numbers)
    assert found is not None, "every puzzle has an answer"
    return [*lines, f"The answer is {decimal(found)}"]


def hardness(numbers: Numbers) -> float:
    """Digits and words to be read, and numbers to be compared and combined."""
    work = {"rank": 1, "gap": 2}.get(numbers.task, 1 + numbers.first)
    read = sum(len(_written(number)) for number in numbers.numbers)
    return read * (1 + len(numbers.numbers) + 3 * work)


def canon(numbers: Numbers) -> tuple[list[Number], str, int, int]:
    return sorted(numbers.numbers), numbers.task, numbers.first, numbers.second


def _drawn(rng: Random, knobs: Knobs, notation: str, centre: Fraction) -> Number:
    """A number near the centre that the notation can write."""
    near = centre * (1 + Fraction(rng.randint(-999, 999), 999 * 3 ** (knobs.digits - 1)))
    sign = -1 if knobs.negative and notation != "roman" and rng.random() < 0.4 else 1
    match notation:
        case "roman" | "whole words":
            value = Fraction(max(round(near), 1))
        case "fraction" | "mixed":
            below = rng.choice(BELOW)
            above = max(round(near * below), 1)
            value = Fraction(above + (gcd(above, below) > 1), below)
        case _:
            places = knobs.digits - len(str(int(near))) + rng.choice((0, 1))
            unit = Fraction(1, 10 ** max(places, 1))
            value = max(round(near / unit), 1) * unit
    value *= sign
    return notation, value.numerator, value.denominator


def _written(number: Number) -> str:
    notation, above, below = number
    value = Fraction(above, below)
    minus, size = "-" if above < 0 else "", abs(value)
    match notation:
        case "roman":
            return _roman(int(size))
        case "words" | "whole words":
            return ("minus " if minus else "") + _words(size)
        case "percent":
            return f"{minus}{decimal(size * 100)}%"
        case "fraction":
            return f"{above}/{below}" if below > 1 else f"{3 * above}/3"
        case "mixed":
            whole, rest = divmod(size, 1)
            rest_text = f" {rest}" if rest and whole else f"{rest}" if rest else ""
            return f"{minus}{whole or ''}{rest_text}"
        case "scientific":
            return f"{minus}{_scientific(size)}"
        case "thousandths":
            return f"{minus}{decimal(size / 1000)} thousand"
        case "thousands":
            before, _, part = decimal(size * 1000).partition(".")
            return f"{minus}{int(before):,}{'.' * bool(part)}{part} thousandths"
        case _:
            return minus + decimal(size)


def _words(size: Fraction) -> str:
    whole, _, part = decimal(size).partition(".")
    said = spelled(int(whole))
    return said + (" point " + " ".join(spelled(int(digit)) for digit in part) if part else "")


def _scientific(size: Fraction) -> str:
    """One digit before the point, times a power of ten."""
    exponent = 0
    while size >= 10:
        size, exponent = size / 10, exponent + 1
    while size < 1:
        size, exponent = size * 10, exponent - 1
    return f"{decimal(size)} * 10^{exponent}"


def _roman(number: int) -> str:
    found = ""
    for sign, worth in ROMAN.items():
        while number >= worth:
            found, number = found + sign, number - worth
    return found


def _read(text: str) -> Fraction:
    """The value of a text in any of the notations."""
    minus = text.startswith(("-", "minus "))
    text = text.removeprefix("minus ").removeprefix("-")
    if re.fullmatch("[IVXLCDM]+", text):
        value = _from_roman(text)
    elif text[-1].isalpha() and text[0].isalpha():
        value = _from_words(text.split())
    elif text.endswith("%"):
        value = Fraction(text[:-1]) / 100
    elif text.endswith(" thousand"):
        value = Fraction(text.removesuffix(" thousand")) * 1000
    elif text.endswith(" thousandths"):
        value = Fraction(text.removesuffix(" thousandths").replace(",", "")) / 1000
    elif "^" in text:
        size, exponent = text.split(" * 10^")
        value = Fraction(f"{size}e{exponent}")
    else:
        value = sum(map(Fraction, text.split()), Fraction(0))
    return -value if minus else value


def _from_roman(text: str) -> Fraction:
    """A sign before a larger one counts against it."""
    worths = [ROMAN[sign] for sign in text]
    after = [*worths[1:], 0]
    return Fraction(sum(-own if own < next_ else own for own, next_ in zip(worths, after)))


def _from_words(words: list[str]) -> Fraction:
    known = {spelled(number): number for number in (*range(20), *range(20, 100, 10))}
    whole, part = words, list[str]()
    if "point" in words:
        whole, part = words[: words.index("point")], words[words.index("point") + 1 :]
    total = open_ = 0
    for word in " ".join(whole).replace("-", " ").split():
        if word == "thousand":
            total, open_ = total + 1000 * open_, 0
        else:
            open_ = open_ * 100 if word == "hundred" else open_ + known[word]
    digits = "".join(str(known[word]) for word in part)
    return total + open_ + Fraction(int(digits or 0), 10 ** len(digits))


def slips(rng: Random, numbers: Numbers, gold: Fraction) -> Iterator[Fraction]:
    """Numbers of other ranks are picked; then of ranks beside those."""
    values = sorted((Fraction(*number[1:]) for number in numbers.numbers), reverse=True)
    count, first = len(values), numbers.first
    chosen = [*range(first), *range(count - first, count)]
    chosen = {"rank": [first - 1], "gap": [first - 1, numbers.second - 1],
              "top": chosen[:first], "bottom": chosen[first:]}[numbers.task]  # fmt: skip
    for _ in range(SLIPS):
        free = [rank for rank in range(count) if rank not in chosen]
        place = rng.randrange(len(chosen))
        near = sorted(free, key=lambda rank: abs(rank - chosen[place]))
        chosen[place] = rng.choice(near if numbers.task == "rank" else near[:NEAR])
        picked = [values[rank] for rank in sorted(chosen)]
        yield picked[0] - picked[1] if numbers.task == "gap" else sum(picked, Fraction(0))


def _asked(numbers: Numbers) -> str:
    count, first = len(numbers.numbers), numbers.first
    match numbers.task:
        case "rank" if first in (1, count):
            return f"Which number is the {'largest' if first == 1 else 'smallest'}?"
        case "rank":
            return f"Which number is the {ORDINALS[first]} largest (the largest is the first)?"
        case "gap":
            return (
                f"Sort the numbers from the largest to the smallest. By how much is the"
                f" {ORDINALS[first]} in this order larger than the {ORDINALS[numbers.second]}?"
            )
        case _:
            which = "largest" if numbers.task == "top" else "smallest"
            return f"What is the sum of the {spelled(first)} {which} numbers?"


def _note(listed: str) -> str:
    note = " A comma groups digits in threes." if "," in listed else ""
    if re.search(r"^- -\d+ \d", listed, re.MULTILINE):
        note += " The sign of a mixed number is that of the whole of it: -2 1/3 is -7/3."
    return note


BELOW = (2, 3, 4, 6, 7, 8, 9, 11, 12)
ROMAN = {
    "M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10,
    "IX": 9, "V": 5, "IV": 4, "I": 1,
}  # fmt: skip
ORDINALS = (
    "", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth",
)  # fmt: skip
NOTATIONS = {
    "plain": ("plain", "whole words", "plain"),
    "usual": ("plain", "words", "percent", "fraction", "mixed"),
    "all": (
        "plain", "words", "whole words", "percent", "fraction", "mixed", "roman", "scientific",
        "thousandths", "thousands",
    ),
}  # fmt: skip
SLIPS = 20
NEAR = 3  # ranks, of which one is taken for another
LADDER = (
    Knobs(5, 1, "plain", "extreme", False),
    Knobs(5, 2, "usual", "rank", False),
    Knobs(6, 3, "all", "gap", False),
    Knobs(8, 3, "all", "gap", True),
    Knobs(11, 4, "all", "all", True),
)
FAMILY = Family(
    Numbers,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=Exact(),
    hardness=hardness,
    proof="unique",
    solver="reading every text, then sorting",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    twin=twin,
    slips=slips,
    slips_version=2,
    skills=("reading", "digits", "fractions"),
    peers=(
        "reasoning-gym/number_format",
        "reasoning-gym/number_sorting",
        "mathematics_dataset/kth_biggest",
    ),
)
