"""Common substring: the longest piece of consecutive letters that several strings share.

Any longest one is right. `verify` finds out how long that is from the pieces of each length;
`solve` goes along the first string and lengthens what it has found.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.relatives import outline
from puzzlemill.generators.strings._letters import CONSONANTS, drawn, renamed


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # of each string
    letters: int  # different letters
    strings: int  # to be compared


@dataclass(frozen=True, slots=True)
class Strings:
    strings: tuple[str, ...]


def generate(rng: Random, knobs: Knobs) -> Strings | None:
    letters = "".join(rng.sample(CONSONANTS, knobs.letters))
    shared = drawn(rng, letters, max(3, knobs.length // 6))
    strings = []
    for _ in range(knobs.strings):
        rest = drawn(rng, letters, knobs.length - len(shared))
        start = rng.randint(0, len(rest))
        strings.append(rest[:start] + shared + rest[start:])
    return Strings(tuple(strings)) if len(set(strings)) == len(strings) else None


def solve(puzzle: Strings) -> tuple[str, ...]:
    (first, *others), best = puzzle.strings, ""
    for start in range(len(first)):
        while start + len(best) < len(first):
            longer = first[start : start + len(best) + 1]
            if not all(longer in other for other in others):
                break
            best = longer
    return tuple(best)


def verify(puzzle: Strings, letters: tuple[str, ...]) -> float:
    text = "".join(letters)
    shared = all(text in string for string in puzzle.strings)
    return float(shared and len(text) == _longest(puzzle))


def recheck(puzzle: Strings, letters: tuple[str, ...]) -> bool:
    """As long as gold, and found in each string part by part."""
    return len(letters) == len(solve(puzzle)) and all(
        any(tuple(string[at : at + len(letters)]) == letters for at in range(len(string)))
        for string in puzzle.strings
    )


def render(puzzle: Strings, style: Style) -> Prompt:
    listed, count = "\n".join(puzzle.strings), ("two", "three")[len(puzzle.strings) - 2]
    both = ("both", "all three")[len(puzzle.strings) - 2]
    question = style.pick(
        f"Find a longest common substring of these {count} strings:\n\n{listed}\n\nIts letters"
        " must stand side by side, without gaps, in each of the strings. If there are several"
        " longest ones, give any of them.",
        f"{listed}\n\nSome pieces of consecutive letters are found in {both} of these strings."
        " What is the longest of them? Any one of that length counts.",
        f"Which unbroken run of letters, as long as possible, is found in {both} of the"
        f" strings below, without gaps? If there are several such runs, one is enough.\n\n{listed}",
    )
    return Prompt(question, "the letters of the common string in order, separated by spaces")


def canon(puzzle: Strings) -> list[list[int]]:
    """Neither which letters are used nor the order of the strings matters, nor their direction."""
    images = []
    for order in permutations(puzzle.strings):
        images += [renamed(order), renamed(string[::-1] for string in order)]
    return min(images)


def hardness(puzzle: Strings) -> float:
    """Places to compare."""
    return sum(map(len, puzzle.strings))


@lru_cache(64)  # many answers to one puzzle are looked at
def _longest(puzzle: Strings) -> int:
    return sum(1 for _ in _parts(puzzle.strings))


def _parts(strings: tuple[str, ...]) -> Iterator[set[str]]:
    """For each length, the common substrings of that length."""
    for size in range(1, len(strings[0]) + 1):
        parts = [
            {string[at : at + size] for at in range(len(string) - size + 1)} for string in strings
        ]
        common = set.intersection(*parts)
        if not common:
            return
        yield common


LADDER = (
    Knobs(7, 4, 2),
    Knobs(14, 4, 2),
    Knobs(28, 4, 2),
    Knobs(48, 4, 3),
    Knobs(80, 4, 3),
)
FAMILY = Family(
    Strings,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="a string of letters", items="letters"),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="the first string extended",
    guess_rate=0.1,
    canon=canon,
    redraws=outline,
    skills=("search", "tracking"),
    theme="common_strings",
    version=3,
)
