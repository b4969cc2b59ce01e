"""Secret code: the one code that goes with what was said to all guesses.

What is said is either how many letters are right in their place and how many elsewhere, or that for
each place. `generate` draws a code and guesses until nothing else fits; `solve` strikes out of a
table of all codes what does not go with a guess; `verify` says to every guess what would be said if
the answer were the code.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import sqrt
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

LETTERS = "BCDFGHJKLM"
RIGHT, ELSEWHERE, ABSENT = "+", "o", "-"
MOST = 20  # guesses to draw


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # letters of the code
    letters: int  # to choose from
    repeats: bool  # whether a letter may be in the code several times
    counted: float  # share of puzzles in which it is only told how many letters are right


@dataclass(frozen=True, slots=True)
class Guesses:
    letters: int  # to choose from: the first so many
    repeats: bool
    marked: bool
    guesses: tuple[tuple[str, str], ...]  # with what was said: "2 1", or a sign for each place


def generate(rng: Random, knobs: Knobs) -> Guesses | None:
    marked = rng.random() >= knobs.counted
    letters = LETTERS[: knobs.letters]

    def drawn() -> str:
        if knobs.repeats:
            return "".join(rng.choices(letters, k=knobs.length))
        return "".join(rng.sample(letters, knobs.length))

    code = drawn()
    said: list[tuple[str, str]] = []
    kind = knobs.letters, knobs.length, knobs.repeats
    left = _codes(*kind).everything
    for _ in range(MOST):
        guess = drawn()
        pair = (guess, _marks(code, guess) if marked else _counts(code, guess))
        then = left & _fitting(*kind, marked, pair)
        if guess != code and then != left:
            said.append(pair)
            left = then
        if left.bit_count() == 1:
            break
    if left.bit_count() > 1 or len(said) < 2:
        return None
    return _thinned(Guesses(knobs.letters, knobs.repeats, marked, tuple(said)))


def solve(puzzle: Guesses) -> tuple[str, ...] | None:
    left = _left(puzzle, puzzle.guesses)
    return tuple(_spelled(puzzle, left, 1)[0].lower()) if left.bit_count() == 1 else None


def verify(puzzle: Guesses, answer: tuple[str, ...]) -> float:
    code = "".join(answer).upper()
    if len(code) != len(puzzle.guesses[0][0]) or not set(code) <= set(LETTERS[: puzzle.letters]):
        return 0.0
    if len(set(code)) < len(code) and not puzzle.repeats:
        return 0.0
    say = _marks if puzzle.marked else _counts
    return float(all(say(code, guess) == said for guess, said in puzzle.guesses))


def render(puzzle: Guesses, style: Style) -> Prompt:
    length = len(puzzle.guesses[0][0])
    letters = " ".join(LETTERS[: puzzle.letters])
    repeats = (
        "A letter may stand in it more than once."
        if puzzle.repeats
        else "No letter stands in it twice."
    )
    if puzzle.marked:
        rule = (
            f"Under each letter of a guess stands {RIGHT} if the code has this letter in this"
            f" place; {ELSEWHERE} if the letter is in the code in another place; and {ABSENT} if"
            " not."
        )
        if puzzle.repeats:
            rule += (
                f" Every letter of the code accounts for one mark at most: first all {RIGHT} are"
                " given, then from left to right the other letters of the guess get"
                f" {ELSEWHERE} as long as the code has letters of that sort left over, and"
                f" {ABSENT} after that."
            )
        shown = "\n\n".join(
            f"{' '.join(guess)}\n{' '.join(said)}" for guess, said in puzzle.guesses
        )
    else:
        rule = (
            "The answer to a guess says first how many of its letters are right and in the right"
            " place, and then how many others are in the code, but in another place."
        )
        if puzzle.repeats:
            rule += " No letter of the code or of the guess is counted twice."
        shown = "\n".join(
            "{}: {} in place, {} elsewhere".format(guess, *said.split())
            for guess, said in puzzle.guesses
        )
    return Prompt(
        style.pick(
            f"A secret code consists of {length} letters out of {letters}. {repeats} Somebody has"
            f" made these guesses:\n\n{shown}\n\n{rule} What is the code?",
            f"{rule}\n\n{shown}\n\nThe code has {length} letters, all of them from {letters}."
            f" {repeats} Only one code fits all of this. Which one?",
            f"Crack the code: {length} letters from {letters}. {repeats} {rule} Guesses so far:"
            f"\n\n{shown}",
        ),
        form=f"the {length} letters of the code",
    )


def steps(puzzle: Guesses) -> list[str]:
    """How many codes are left after each guess."""
    lines = []
    for count, (guess, said) in enumerate(puzzle.guesses, 1):
        left = _left(puzzle, puzzle.guesses[:count])
        count_left = left.bit_count()
        named = f": {', '.join(_spelled(puzzle, left, 5))}" if count_left < 6 else ""
        many = f"{count_left} codes" if count_left > 1 else "one code"
        lines.append(f"{guess} ({said}) leaves {many}{named}")
    return lines


def canon(puzzle: Guesses) -> object:
    """Guesses in any order, letters by the order in which they then appear."""
    new: dict[str, int] = {}
    said = [
        ([new.setdefault(letter, len(new)) for letter in guess], said)
        for guess, said in sorted(puzzle.guesses, key=lambda pair: (pair[1], pair[0]))
    ]
    return [puzzle.letters, puzzle.repeats, puzzle.marked, said]


def hardness(puzzle: Guesses) -> float:
    """Codes there are, by their letters; less where more is said."""
    length = len(puzzle.guesses[0][0])
    return length * sqrt(puzzle.letters) * (0.8 if puzzle.marked else 1.0)


def _counts(code: str, guess: str) -> str:
    right = sum(one == other for one, other in zip(code, guess))
    both = (Counter(code) & Counter(guess)).total()
    return f"{right} {both - right}"


def _marks(code: str, guess: str) -> str:
    spare = Counter(one for one, other in zip(code, guess) if one != other)
    said = ""
    for one, other in zip(code, guess):
        if one == other:
            said += RIGHT
        elif spare[other]:
            spare[other] -= 1
            said += ELSEWHERE
        else:
            said += ABSENT
    return said


def _thinned(puzzle: Guesses) -> Guesses:
    """Without the guesses that are not needed."""
    for pair in puzzle.guesses:
        fewer = tuple(other for other in puzzle.guesses if other != pair)
        if fewer and _left(puzzle, fewer).bit_count() == 1:
            puzzle = replace(puzzle, guesses=fewer)
    return puzzle


@dataclass(frozen=True, slots=True)
class _Codes:
    """All codes, in order, and sets of them as bits."""

    letters: Any  # a row for each place, a column for each code
    everything: int
    at: list[list[int]]  # by place and letter: the codes with the letter there
    having: list[list[int]]  # by letter and number: the codes with at least so many of it


@cache
def _codes(letters: int, length: int, repeats: bool) -> _Codes:
    import numpy

    codes = numpy.indices([letters] * length, dtype=numpy.int8).reshape(length, -1)
    if not repeats:
        ordered = numpy.sort(codes, axis=0)
        codes = codes[:, (ordered[1:] != ordered[:-1]).all(axis=0)]

    def bits(chosen: Any) -> int:
        return int.from_bytes(numpy.packbits(chosen, bitorder="little").tobytes(), "little")

    at = [[bits(row == letter) for letter in range(letters)] for row in codes]
    counts = [(codes == letter).sum(axis=0) for letter in range(letters)]
    having = [[bits(count >= number) for number in range(length + 2)] for count in counts]
    return _Codes(codes, (1 << codes.shape[1]) - 1, at, having)


def _left(puzzle: Guesses, pairs: Sequence[tuple[str, str]]) -> int:
    """The codes that go with what was said to some of the guesses."""
    kind = puzzle.letters, len(puzzle.guesses[0][0]), puzzle.repeats
    left = _codes(*kind).everything
    for pair in pairs:
        left &= _fitting(*kind, puzzle.marked, pair)
    return left


def _spelled(puzzle: Guesses, left: int, most: int) -> list[str]:
    """The first of the codes that are left."""
    codes = _codes(puzzle.letters, len(puzzle.guesses[0][0]), puzzle.repeats).letters
    found: list[str] = []
    while left and len(found) < most:
        first = left & -left
        left ^= first
        found.append("".join(LETTERS[letter] for letter in codes[:, first.bit_length() - 1]))
    return found


@lru_cache(maxsize=64)  # the same guesses are looked at again and again
def _fitting(letters: int, length: int, repeats: bool, marked: bool, pair: tuple[str, str]) -> int:
    """The codes that go with what was said to a guess."""
    codes = _codes(letters, length, repeats)
    guess, said = [LETTERS.index(letter) for letter in pair[0]], pair[1]
    right = [codes.at[place][letter] for place, letter in enumerate(guess)]
    if not marked:
        first, second = map(int, said.split())
        both = [
            codes.having[letter][number + 1]
            for letter, many in Counter(guess).items()
            for number in range(many)
        ]
        return _exactly(first, right, codes) & _exactly(first + second, both, codes)
    fits = codes.everything
    for inside, sign in zip(right, said):
        fits &= inside if sign == RIGHT else ~inside
    for letter in set(guess):
        signs = "".join(sign for sign, other in zip(said, guess) if other == letter)
        many = len(signs) - signs.count(ABSENT)
        fits &= codes.having[letter][many]
        if ABSENT in signs:
            if ELSEWHERE in signs[signs.index(ABSENT) :]:
                return 0  # those found elsewhere are marked from left to right
            fits &= ~codes.having[letter][many + 1]
    return fits


def _exactly(count: int, sets: Sequence[int], codes: _Codes) -> int:
    """The codes that are in exactly so many of the sets."""
    by_count = [codes.everything] + [0] * count
    for members in sets:
        for number in range(count, 0, -1):
            by_count[number] = by_count[number] & ~members | by_count[number - 1] & members
        by_count[0] &= ~members
    return by_count[count]


LADDER = (
    Knobs(3, 5, False, 0.0),
    Knobs(4, 9, False, 0.7),
    Knobs(5, 9, False, 0.7),
    Knobs(5, 10, True, 0.8),
    Knobs(5, 10, True, 1.0),
)
FAMILY = Family(
    Guesses,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(items="letters"),
    hardness=hardness,
    proof="unique",
    solver="a table of all codes",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    known=lambda puzzle: LETTERS[: puzzle.letters],
    skills=("deduction", "search"),
    peers=("KORGym/33-wordle", "KORGym/2-GuessWord", "TextArena/Wordle"),
    version=3,
)
