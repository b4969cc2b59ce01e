"""Lists in order: of whole numbers, of exact numbers, of words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import TypeVar

from puzzlemill.core.answers.doubts import NO_NAME
from puzzlemill.core.answers.flat_list import (
    chained,
    empty_ways,
    list_ways,
    listed,
    node_ways,
    parted,
)
from puzzlemill.core.answers.form import plain
from puzzlemill.core.answers.grid import Grid
from puzzlemill.core.answers.labels import label_ways, labelled
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
from puzzlemill.core.answers.notations import Notation, digits_apart, notation_ways, respelled
from puzzlemill.core.answers.rational import Number
from puzzlemill.core.answers.spelling import says_nothing, tidy
from puzzlemill.core.fraction import Fraction

T = TypeVar("T")

_PLAIN = re.compile(  # as `write` writes it
    r"-?[0-9]{1,400}(?P<between>,? )-?[0-9]{1,400}(?:(?P=between)-?[0-9]{1,400}){0,4000}"
)
_SIMPLE = re.compile(r"[+-]?[0-9]{1,400}(?:/0{0,99}[1-9][0-9]{0,300}|\.[0-9]{1,400})?")
_FRAC = re.compile(r"\\[dt]?frac(?![A-Za-z])")
_LETTER = re.compile(r"[A-Za-z=,\\]")
_POINT = re.compile(r"(?:the )?(?:point )?[A-Z]'?(?:_?\d)? ?(?=\([^()]{1,2000}\)$)", re.ASCII)
_VECTOR = re.compile(r"[^=,;()\[\]<>|\n]{1,60}= ?(?=[(\[<\\])")  # u * v =
_MIXED = re.compile(r"(?:^| )[+-]?[0-9]{1,400} (?=([0-9]{1,400})/([0-9]{1,400})(?: |$))")


@dataclass(frozen=True, slots=True)
class IntList:
    """Whole numbers in order: "1, 2, 3", "[1 2 3]", "1 -> 2 -> 3", one a line."""

    form: str = "a list of integers"
    between: str = ", "  # what `write` puts between the numbers
    reorders: bool = False  # the answer is made of the numbers that the prompt gives
    empty: bool = False  # whether there may be no numbers at all
    rows: bool = False  # whether the list may also be laid out in rows of the same length
    names: tuple[str, ...] = ()  # what the prompt calls the numbers
    notations: tuple[Notation, ...] = ()  # others that the prompt uses

    def read(self, text: str) -> tuple[int, ...] | None:
        if not self.notations and _PLAIN.fullmatch(text):
            return tuple(map(int, text.replace(",", "").split(" ")))
        if self.empty and says_nothing(text):
            return ()
        if (parts := labelled(plain(text), self.names)) and (named := read_ints(parts)):
            return named
        found = parted(respelled(tidy(text), self.notations), "ints")
        if found and len(found.items) == 1 and "digits" in self.notations:
            return read_ints(digits_apart(found.items[0]))
        values = read_ints(found.items) if found else None
        if values and len(values) == 1 and values[0] > 9 and "digits" in self.notations:
            return None  # +10 or [10]: written down, it is 1, 0
        if values is None and self.rows and (laid_out := Grid().read(text)):
            return tuple(number for row in laid_out for number in row)
        return values

    def write(self, answer: tuple[int, ...]) -> str:
        return self.between.join(["%d"] * len(answer)) % (*answer,) or "none"

    def ways(self, answer: tuple[int, ...]) -> list[str]:
        if not answer:
            return empty_ways()
        parts = [str(number) for number in answer]
        ways = [*list_ways(parts), _column(parts), " ".join(parts)]
        return [*ways, *label_ways(self.names, parts), *notation_ways(parts, self.notations)]

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
    names: tuple[str, ...] = ()  # what the prompt calls the numbers

    def read(self, text: str) -> tuple[Fraction, ...] | None:
        if self.empty and says_nothing(text):
            return ()
        bare_text = plain(text)
        if parts := labelled(bare_text, self.names):
            named = complete(read_number(part) for part in parts)
            if named is not None:
                return named
        found = listed(_uncalled(bare_text) or text, "ints")
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
        ways = [*list_ways(parts), *blanks, _column(latex), f"({commas})", commas]
        return [*ways, f"P({', '.join(parts)})", *label_ways(self.names, parts)]

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
    names: tuple[str, ...] = ()  # what the prompt calls the places of the list
    same: tuple[tuple[str, str], ...] = ()  # other words, and those that they stand for
    idle: tuple[str, ...] = ()  # words that say nothing within a phrase: "the", "and"
    capitals: bool = False  # whether they are written so, as the names of states are
    step: str = ""  # the first item is a number, and may be called so: "Step 4: a b"

    def read(self, text: str) -> tuple[str, ...] | None:
        body = tidy(text)
        if self.step and "\n" not in body and (counted := _counting(self.step).match(body)):
            body = f"{counted[1]} {body[counted.end() :]}"
        if self.idle:
            body = _without(self.idle).sub("", body)
        if self.reorders:
            body = chained(body)
        parts = labelled(plain(text), self.names)
        found = None if parts else parted(body, self.items)
        values = read_words(parts or (found.items if found else ()), self.items) or None
        if values is not None and self.same:
            other = dict(self.same)
            values = tuple(other.get(word, word) for word in values)
        if self.empty and (says_nothing(text) or (values and says_nothing(self.write(values)))):
            return ()
        return values

    def write(self, answer: tuple[str, ...]) -> str:
        said = (", " if self.items in ("phrases", "nodes") else " ").join(answer)
        return (said.upper() if self.capitals else said) or "none"

    def ways(self, answer: tuple[str, ...]) -> list[str]:
        if not answer:
            return empty_ways()
        titles = ", ".join(map(titled, answer))
        latex = ", ".join(f"\\text{{{word}}}" for word in answer)
        run = "".join(answer)
        runs = [run] if self.items == "letters" and run not in HEDGES | {"none"} else []
        decimals = node_ways(answer) if self.items == "nodes" else []
        ways = [*list_ways(answer), titles, latex, *runs, *decimals]
        ways += label_ways(self.names, answer)
        if self.step and len(answer) > 1:
            number, rest = answer[0], " ".join(answer[1:])
            ways += [f"{self.step.title()} {number}: {rest}", f"{number}: {rest}"]
        if self.reorders and len(answer) > 1 and self.items != "phrases":
            ways += [" < ".join(answer), " > ".join(map(titled, answer))]
        if "and" in self.idle:
            ways = [way for way in ways if " and " not in way]
        return [*ways, *_otherwise(answer, self.same)]

    def near(self, answer: tuple[str, ...], rng: Random) -> tuple[str, ...]:
        if not answer:
            return drawn_words(answer, 1, rng)
        place = rng.randrange(len(answer))
        changed = _rearranged(answer, place, rng)
        if rng.random() < 0.2 or tuple(changed) == answer:
            changed = list(answer)
            other = another(changed[place], self.known, rng)
            changed[place] = dict(self.same).get(other) or other
        return tuple(changed)

    def guess(self, answer: tuple[str, ...], rng: Random) -> tuple[str, ...]:
        if self.reorders:
            return tuple(rng.sample(answer, len(answer)))
        if self.known:
            return tuple(rng.choices(self.known, k=len(answer)))
        return drawn_words(answer, len(answer), rng)

    def among(self, known: Sequence[str]) -> "WordList":
        return replace(self, known=tuple(name.lower() for name in known))


@lru_cache(maxsize=200)
def _counting(step: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{step} )?(\d{{1,4}})(?::| -|\.) (?=[^ ])", re.IGNORECASE | re.ASCII)


@lru_cache(maxsize=200)
def _without(idle: tuple[str, ...]) -> re.Pattern[str]:
    """The idle words within a phrase; "and" after a comma goes as well."""
    words = "|".join(map(re.escape, idle))
    return re.compile(
        rf"^(?:(?:{words}) )+|(?<=[\w,;]) (?:{words})(?= )", re.IGNORECASE | re.MULTILINE
    )


def _otherwise(answer: Sequence[str], same: Sequence[tuple[str, str]]) -> list[str]:
    """The list in the other words that there are for its own."""
    other = {word: other for other, word in reversed(same)}
    said = [other.get(word, word) for word in answer]
    return [", ".join(said)] if said != list(answer) else []


def read_number(text: str) -> Fraction | None:
    """An item of a list or a matrix: a number without name or unit."""
    text = bare(text)
    if _SIMPLE.fullmatch(text):
        return Fraction(text)
    if not text or text.endswith("."):  # "1." may count something
        return None
    return None if _LETTER.search(_FRAC.sub("", text)) else Number(units=False).read(text)


def _uncalled(text: str) -> str | None:
    """The coordinates of "P(1, 2)", the components of "u * v = (1, 2)"."""
    match = _POINT.match(text) or _VECTOR.match(text)
    if match is None or NO_NAME.intersection(re.findall(r"(?<![\\a-z])[a-z]+", match[0].lower())):
        return None
    return text[match.end() :]


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
