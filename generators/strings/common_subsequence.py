"""Common subsequence: the longest string that is left of several when letters are crossed out.

Any longest one is right. `verify` finds out how long that is by lengthening all common
subsequences together, a letter at a time; `solve` fills a table from the back.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import permutations
from operator import le
from random import Random

import numpy as np
from numpy.typing import NDArray

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
    shared = drawn(rng, letters, max(3, knobs.length // 3))
    strings = []
    for _ in range(knobs.strings):
        rest = drawn(rng, letters, knobs.length - len(shared))
        places = sorted(rng.sample(range(knobs.length), len(shared)))
        kept, other = iter(shared), iter(rest)
        strings.append("".join(next(kept if at in places else other) for at in range(knobs.length)))
    return Strings(tuple(strings)) if len(set(strings)) == len(strings) else None


def solve(puzzle: Strings) -> tuple[str, ...]:
    return tuple(_subsequence(puzzle.strings))


def verify(puzzle: Strings, letters: tuple[str, ...]) -> float:
    text = "".join(letters)
    shared = all(_is_within(text, string) for string in puzzle.strings)
    return float(shared and len(text) == _longest(puzzle))


def recheck(puzzle: Strings, letters: tuple[str, ...]) -> bool:
    """As long as gold, and found in each string by going through it once."""
    left = [iter(string) for string in puzzle.strings]
    shared = all(letter in string for string in left for letter in letters)
    return shared and len(letters) == len(solve(puzzle))


def render(puzzle: Strings, style: Style) -> Prompt:
    listed, count = "\n".join(puzzle.strings), ("two", "three")[len(puzzle.strings) - 2]
    both = ("both", "all three")[len(puzzle.strings) - 2]
    question = style.pick(
        f"Find a longest common subsequence of these {count} strings:\n\n{listed}\n\nA"
        " subsequence is what is left of a string when some of its letters, or none, are"
        " crossed out and the others stay in order. If there are several longest ones, give any"
        " of them.",
        f"{listed}\n\nBy crossing out letters, {both} of these strings can be turned into one"
        " and the same string; the letters that remain keep their order. Which string can it"
        " be, if as many letters as possible are to remain? Any one of that length counts.",
        f"Which letters can be read in {both} strings below, in the same order and from left to"
        " right, though not necessarily side by side? Give as long a string of such letters as"
        f" there is; of several, one is enough.\n\n{listed}",
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
    return sum(map(len, puzzle.strings)) * (len(puzzle.strings) - 1)


@lru_cache(64)  # many answers to one puzzle are looked at
def _longest(puzzle: Strings) -> int:
    return sum(1 for _ in _ends(puzzle.strings))


@lru_cache(64)
def _subsequence(strings: tuple[str, ...]) -> str:
    """For all places to begin at, how long a subsequence remains; a place is told by how many
    letters are left of each string.

    A layer holds all places with as many left of the first string. To take a letter that all share
    there is never worse than not to; else a letter of some string goes.
    """
    first, *others = strings
    left = np.zeros([len(string) + 1 for string in strings], dtype=np.uint8)
    shared = {letter: _shared(letter, others) for letter in set(first)}
    inside, fewer = (slice(1, None),) * len(others), (slice(-1),) * len(others)
    for letter, layer, last in zip(reversed(first), left[1:], left):
        np.maximum(last[inside], last[fewer] + shared[letter], out=layer[inside])
        for axis in range(len(others)):
            np.maximum.accumulate(layer, axis, out=layer)
    remains, strides = left.tobytes(), left.strides
    rest, place, found = [len(string) for string in strings], left.size - 1, ""
    while remains[place]:
        letters = {string[-many] for string, many in zip(strings, rest)}
        if len(letters) == 1:
            found += letters.pop()
            rest = [many - 1 for many in rest]
            place -= sum(strides)
        else:
            gone = max(range(len(rest)), key=lambda at: remains[place - strides[at]])
            rest[gone] -= 1
            place -= strides[gone]
    return found


def _shared(letter: str, strings: list[str]) -> NDArray[np.uint8]:
    """1 where so many letters are left of the strings that all of them go on with this one."""
    has = [np.array([each == letter for each in reversed(string)]) for string in strings]
    return reduce(np.multiply.outer, has).astype(np.uint8)


def _is_within(text: str, string: str) -> bool:
    at = -1
    for letter in text:
        at = string.find(letter, at + 1)
        if at < 0:
            return False
    return True


def _ends(strings: tuple[str, ...]) -> Iterator[list[tuple[int, ...]]]:
    """For each length, where common subsequences of that length can end, as early as they can."""
    ends = [(-1,) * len(strings)]
    while True:
        found = {
            tuple([string.find(letter, end + 1) for string, end in zip(strings, place)])
            for place in ends
            for letter in set(strings[0])
        }
        ends = []
        for place in sorted(each for each in found if -1 not in each):
            # What ends no later in any string can be lengthened by all that this one can.
            if not any(all(map(le, sooner, place)) for sooner in reversed(ends)):
                ends.append(place)
        if not ends:
            return
        yield ends


LADDER = (
    Knobs(8, 4, 2),
    Knobs(12, 4, 2),
    Knobs(22, 4, 2),
    Knobs(36, 4, 2),
    Knobs(26, 4, 3),
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
    solver="a table from the back",
    guess_rate=0.1,
    canon=canon,
    redraws=outline,
    skills=("search", "dynamic programming"),
    peers=("CLRS-Text/lcs_length",),
    theme="common_strings",
)
