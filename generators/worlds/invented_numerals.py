"""Invented numerals: what is the result of a sum, in a language whose number words are drawn?

`solve` reads the numbers in every way that the rules allow, and answers only where there is one;
it writes the result from the smallest part up. `verify` reads them word by word and writes the
result from the largest power down. Without any of the rules the answer is another one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log2
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.worlds._coinage import coined
from puzzlemill.generators.worlds._numeral_reader import Special, named, part, read, told

SKINS = {
    "islanders": "The people of an island count",
    "robots": "Some robots count",
    "traders": "The traders of a far town count",
}
SIGNS = {"+": "plus", "-": "minus", "*": "times"}
DRAWS = 60


@dataclass(frozen=True, slots=True)
class Knobs:
    base: int  # of the number words
    powers: int  # of the base that have a word
    twists: int  # drawn departures from the plain way
    specials: int  # numbers that have a word of their own
    numbers: int  # in the question


@dataclass(frozen=True, slots=True)
class Sum:
    skin: str
    digits: tuple[str, ...]  # the words of 1, 2 … up to the base less 1
    powers: tuple[str, ...]  # the words of the base, its square …
    small_first: bool  # the parts of a number stand from the smallest on
    power_first: bool  # a power stands before the digit that multiplies it
    bare: bool  # the digit 1 is left out before or after a power
    joiner: str  # the word between parts, or ""
    specials: tuple[Special, ...]  # of numbers below the square of the base
    numbers: tuple[str, ...]  # as the language writes them
    signs: tuple[str, ...]  # between the numbers


def generate(rng: Random, knobs: Knobs) -> Sum | None:
    base = knobs.base + rng.randrange(1 + knobs.powers)
    words = iter(coined(rng, base + knobs.powers + 1 + knobs.specials))
    digits = tuple(next(words) for _ in range(base - 1))
    powers = tuple(next(words) for _ in range(knobs.powers))
    twists = rng.sample(("small", "power", "bare", "joiner"), min(4, knobs.twists))
    if "bare" in twists and "joiner" not in twists and ("small" in twists) != ("power" in twists):
        return None  # "ten two" would be twelve and twenty
    small, power, bare = ("small" in twists, "power" in twists, "bare" in twists)
    joiner = next(words) if "joiner" in twists else ""
    special = [n for n in range(base + 1, base * base) if n % base]
    specials = tuple((n, next(words)) for n in sorted(rng.sample(special, knobs.specials)))
    skin = rng.choice(sorted(SKINS))
    plain = Sum(skin, digits, powers, small, power, bare, joiner, specials, (), ())
    limit = base ** (knobs.powers + 1)
    for _ in range(DRAWS):
        values = [_drawn(rng, plain, limit) for _ in range(knobs.numbers)]
        signs = tuple(rng.choice("+-*") for _ in values[1:])
        total = _result(values, signs)
        if len(set(values)) < len(values) or not base < total < limit:
            continue
        if not {n for n, _ in specials} <= {value % base**2 for value in (*values, total)}:
            continue  # a special word that is not read or written is needless
        numbers = tuple(named(plain, value) for value in values)
        puzzle = Sum(skin, digits, powers, small, power, bare, joiner, specials, numbers, signs)
        gold = solve(puzzle)
        if gold and all(solve(fewer) != gold for fewer in without(puzzle)):
            return puzzle
    return None


def solve(puzzle: Sum) -> str | None:
    values = list[int]()
    for number in puzzle.numbers:
        readings = _readings(puzzle, tuple(number.split()))
        if len(readings) != 1:
            return None
        values += readings
    total, base = _result(values, puzzle.signs), len(puzzle.digits) + 1
    if not 0 < total < base ** (len(puzzle.powers) + 1):
        return None
    high, low = divmod(total, base * base)
    own = dict(puzzle.specials).get(low)
    rest, power = (high, 2) if own else (total, 0)
    parts = [own] if own else []
    while rest:
        rest, digit = divmod(rest, base)
        if digit:
            parts.append(part(puzzle, digit, power))
        power += 1
    between = f" {puzzle.joiner} " if puzzle.joiner else " "
    return between.join(parts if puzzle.small_first else parts[::-1])


def verify(puzzle: Sum, answer: str) -> float:
    values = [read(puzzle, number) for number in puzzle.numbers]
    total = _result(values, puzzle.signs)
    return float(total > 0 and " ".join(answer.split()) == named(puzzle, total))


def render(puzzle: Sum, style: Style) -> Prompt:
    base = len(puzzle.digits) + 1
    digits = ", ".join(f"{n} = {word}" for n, word in enumerate(puzzle.digits, 1))
    powers = ", ".join(f"{base**n} = {word}" for n, word in enumerate(puzzle.powers, 1))
    rules = "\n".join(f"- {rule}" for rule in told(puzzle))
    intro = f"{SKINS[puzzle.skin]} in base {base} and have these number words.\n\n{digits}"
    intro += f"\n{powers}\n\n{rules}"
    words = [puzzle.numbers[0].join("“”")]
    for sign, number in zip(puzzle.signs, puzzle.numbers[1:]):
        words += [SIGNS[sign], number.join("“”")]
    asked = " ".join(words)
    usual = (
        " Times goes before plus and minus."
        if len(set(puzzle.signs)) > 1 and "*" in puzzle.signs
        else ""
    )
    return Prompt(
        style.pick(
            f"{intro}\n\nHow do they say the result of {asked}?{usual}",
            f"Work out {asked}, and say the result in the same language.{usual}\n\n{intro}",
            f"Here are the number words of an invented language. {intro}\n\nThe question is"
            f" {asked}.{usual} Which words are the result?",
        ),
        form="the words of the result in that language, separated by spaces",
    )


def steps(puzzle: Sum) -> list[str]:
    values = [read(puzzle, number) for number in puzzle.numbers]
    lines = [f"{number} = {n}" for number, n in zip(puzzle.numbers, values)]
    total = _result(values, puzzle.signs)
    written = str(values[0])
    for sign, n in zip(puzzle.signs, values[1:]):
        written += f" {sign} {n}"
    return [*lines, f"{written} = {total}", f"{total} = {named(puzzle, total)}"]


def kin(puzzle: Sum) -> list[object]:
    """The rules, whatever the words are."""
    ways = [puzzle.small_first, puzzle.power_first, puzzle.bare, bool(puzzle.joiner)]
    specials = [number for number, _ in puzzle.specials]
    return [len(puzzle.digits), len(puzzle.powers), ways, specials]


def canon(puzzle: Sum) -> list[object]:
    return [kin(puzzle), [read(puzzle, number) for number in puzzle.numbers], puzzle.signs]


def without(puzzle: Sum) -> Iterator[Sum]:
    """Each rule that differs from the plain way is forgotten."""
    if puzzle.small_first:
        yield replace(puzzle, small_first=False)
    if puzzle.power_first:
        yield replace(puzzle, power_first=False)
    if puzzle.bare:
        yield replace(puzzle, bare=False)
    if puzzle.joiner:
        yield replace(puzzle, joiner="")
    for at in range(len(puzzle.specials)):
        yield replace(puzzle, specials=puzzle.specials[:at] + puzzle.specials[at + 1 :])


def hardness(puzzle: Sum) -> float:
    """The words to read and to write, and the size of the numbers."""
    words = sum(len(number.split()) for number in puzzle.numbers)
    size = log2(len(puzzle.digits) + 1) * (len(puzzle.powers) + 1)
    return words + size * len(puzzle.numbers) + sum(1 for _ in without(puzzle))


def _drawn(rng: Random, puzzle: Sum, limit: int) -> int:
    """A number of any length; with a special one now and then."""
    base = len(puzzle.digits) + 1
    number = rng.randrange(1, base ** rng.randint(2, len(puzzle.powers) + 1))
    if rng.random() < 0.4:
        number = number // base**2 * base**2 + rng.choice(puzzle.specials)[0]
    return number if number < limit else limit - 1


def _result(values: list[int], signs: tuple[str, ...]) -> int:
    """By the usual order: products first."""
    terms = [values[0]]
    for sign, value in zip(signs, values[1:]):
        if sign == "*":
            terms[-1] *= value
        else:
            terms.append(value if sign == "+" else -value)
    return sum(terms)


def _readings(puzzle: Sum, words: tuple[str, ...]) -> set[int]:
    """Every number whose name these words may be, part by part; each part below the last one."""
    own = {word for _, word in puzzle.specials}
    parts = _parts(puzzle.digits, puzzle.powers, puzzle.power_first, puzzle.bare, puzzle.specials)
    found = set[int]()

    def search(rest: tuple[str, ...], total: int, last: int | None) -> None:
        if not rest:
            found.add(total)
        if last is not None and puzzle.joiner and rest:
            if rest[0] != puzzle.joiner:
                return
            rest = rest[1:]
        for length in (1, 2):
            if len(rest) < length or rest[:length] not in parts:
                continue
            value, power = parts[rest[:length]]
            lowest = 0 if rest[0] in own else power
            beyond = last is None or (lowest > last if puzzle.small_first else power < last)
            if beyond:
                search(rest[length:], total + value, power if puzzle.small_first else lowest)

    search(words, 0, None)
    return found


@lru_cache(maxsize=64)  # few ways of naming are met in all the sums drawn for a puzzle
def _parts(
    digits: tuple[str, ...],
    powers: tuple[str, ...],
    power_first: bool,
    bare: bool,
    specials: tuple[tuple[int, str], ...],
) -> dict[tuple[str, ...], tuple[int, int]]:
    """What the words of a part of a number say: its value, and the power of the base."""
    base = len(digits) + 1
    parts: dict[tuple[str, ...], tuple[int, int]]
    parts = {(word,): (number, 1) for number, word in specials}
    for digit, word in enumerate(digits, 1):
        parts[word,] = digit, 0
        for power, large in enumerate(powers, 1):
            pair = (large, word) if power_first else (word, large)
            parts[(large,) if bare and digit == 1 else pair] = digit * base**power, power
    return parts


LADDER = (
    Knobs(4, 2, 1, 1, 2),
    Knobs(5, 2, 2, 1, 2),
    Knobs(7, 2, 3, 2, 2),
    Knobs(8, 3, 3, 2, 3),
    Knobs(11, 3, 4, 3, 4),
)
FAMILY = Family(
    Sum,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Phrase(),
    hardness=hardness,
    proof="unique",
    solver="all readings of each number",
    guess_rate=0.02,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("language", "arithmetic", "rules"),
    version=3,
)
