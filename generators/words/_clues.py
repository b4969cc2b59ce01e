"""Crossword clues that letters alone decide: ciphers, anagrams, hidden words.

A clue is a constraint on strings of letters. No clue asks what a word means, or whether it is one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations
from random import Random
from string import ascii_uppercase as LETTERS
from typing import TypeAlias

Clue: TypeAlias = tuple[str, str, int]  # the kind, a text, and a number where it needs one


@dataclass(frozen=True, slots=True)
class Kind:
    make: Callable[[Random, str], tuple[str, int]]  # the clue's text and number, of a word
    answers: Callable[[str, int], list[str]]  # all strings that meet it
    met: Callable[[str, int, str], bool]  # whether a string does, by another way
    says: str  # with {0} for the text and {1} for the number


def shifted(word: str, places: int) -> str:
    return "".join(LETTERS[(LETTERS.index(letter) + places) % 26] for letter in word)


def _differences(word: str) -> list[int]:
    return [(ord(one) - ord(other)) % 26 for one, other in pairwise(word)]


def _changed(rng: Random, word: str) -> tuple[str, int]:
    place = rng.randrange(len(word))
    letter = rng.choice([each for each in LETTERS if each != word[place]])
    return word[:place] + letter + word[place + 1 :], 0


def _longer(rng: Random, word: str) -> tuple[str, int]:
    place = rng.randint(0, len(word))
    return word[:place] + rng.choice(LETTERS) + word[place:], 0


def _noise(rng: Random, count: int) -> str:
    return "".join(rng.choices(LETTERS, k=count))


def _hidden(rng: Random, word: str) -> tuple[str, int]:
    before = rng.randint(0, 4)
    return _noise(rng, before) + word + _noise(rng, 4 - before), len(word)


def _every_other(rng: Random, word: str) -> tuple[str, int]:
    pairs = ("".join(pair) for pair in zip(word, _noise(rng, len(word))))
    text = "".join(pairs)
    return (text if rng.random() < 0.5 else text[-1] + text[:-1]), 0


def _caesar(rng: Random, word: str) -> tuple[str, int]:
    places = rng.randint(1, 25)
    return shifted(word, places), places


def _numbers(word: str) -> str:
    return "-".join(str(LETTERS.index(letter) + 1) for letter in word)


EXACT: dict[str, Kind] = {
    "backwards": Kind(
        lambda rng, word: (word[::-1], 0),
        lambda text, _: [text[::-1]],
        lambda text, _, word: all(one == other for one, other in zip(reversed(text), word)),
        "{0}, read backwards",
    ),
    "shift": Kind(
        _caesar,
        lambda text, places: [shifted(text, -places)],
        lambda text, places, word: shifted(word, places) == text,
        "becomes {0} if every letter is replaced by the one {1} places further in the alphabet"
        " (A follows Z)",
    ),
    "numbers": Kind(
        lambda rng, word: (_numbers(word), 0),
        lambda text, _: ["".join(LETTERS[int(number) - 1] for number in text.split("-"))],
        lambda text, _, word: _numbers(word) == text,
        "its letters are {0}, with A = 1, B = 2, ..., Z = 26",
    ),
}
OPEN_ENDED: dict[str, Kind] = {
    "anagram": Kind(
        lambda rng, word: ("".join(sorted(word)), 0),
        lambda text, _: ["".join(order) for order in sorted(set(permutations(text)))],
        lambda text, _, word: sorted(text) == sorted(word),
        "the letters {0} in some order",
    ),
    "changed": Kind(
        _changed,
        lambda text, _: [
            text[:place] + letter + text[place + 1 :]
            for place in range(len(text))
            for letter in LETTERS
            if letter != text[place]
        ],
        lambda text, _, word: sum(one != other for one, other in zip(text, word)) == 1,
        "{0} with exactly one letter changed into another",
    ),
    "longer": Kind(
        _longer,
        lambda text, _: sorted({text[:at] + text[at + 1 :] for at in range(len(text))}),
        lambda text, _, word: any(word == text[:at] + text[at + 1 :] for at in range(len(text))),
        "{0} without one of its letters, the others in their order",
    ),
    "some_shift": Kind(
        lambda rng, word: (_caesar(rng, word)[0], 0),
        lambda text, _: [shifted(text, places) for places in range(1, 26)],
        lambda text, _, word: word != text and _differences(word) == _differences(text),
        "becomes {0} if every letter is replaced by the one so many places further in the alphabet"
        " (A follows Z), the same number from 1 to 25 for all letters",
    ),
    "hidden": Kind(
        _hidden,
        lambda text, length: sorted(
            {text[at : at + length] for at in range(len(text) - length + 1)}
        ),
        lambda text, length, word: len(word) == length and word in text,
        "{1} letters that stand in a row, from left to right, in {0}",
    ),
    "every_other": Kind(
        _every_other,
        lambda text, _: sorted({text[::2], text[1::2]}),
        lambda text, _, word: word in (text[::2], text[1::2]),
        "every other letter of {0}, beginning with its first or with its second",
    ),
}
KINDS = EXACT | OPEN_ENDED
LONGEST_ANAGRAM = 6  # letters


def clue(rng: Random, word: str, exact: bool) -> Clue:
    some = EXACT if exact else OPEN_ENDED
    kinds = [kind for kind in some if kind != "anagram" or len(word) <= LONGEST_ANAGRAM]
    kind = rng.choice(kinds)
    return (kind, *KINDS[kind].make(rng, word))


@lru_cache(maxsize=64)  # a grid is tried again with most of its clues the same
def answers(clue: Clue) -> list[str]:
    return KINDS[clue[0]].answers(*clue[1:])


def is_met(clue: Clue, word: str) -> bool:
    return KINDS[clue[0]].met(*clue[1:], word)


def said(clue: Clue) -> str:
    return KINDS[clue[0]].says.format(*clue[1:])
