"""Lists in order: of whole numbers, of exact numbers, of words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import TypeVar

from puzzlemill.core.answers.flat_list import empty_ways, list_ways, listed, node_ways
from puzzlemill.core.answers.grid import Grid
from puzzlemill.core.answers.names import (
    HEDGES,
    Items,
    another,
    bare,
    complete,
    drawn_ints,
    drawn_words,
    read_ints,
    read_words,
    titled,
)
from puzzlemill.core.answers.rational import Number
from puzzlemill.core.answers.spelling import says_nothing

T = TypeVar("T")

_SIMPLE = re.compile(r"[+-]?[0-9]{1,400}(?:/0{0,99}[1-9][0-9]{0,300}|\.[0-9]{1,400})?")
_FRAC = re.compile(r"\\[dt]?frac(?![A-Za-z])")
_LETTER = re.compile(r"[A-Za-z=,\\]")
_MIXED = re.compile(r"(?:^| )[+-]?[0-9]{1,400} (?=([0-9]{1,400})/([0-9]{1,400})(?: |$))")


@dataclass(frozen=True, slots=True)
class IntList:
    """Whole numbers in order: "1, 2, 3", "[1 2 3]", "1 -> 2 -> 3", one a line."""

    form: str = "a list of integers"
    between: str = ", "  # what `write` puts between the numbers
    reorders: bool = False  # the answer is made of the numbers that the prompt gives
    empty: bool = False  # whether there may be no numbers at all
    rows: bool = False  # whether the list may also be laid out in rows of the same length

    def read(self, text: str) -> tuple[int, ...] | None:
        if self.empty and says_nothing(text):
            return ()
        found = listed(text, "ints")
        values = read_ints(found.items) if found else None
        if values is None and self.rows and (laid_out := Grid().read(text)):
            return tuple(number for row in laid_out for number in row)
        return values

    def write(self, answer: tuple[int, ...]) -> str:
        return self.between.join(map(str, answer)) or "none"

    def ways(self, answer: tuple[int, ...]) -> list[str]:
        if not answer:
            return empty_ways()
        parts = [str(number) for number in answer]
        return [*list_ways(parts), _column(parts), " ".join(parts)]

    def near(self, answer: tuple[int, ...], rng: Random) -> tuple[int, ...]:
        if not answer:
            return (rng.randrange(10),)
        place = rng.randrange(len(answer))
        changed = _rearranged(answer, place, rng)
        if rng.random() < 0.3 or tuple(changed) == answer:
            changed = list(answer)
            changed[place] += rng.choice([-1, 1])
        return tuple(changed)

    def guess(self, answer: tuple[int, ...], rng: Random) -> tuple[int, ...]:
        if self.reorders:
            return tuple(rng.sample(answer, len(answer)))
        return drawn_ints(answer, len(answer), rng)


@dataclass(frozen=True, slots=True)
class NumberList:
    """Exact numbers in order: "1/2, -3, 0.25", a vector."""

    form: str = "a list of numbers (integers or fractions in lowest terms), separated by commas"
    empty: bool = False

    def read(self, text: str) -> tuple[Fraction, ...] | None:
        if self.empty and says_nothing(text):
            return ()
        found = listed(text, "ints")
        if found is None:
            return None
        if found.between == " " and any(
            int(above) < int(below) for above, below in _MIXED.findall(" ".join(found.items))
        ):
            return None  # "1 1/2" is one number or two; "10 77/8" are two
        return complete(read_number(item) for item in found.items)

    def write(self, answer: tuple[Fraction, ...]) -> str:
        return ", ".join(map(str, answer)) or "none"

    def ways(self, answer: tuple[Fraction, ...]) -> list[str]:
        if not answer:
            return empty_ways()
        latex = [latex_number(number) for number in answer]
        parts = [str(number) for number in answer]
        blanks = [] if any(map(_mixed, answer, answer[1:])) else [" ".join(parts)]
        commas = ", ".join(latex)
        return [*list_ways(parts), *blanks, _column(latex), f"({commas})", commas]

    def near(self, answer: tuple[Fraction, ...], rng: Random) -> tuple[Fraction, ...]:
        if not answer:
            return (Fraction(rng.randrange(10)),)
        place = rng.randrange(len(answer))
        changed = _rearranged(answer, place, rng)
        if rng.random() < 0.5 or tuple(changed) == answer:
            changed = list(answer)
            changed[place] += rng.choice([Fraction(-1), Fraction(1), Fraction(1, 2)])
        return tuple(changed)

    def guess(self, answer: tuple[Fraction, ...], rng: Random) -> tuple[Fraction, ...]:
        return tuple(Number().guess(number, rng) for number in answer)


@dataclass(frozen=True, slots=True)
class WordList:
    """Words in order, in lower case: "a b c", "Anna, Ben".

    Phrases may hold spaces and are parted by commas, arrows or lines. Of letters the spaces may be
    left out.
    """

    form: str = "a list of words"
    reorders: bool = False
    empty: bool = False
    items: Items = "words"
    known: tuple[str, ...] = ()

    def read(self, text: str) -> tuple[str, ...] | None:
        found = listed(text, self.items)
        values = read_words(found.items, self.items) if found else None
        if self.empty and (says_nothing(text) or (values and says_nothing(self.write(values)))):
            return ()
        return values

    def write(self, answer: tuple[str, ...]) -> str:
        return (", " if self.items in ("phrases", "nodes") else " ").join(answer) or "none"

    def ways(self, answer: tuple[str, ...]) -> list[str]:
        if not answer:
            return empty_ways()
        titles = ", ".join(map(titled, answer))
        latex = ", ".join(f"\\text{{{word}}}" for word in answer)
        run = "".join(answer)
        runs = [run] if self.items == "letters" and run not in HEDGES | {"none"} else []
        decimals = node_ways(answer) if self.items == "nodes" else []
        return [*list_ways(answer), titles, latex, *runs, *decimals]

    def near(self, answer: tuple[str, ...], rng: Random) -> tuple[str, ...]:
        if not answer:
            return drawn_words(answer, 1, rng)
        place = rng.randrange(len(answer))
        changed = _rearranged(answer, place, rng)
        if rng.random() < 0.2 or tuple(changed) == answer:
            changed = list(answer)
            changed[place] = another(changed[place], self.known, rng)
        return tuple(changed)

    def guess(self, answer: tuple[str, ...], rng: Random) -> tuple[str, ...]:
        if self.reorders:
            return tuple(rng.sample(answer, len(answer)))
        if self.known:
            return tuple(rng.choices(self.known, k=len(answer)))
        return drawn_words(answer, len(answer), rng)

    def among(self, known: Sequence[str]) -> "WordList":
        return replace(self, known=tuple(name.lower() for name in known))


def read_number(text: str) -> Fraction | None:
    """An item of a list or a matrix: a number without name or unit."""
    text = bare(text)
    if _SIMPLE.fullmatch(text):
        return Fraction(text)
    if not text or text.endswith("."):  # "1." may count something
        return None
    return None if _LETTER.search(_FRAC.sub("", text)) else Number(units=False).read(text)


def latex_number(number: Fraction) -> str:
    if number.denominator == 1:
        return str(number)
    sign = "-" if number < 0 else ""
    return f"{sign}\\frac{{{abs(number.numerator)}}}{{{number.denominator}}}"


def _mixed(left: Fraction, right: Fraction) -> bool:
    """Whether two numbers with a space between them may be one, such as 1 1/2."""
    return left.denominator == 1 and 0 < right < 1


def _column(parts: list[str]) -> str:
    return "\\begin{pmatrix} " + " \\\\ ".join(parts) + " \\end{pmatrix}"


def _rearranged(answer: tuple[T, ...], place: int, rng: Random) -> list[T]:
    """Two items swapped, one left out, or one said twice."""
    changed = list(answer)
    other = rng.randrange(len(answer))
    match rng.randrange(3):
        case 0:
            changed[place], changed[other] = changed[other], changed[place]
        case 1 if len(changed) > 1:
            del changed[place]
        case _:
            changed.insert(place, changed[other])
    return changed
