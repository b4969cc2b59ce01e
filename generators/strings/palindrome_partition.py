"""Palindrome partition: cut a string into as few palindromes as possible.

Every best cut is right. `solve` goes from the left and keeps the best cut of each beginning;
`verify` finds the fewest by jumping, piece by piece, to all places that can be reached; `recheck`
asks for the best cut of each part from its middle outwards.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.strings._letters import CONSONANTS, drawn, renamed

Pieces: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # of the string
    letters: int  # different ones
    planted: int  # palindromes that the string is put together from, at most
    trap: bool  # whether taking the longest palindrome first must go wrong


@dataclass(frozen=True, slots=True)
class String:
    letters: str


def generate(rng: Random, knobs: Knobs) -> String | None:
    letters = "".join(rng.sample(CONSONANTS, knobs.letters))
    cuts = sorted(rng.sample(range(1, knobs.length), knobs.planted - 1))
    text = ""
    for start, end in zip((0, *cuts), (*cuts, knobs.length), strict=True):
        half = drawn(rng, letters, (end - start + 1) // 2)
        text += half + half[::-1][(end - start) % 2 :]
    string = String(text)
    fewest = len(solve(string))
    if fewest < min(3, knobs.planted) or (knobs.trap and len(_greedy(text)) == fewest):
        return None
    return string


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(string: String) -> Pieces:
    text, before = string.letters, f" {string.letters}"  # what is before the first is no letter
    fewest, last = [0], list[int]()  # pieces of each beginning, and where the last of them starts
    starts = list[int]()  # of the palindromes that end at a place
    for end, letter in enumerate(text):
        starts = [start - 1 for start in starts if before[start] == letter]
        starts += [end - 1, end] if before[end] == letter else [end]
        start = min(starts, key=fewest.__getitem__) if len(starts) > 1 else end
        last.append(start)
        fewest.append(fewest[start] + 1)
    pieces, end = list[str](), len(text)
    while end:
        start = last[end - 1]
        pieces.append(text[start:end])
        end = start
    return tuple(pieces[::-1])


def verify(string: String, pieces: Pieces) -> float:
    text = string.letters
    if "".join(pieces) != text or any(piece != piece[::-1] for piece in pieces):
        return 0.0
    reached, left, jumps = {0}, {*range(1, len(text) + 1)}, 0
    while len(text) in left:
        jumps += 1
        reached = {
            end
            for start in reached
            for end in left
            if end > start
            and text[start] == text[end - 1]
            and (piece := text[start:end]) == piece[::-1]
        }
        left -= reached
    return float(len(pieces) == jumps)


def recheck(string: String, pieces: Pieces) -> bool:
    text = string.letters
    ends = list(accumulate(map(len, pieces), initial=0))
    if ends[-1] != len(text) or any(
        text[start:end] != piece or list(piece) != list(reversed(piece))
        for start, end, piece in zip(ends, ends[1:], pieces)
    ):
        return False
    fewest = list(range(len(text) + 1))
    for middle in range(2 * len(text) - 1):
        left, right = middle // 2, (middle + 1) // 2
        while left >= 0 and right < len(text) and text[left] == text[right]:
            # Whatever ends before this middle is settled; so is what its palindromes improve.
            fewest[right + 1] = min(fewest[right + 1], fewest[left] + 1)
            left, right = left - 1, right + 1
    return len(pieces) == fewest[-1]


def render(string: String, style: Style) -> Prompt:
    text = string.letters
    return Prompt(
        style.pick(
            f"Cut the string {text} into pieces, each of which is a palindrome (reads the same"
            " forwards and backwards; a single letter does). Use as few pieces as possible. If"
            " several cuts are best, any of them will do.",
            f"String: {text}\n\nDivide it, without changing the order of its letters, into the"
            " smallest possible number of palindromes. A palindrome is the same when reversed, so"
            " every letter by itself is one. Any division with the smallest number is accepted.",
            f"What is the least number of palindromes that give {text} when they are written one"
            " after the other? Give such palindromes. (One letter alone counts as a palindrome."
            " Where there are several ways, one is enough.)",
        ),
        form="the pieces in order, separated by spaces",
    )


def steps(string: String) -> list[str]:
    """The fewest pieces for each beginning of the string."""
    return [
        f"{string.letters[:end]}: {' '.join(solve(String(string.letters[:end])))}"
        for end in range(1, len(string.letters) + 1)
    ]


def canon(string: String) -> list[list[int]]:
    """Neither the names of the letters nor the direction matter."""
    return min(renamed([string.letters]), renamed([string.letters[::-1]]))


def hardness(string: String) -> float:
    """Letters, and pieces of the best cut."""
    return len(string.letters) + len(solve(string))


def _greedy(text: str) -> Pieces:
    """The longest palindrome at the beginning, then the longest at the beginning of the rest."""
    pieces: list[str] = []
    while text:
        end = len(text)
        while text[end - 1] != text[0] or text[:end] != text[end - 1 :: -1]:
            end -= 1
        pieces.append(text[:end])
        text = text[end:]
    return tuple(pieces)


LADDER = (
    Knobs(7, 3, 3, False),
    Knobs(18, 3, 5, True),
    Knobs(26, 3, 7, True),
    Knobs(40, 3, 9, True),
    Knobs(70, 3, 15, True),
)
FAMILY = Family(
    String,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="the best cut of each beginning",
    guess_rate=0.06,
    steps=steps,
    canon=canon,
    skills=("strings", "optimisation"),
    peers=("reasoning-gym/palindrome_partitioning", "RLVE/palindrome_partition_counting"),
)
