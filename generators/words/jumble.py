"""Jumble: find the words whose letters have been mixed.

Every word of the vocabulary that is made of the letters is right. Words with an anagram that only a
larger dictionary knows are not asked for. `solve` looks the letters up; `verify` strikes letters
off and asks the vocabulary; `recheck` looks each word up by bisection and compares tallies.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.relatives import outline
from puzzlemill.generators import _vocabulary
from puzzlemill.generators.words._pool import ODD, pool
from puzzlemill.generators.words._twins import TWINNED

Words: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    words: int  # to be found
    shortest: int  # letters of a word, at least
    longest: int  # letters of a word, at most
    mixed: float  # how far letters go from their places, 0 to 1


@dataclass(frozen=True, slots=True)
class Jumbles:
    jumbles: Words


def generate(rng: Random, knobs: Knobs) -> Jumbles | None:
    words = rng.sample(_clear(knobs.shortest, knobs.longest), knobs.words)
    jumbles = [_mixed(rng, word, knobs.mixed) for word in words]
    if any(jumble in _vocabulary.known() for jumble in jumbles):
        return None
    return Jumbles(tuple(jumbles))


def solve(puzzle: Jumbles) -> Words | None:
    found = [_by_letters().get("".join(sorted(jumble))) for jumble in puzzle.jumbles]
    return tuple(words[0] for words in found if words) if all(found) else None


def verify(puzzle: Jumbles, words: Words) -> float:
    if len(words) != len(puzzle.jumbles):
        return 0.0
    for jumble, word in zip(puzzle.jumbles, words, strict=True):
        left = jumble
        for letter in word:
            if letter not in left:
                return 0.0
            left = left.replace(letter, "", 1)
        if left or word not in _vocabulary.known():
            return 0.0
    return 1.0


def recheck(puzzle: Jumbles, words: Words) -> bool:
    everything = _vocabulary.words(rarer=True)
    for word in words:
        place = bisect_left(everything, word)
        if everything[place : place + 1] != (word,):
            return False
    return [*map(Counter, words)] == [*map(Counter, puzzle.jumbles)]


def render(puzzle: Jumbles, style: Style) -> Prompt:
    jumbles = "\n".join(f"{number}. {jumble}" for number, jumble in enumerate(puzzle.jumbles, 1))
    many = len(puzzle.jumbles) > 1
    return Prompt(
        style.pick(
            f"Unscramble the letters: each line hides an English word.\n\n{jumbles}\n\nEvery letter"
            " of a line is used, exactly as often as it stands there.",
            f"Someone mixed up the letters of {len(puzzle.jumbles)} ordinary English words. What"
            f" were the words? Nothing was added and nothing left out.\n\n{jumbles}",
            f"{jumbles}\n\nRearrange all the letters of each line above so that they spell a word"
            " of"
            " the English language; inflected forms such as plurals may occur, proper names do"
            " not.",
        ),
        form=f"the {'words' if many else 'word'} in the order of the lines, separated by spaces",
    )


def canon(puzzle: Jumbles) -> list[str]:
    """Which words there are, however mixed and in whatever order."""
    return sorted("".join(sorted(jumble)) for jumble in puzzle.jumbles)


def hardness(puzzle: Jumbles) -> float:
    """Letters of all words; in long ones each counts for more."""
    return sum(len(jumble) ** 2 / 6 for jumble in puzzle.jumbles)


@cache
def _clear(shortest: int, longest: int) -> Words:
    """Common words, and long ones that are rarer, whose letters make no word we do not know."""
    common = pool(shortest, min(longest, 8)) if shortest <= 8 else ()
    long = pool(max(shortest, 9), longest, True) if longest >= 9 else ()
    # Nor one that could not be read from a reply.
    odd = {"".join(sorted(word)) for word in ODD}
    return tuple(
        word
        for word in (*common, *long)
        if word not in TWINNED and "".join(sorted(word)) not in odd
    )


@cache
def _by_letters() -> dict[str, Words]:
    filed = defaultdict(list)
    for word in pool(4, 12, True):
        filed["".join(sorted(word))].append(word)
    return {letters: tuple(words) for letters, words in filed.items()}


def _mixed(rng: Random, word: str, share: float) -> str:
    """Some of the letters among themselves in another order."""
    places = rng.sample(range(len(word)), max(3, round(share * len(word))))
    letters = list(word)
    for _ in range(20):
        for place, letter in zip(places, rng.sample([word[at] for at in places], len(places))):
            letters[place] = letter
        if "".join(letters) != word:
            break
    return "".join(letters)


LADDER = (
    Knobs(3, 5, 6, 0.5),
    Knobs(4, 5, 8, 0.7),
    Knobs(5, 6, 9, 1.0),
    Knobs(7, 8, 12, 1.0),
    Knobs(12, 9, 12, 1.0),
)
FAMILY = Family(
    Jumbles,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="looking the letters up",
    guess_rate=0.05,
    canon=canon,
    redraws=outline,
    skills=("language", "search"),
    peers=("reasoning-gym/letter_jumble", "KORGym/21-Anagramania"),
)
