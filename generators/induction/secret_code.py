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
    left = _codes(knobs.letters, knobs.length, knobs.repeats)
    kind = knobs.letters, knobs.length, knobs.repeats, marked
    for _ in range(MOST):
        guess = drawn()
        pair = (guess, _marks(code, guess) if marked else _counts(code, guess))
        then = _narrowed(*kind, (*said, pair))
        if guess != code and _many(then) < _many(left):
            said.append(pair)
            left = then
        if _many(left) == 1:
            break
    if _many(left) > 1 or len(said) < 2:
        return None
    return _thinned(Guesses(knobs.letters, knobs.repeats, marked, tuple(said)))


def solve(puzzle: Guesses) -> tuple[str, ...] | None:
    left = _left(puzzle, puzzle.guesses)
    return tuple(LETTERS[letter].lower() for letter in left[0]) if len(left) == 1 else None


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
        codes = ", ".join("".join(LETTERS[letter] for letter in code) for code in left[:5])
        named = f": {codes}" if len(left) < 6 else ""
        many = f"{len(left)} codes" if len(left) > 1 else "one code"
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
        if fewer and len(_left(puzzle, fewer)) == 1:
            puzzle = replace(puzzle, guesses=fewer)
    return puzzle


@cache
def _codes(letters: int, length: int, repeats: bool) -> Any:
    """All codes: a row for each place, a column for each code."""
    import numpy

    codes = numpy.indices([letters] * length, dtype=numpy.int8).reshape(length, -1)
    if not repeats:
        ordered = numpy.sort(codes, axis=0)
        codes = codes[:, (ordered[1:] != ordered[:-1]).all(axis=0)]
    return codes


def _many(codes: Any) -> int:
    return int(codes.shape[1])


def _left(puzzle: Guesses, pairs: Sequence[tuple[str, str]]) -> Any:
    """The codes that go with what was said to some of the guesses, a row each."""
    length = len(puzzle.guesses[0][0])
    return _narrowed(puzzle.letters, length, puzzle.repeats, puzzle.marked, tuple(pairs)).T


@lru_cache(maxsize=32)  # the first guesses are the longest to look at, and are often the same
def _narrowed(
    letters: int, length: int, repeats: bool, marked: bool, pairs: tuple[tuple[str, str], ...]
) -> Any:
    if not pairs:
        return _codes(letters, length, repeats)
    return _fitting(_narrowed(letters, length, repeats, marked, pairs[:-1]), pairs[-1], marked)


def _fitting(codes: Any, pair: tuple[str, str], marked: bool) -> Any:
    """Those of the codes that go with what was said to a guess; all are looked at together."""
    import numpy

    guess, said = [LETTERS.index(letter) for letter in pair[0]], pair[1]
    right = codes == numpy.array(guess, dtype=codes.dtype)[:, None]
    if marked:
        fits = (right == numpy.array([[sign == RIGHT] for sign in said])).all(axis=0)
    else:
        first, second = map(int, said.split())
        fits = right.sum(axis=0, dtype=numpy.int8) == first
    codes, right = codes.compress(fits, axis=1), right.compress(fits, axis=1)
    # How many of each letter the codes have in places where the guess is wrong
    spare = {
        letter: ((codes == letter) & ~right).sum(axis=0, dtype=numpy.int8) for letter in set(guess)
    }
    elsewhere = numpy.zeros(right.shape, dtype=bool)
    for place, letter in enumerate(guess):
        elsewhere[place] = ~right[place] & (spare[letter] > 0)
        spare[letter] -= elsewhere[place]
    if marked:
        signs = numpy.array([[sign == ELSEWHERE] for sign in said])
        return codes.compress((elsewhere == signs).all(axis=0), axis=1)
    return codes.compress(elsewhere.sum(axis=0, dtype=numpy.int8) == second, axis=1)


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
