"""Palindrome: arrange letters so that they read the same from both ends, and keep to some demands.

Many arrangements can be right, so `verify` takes any that is a palindrome of these letters, holds
the demanded pieces and keeps equal letters apart where that is asked. `generate` draws a palindrome
and cuts the pieces out of it; `solve` finds one by SAT.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _sat
from puzzlemill.generators.strings._letters import CONSONANTS, drawn


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # in all
    kinds: int  # different letters, at most
    pieces: int  # that must be in it
    piece: int  # letters of a piece
    apart: bool  # whether no two neighbours may be equal; then the number of letters is odd


@dataclass(frozen=True, slots=True)
class Letters:
    letters: str
    pieces: tuple[str, ...]
    apart: bool


def generate(rng: Random, knobs: Knobs) -> Letters | None:
    letters = "".join(rng.sample(CONSONANTS, knobs.kinds))
    count = knobs.letters | 1 if knobs.apart else knobs.letters
    half = _half(rng, letters, (count + 1) // 2, knobs.apart)
    whole = half + half[::-1][count % 2 :]
    if len(set(whole)) < 3:
        return None  # too easy to guess
    piece = min(knobs.piece, count // 2)
    starts = rng.sample(range(count - piece + 1), min(knobs.pieces, (count - piece) // 2))
    pieces = tuple(whole[start : start + piece] for start in starts)
    mixed = "".join(rng.sample(whole, count))
    if mixed == mixed[::-1] or any(
        one == other or one == other[::-1]
        for place, one in enumerate(pieces)
        for other in pieces[:place]
    ):
        return None
    return Letters(mixed, pieces, knobs.apart)


def solve(puzzle: Letters) -> tuple[str, ...] | None:
    """SAT: which letter stands at each place of the first half; the second mirrors it."""
    counts, length = Counter(puzzle.letters), len(puzzle.letters)
    odd = [letter for letter, count in sorted(counts.items()) if count % 2]
    if len(odd) != length % 2:
        return None
    circuit, half = _sat.Circuit(), length // 2
    for place in range(half):
        circuit.clauses += _sat.exactly_one([circuit.variable((place, each)) for each in counts])
    for letter, count in counts.items():
        spots = [circuit.variable((place, letter)) for place in range(half)]
        # Which of several answers comes out depends on how this is put.
        circuit.counted(spots, count // 2, count // 2)

    def holds(place: int, letter: str) -> int:
        if length % 2 and place == half:
            return circuit.constant(letter in odd)
        return circuit.variable((min(place, length - 1 - place), letter))

    for piece in puzzle.pieces:
        if not set(piece) <= set(counts):
            return None
        anywhere = []
        for start in range(length - len(piece) + 1):
            here = circuit.constant(True)
            for at, letter in enumerate(piece):
                here = circuit.both(here, holds(start + at, letter))
            anywhere.append(here)
        circuit.clauses.append(anywhere)
    if puzzle.apart:
        circuit.clauses += [
            [-holds(place, letter), -holds(place + 1, letter)]
            for place in range(length - 1)
            for letter in counts
        ]
    true = _sat.any_model(circuit.clauses)
    if true is None:
        return None
    chosen = {meaning for meaning in circuit.meanings(true) if isinstance(meaning, tuple)}
    first = [letter for place in range(half) for letter in counts if (place, letter) in chosen]
    return (*first, *odd, *first[::-1])


def verify(puzzle: Letters, letters: tuple[str, ...]) -> float:
    text = "".join(letters)
    return float(
        text == text[::-1]
        and Counter(text) == Counter(puzzle.letters)
        and all(piece in text for piece in puzzle.pieces)
        and not (puzzle.apart and any(one == other for one, other in pairwise(text)))
    )


def recheck(puzzle: Letters, letters: tuple[str, ...]) -> bool:
    """Place by place, against the mirror place, what is left of the letters, and the pieces."""
    left, last = list(puzzle.letters), len(letters) - 1
    wanted = set(puzzle.pieces)
    for place, letter in enumerate(letters):
        if letter != letters[last - place] or letter not in left:
            return False
        if puzzle.apart and place and letters[place - 1] == letter:
            return False
        left.remove(letter)
        wanted = {piece for piece in wanted if tuple(piece) != letters[place : place + len(piece)]}
    return not left and not wanted


def render(puzzle: Letters, style: Style) -> Prompt:
    letters, count = " ".join(puzzle.letters), len(puzzle.letters)
    demands = []
    if puzzle.pieces:
        *some, last = puzzle.pieces
        pieces = (
            f"each of the strings {', '.join(some)} and {last}" if some else f"the string {last}"
        )
        demands.append(
            f"{pieces} must occur in it somewhere, read from left to right without a gap"
            + ("; they may overlap" if some else "")
        )
    if puzzle.apart:
        demands.append("no two neighbouring letters may be equal")
    more = "".join(f" In addition, {demand}." for demand in demands[:1])
    more += "".join(f" Also, {demand}." for demand in demands[1:])
    return Prompt(
        style.pick(
            f"Arrange these {count} letters into a palindrome, a string that reads the same"
            f" forwards and backwards: {letters}\n\nUse every letter exactly as often as it is"
            f" given.{more} If there are several solutions, give any one.",
            f"Letters: {letters}\n\nPut all {count} of them into such an order that the string is"
            f" the same from left to right as from right to left.{more} Any such order will do.",
            f"Which palindrome can be made of all of the {count} letters below, none left out and"
            " none used more often than it is there? (A palindrome does not change when it is"
            f" reversed.){more} One solution is enough.\n\n{letters}",
        ),
        form="the letters of the palindrome in order, separated by spaces",
    )


def canon(puzzle: Letters) -> list[object]:
    return [sorted(puzzle.letters), sorted(puzzle.pieces), puzzle.apart]


def hardness(puzzle: Letters) -> float:
    """Letters to place, and what they must keep to."""
    return len(puzzle.letters) + 2 * len("".join(puzzle.pieces)) + 5 * puzzle.apart


def _half(rng: Random, letters: str, length: int, apart: bool) -> str:
    half = drawn(rng, letters, 1)
    while len(half) < length:
        half += rng.choice(letters.replace(half[-1], "") if apart else letters)
    return half


LADDER = (
    Knobs(7, 4, 0, 2, False),
    Knobs(11, 5, 1, 2, False),
    Knobs(17, 5, 3, 4, False),
    Knobs(23, 5, 4, 5, True),
    Knobs(35, 6, 6, 6, True),
)
FAMILY = Family(
    Letters,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="a string of letters", items="letters", reorders=True),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="SAT",
    guess_rate=0.05,
    canon=canon,
    skills=("construction", "search"),
    peers=("reasoning-gym/palindrome_generation",),
    version=3,
)
