"""Cryptarithm: letters stand for digits, and a calculation with words is right.

There is one assignment of digits to letters. `generate` calculates with numbers, writes their
digits as letters, and gives letters away until the others follow; `solve` keeps all assignments for
which the last columns are right, that is modulo a power of the base, one more column at a time;
`verify` puts the digits in.
"""

from dataclasses import dataclass, replace
from itertools import chain
from math import prod
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.values import values_named
from puzzlemill.core.prose import listed

LETTERS = "BCDEFGHJKLMNPQRSTUVWYZ"
DIGIT = "int8"  # in numpy; there are millions of them
BASES = (8, 9, 10, 11, 12)

Term: TypeAlias = tuple[str, tuple[str, ...]]  # sign, words that are multiplied


@dataclass(frozen=True, slots=True)
class Knobs:
    terms: int  # numbers or products on the left side
    digits: int  # of the longest number of a sum
    base: int  # of the numbers, at most: in turn one that is no further from ten
    minus: float  # share of the terms after the first that are subtracted
    times: float  # share of puzzles in which the first term is a product


@dataclass(frozen=True, slots=True)
class Calculation:
    left: tuple[Term, ...]  # the first one's sign is +
    right: str
    base: int
    given: tuple[tuple[str, int], ...]  # letters whose digits are told


def generate(rng: Random, knobs: Knobs) -> Calculation | None:
    base = rng.choice([number for number in BASES if abs(number - 10) <= knobs.base - 10])
    signs = ["-" if rng.random() < knobs.minus else "+" for _ in range(knobs.terms - 1)]
    terms: list[tuple[str, tuple[int, ...]]] = [
        (sign, (_number(rng, base, knobs.digits - rng.randrange(2)),)) for sign in signs
    ]
    terms.insert(0, ("+", _first(rng, base, knobs.digits, rng.random() < knobs.times)))
    result = sum(prod(factors) if sign == "+" else -prod(factors) for sign, factors in terms)
    if result < base:
        return None
    letters = rng.sample(LETTERS, base)
    left = tuple((sign, tuple(_word(it, letters, base) for it in them)) for sign, them in terms)
    calculation = Calculation(left, _word(result, letters, base), base, ())
    return _with_hints(rng, calculation, {letter: at for at, letter in enumerate(letters)})


def solve(calculation: Calculation) -> Pairs | None:
    letters, found = _assignments(calculation)
    if len(found) != 1:
        return None
    return tuple(sorted((each.lower(), str(digit)) for each, digit in zip(letters, found[0])))


def verify(calculation: Calculation, pairs: Pairs) -> float:
    digits = {
        letter.upper(): int(text)
        for letter, text in pairs
        if text.isdecimal() and len(text) < 3 and int(text) < calculation.base
    }
    if len(pairs) != len(digits) or sorted(digits) != _letters(calculation):
        return 0.0
    if len(set(digits.values())) < len(digits):
        return 0.0
    if any(digits[letter] != digit for letter, digit in calculation.given):
        return 0.0
    if any(digits[word[0]] == 0 for word in _words(calculation)):
        return 0.0

    def number(word: str) -> int:
        return sum(
            digits[letter] * calculation.base**place for place, letter in enumerate(word[::-1])
        )

    total = 0
    for sign, words in calculation.left:
        product = prod(map(number, words))
        total += product if sign == "+" else -product
    return float(total == number(calculation.right))


def render(calculation: Calculation, style: Style) -> Prompt:
    base, letters = calculation.base, ", ".join(_letters(calculation))
    text = _text(calculation)
    if base == 10:
        digits, values = "a digit from 0 to 9", ""
    else:
        digits = f"a digit from 0 to {base - 1}"
        values = (
            f" All numbers are written in base {base}: each place is worth {base} times the place"
            " to its right."
        )
    rules = "No number begins with 0."
    if calculation.given:
        said = listed([f"{letter} = {digit}" for letter, digit in calculation.given])
        rules += f" It is known that {said}."
    if base > 10:
        rules += f" Give every digit as a decimal number from 0 to {base - 1}."
    return Prompt(
        style.pick(
            f"Each letter stands for {digits}, different letters for different digits, and the"
            f" calculation is right:\n\n{text}\n\n{rules}{values} Which digit is each letter?",
            f"Solve this cryptarithm:\n\n{text}\n\nEvery letter is to be replaced by {digits}, the"
            " same letter always by the same digit and no two letters by the same one, so that the"
            f" equation holds.{values} {rules}",
            f"In the equation {text} the digits were replaced by letters, each digit always by the"
            f" same letter and different digits by different letters.{values} {rules} Recover the"
            " digits; there is only one way.",
        ),
        form=f"one letter = digit pair a line, for each of {letters}",
    )


def steps(calculation: Calculation) -> list[str]:
    """What each column settles, from the right, with the assignment that is left in the end."""
    pairs = solve(calculation)
    if pairs is None:
        return []
    digits = {letter.upper(): int(text) for letter, text in pairs}
    known = {letter for letter, _ in calculation.given}
    lines = []
    for place in range(len(calculation.right)):
        column = [word[-1 - place] for word in _words(calculation) if place < len(word)]
        new = sorted(set(column) - known)
        known |= set(column)
        modulus = calculation.base ** (place + 1)
        said = ", ".join(f"{letter} = {digits[letter]}" for letter in new) or "nothing new"
        lines.append(f"Column {place + 1} from the right, modulo {modulus}: {said}")
    rest = sorted(set(digits) - known)
    if rest:
        lines.append("From what is left: " + ", ".join(f"{each} = {digits[each]}" for each in rest))
    written = _text(calculation)
    for letter, digit in digits.items():
        written = written.replace(letter, f"{digit} " if calculation.base > 10 else str(digit))
    return [*lines, f"Together: {' '.join(written.split())}"]


def progress(calculation: Calculation, lines: Lines) -> float:
    return values_named(FAMILY, calculation, lines)


def canon(calculation: Calculation) -> object:
    """Letters by the order in which they first appear."""
    new: dict[str, int] = {}
    spelled = [
        (sign, [[new.setdefault(letter, len(new)) for letter in word] for word in words])
        for sign, words in (*calculation.left, ("=", (calculation.right,)))
    ]
    return [calculation.base, spelled, sorted((new[each], at) for each, at in calculation.given)]


def hardness(calculation: Calculation) -> float:
    """Letters to find, and digits to calculate with."""
    work = sum(
        prod(len(word) for word in words) * (2 if len(words) > 1 else 1)
        for _, words in calculation.left
    )
    unknown = len(_letters(calculation)) - len(calculation.given)
    return unknown * 2 + work / 4 + abs(calculation.base - 10) / 4


def _first(rng: Random, base: int, digits: int, product: bool) -> tuple[int, ...]:
    """A number, or two whose product is about as long."""
    if not product:
        return (_number(rng, base, digits),)
    short = max(1, (digits - 1) // 2)
    return _number(rng, base, max(2, digits - short)), _number(rng, base, short)


def _number(rng: Random, base: int, digits: int) -> int:
    return rng.randrange(max(2, base ** (digits - 1)), base**digits)


def _word(number: int, letters: list[str], base: int) -> str:
    spelled = ""
    while number:
        number, digit = divmod(number, base)
        spelled = letters[digit] + spelled
    return spelled


def _with_hints(rng: Random, calculation: Calculation, digits: dict[str, int]) -> Calculation:
    """As few letters given away as leave one assignment, each time one that settles the most."""
    letters, found = _assignments(calculation)
    given = []
    while len(found) > 1:
        left = {letter: found[found[:, at] == digits[letter]] for at, letter in enumerate(letters)}
        fewest = min(map(len, left.values()))
        letter = rng.choice([letter for letter in letters if len(left[letter]) == fewest])
        given.append((letter, digits[letter]))
        found = left[letter]
    return replace(calculation, given=tuple(given))


def _words(calculation: Calculation) -> list[str]:
    return [*chain.from_iterable(words for _, words in calculation.left), calculation.right]


def _letters(calculation: Calculation) -> list[str]:
    return sorted(set().union(*_words(calculation)))


def _text(calculation: Calculation) -> str:
    parts: list[str] = []
    for sign, words in calculation.left:
        parts += [sign, " * ".join(words)]
    return f"{' '.join(parts[1:])} = {calculation.right}"


def _assignments(calculation: Calculation) -> tuple[list[str], Any]:
    """The letters, and every assignment as a row of digits.

    The digits of a column of the left side are chosen in all ways; the one below them follows.
    """
    import numpy

    base, *words, right = calculation.base, *_words(calculation)
    heads = {word[0] for word in (*words, right)}
    found = _Columns(dict(calculation.given))
    for place in range(max(map(len, (*words, right)))):
        for letter in dict.fromkeys(word[-1 - place] for word in words if place < len(word)):
            if letter not in found.columns:
                every = numpy.arange(base, dtype=DIGIT)
                found.extend(letter, numpy.tile(every, len(found)), letter in heads)
        sums = _left(calculation, found.columns, place + 1)
        needed = sums % base ** (place + 1) // base**place
        letter = right[-1 - place] if place < len(right) else ""
        if letter in found.columns:
            found.keep(found.columns[letter] == needed)
        elif letter:
            found.extend(letter, needed.astype(DIGIT), letter in heads)
        else:
            found.keep(needed == 0)
    everything, columns = len("".join(words)), found.columns
    found.keep(_left(calculation, columns, everything) == _value(right, columns, base, everything))
    return list(found.columns), numpy.column_stack(list(found.columns.values()))


class _Columns:
    """Assignments of digits to some letters, all different: a column of digits for each letter."""

    def __init__(self, given: dict[str, int]) -> None:
        import numpy

        self.columns: dict[str, Any] = {
            letter: numpy.array([digit], dtype=DIGIT) for letter, digit in given.items()
        }
        self.used = numpy.array([sum(1 << digit for digit in given.values())], dtype=numpy.int32)

    def __len__(self) -> int:
        return len(self.used)

    def keep(self, chosen: Any) -> None:
        """Only some assignments, chosen by truths or by their numbers."""
        self.columns = {letter: column[chosen] for letter, column in self.columns.items()}
        self.used = self.used[chosen]

    def extend(self, letter: str, digits: Any, positive: bool) -> None:
        """Each assignment with one letter more, for each of its digits in turn that is free."""
        import numpy

        times = len(digits) // max(len(self), 1)
        bits = numpy.left_shift(1, digits, dtype=numpy.int32, casting="unsafe")
        free = (self.used.repeat(times) & bits) == 0
        if positive:
            free &= digits > 0
        chosen = numpy.flatnonzero(free)
        self.keep(chosen // times if times > 1 else chosen)
        self.columns[letter] = digits[chosen]
        self.used |= bits[chosen]


def _left(calculation: Calculation, columns: dict[str, Any], places: int) -> Any:
    """What the left side comes to, of every word only the last places."""
    total: Any = 0
    for sign, words in calculation.left:
        product: Any = 1
        for word in words:
            product = product * _value(word, columns, calculation.base, places)
        total = total + product if sign == "+" else total - product
    return total


def _value(word: str, columns: dict[str, Any], base: int, places: int) -> Any:
    value: Any = 0
    for letter in word[-places:]:
        value = value * base + columns[letter].astype("int64")
    return value


LADDER = (
    Knobs(2, 2, 10, 0.0, 0.0),
    Knobs(2, 3, 10, 0.0, 0.0),
    Knobs(2, 5, 10, 0.25, 0.0),
    Knobs(2, 6, 11, 0.4, 0.4),
    Knobs(3, 7, 12, 0.4, 0.5),
)
FAMILY = Family(
    Calculation,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Mapping(),
    hardness=hardness,
    proof="unique",
    solver="all assignments, column by column",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=canon,
    known=_letters,
    skills=("calculation", "constraints", "search"),
    peers=(
        "reasoning-gym/cryptarithm",
        "SynLogic/cryptarithm",
        "InternBootcamp/crypto_math",
        "RLVE/cryptarithmetic",
        "TextArena/Cryptarithm",
    ),
    version=3,
)
