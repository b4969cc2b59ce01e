"""Word sorting: put words into the order of the alphabet, or of another alphabet.

Words that begin alike, so that more than the first letters must be looked at. The words are all
different, so there is one order: `solve` deals them out letter by letter, `verify` sorts them by
the places of their letters.
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random
from string import ascii_lowercase

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import list_begun
from puzzlemill.generators.words._pool import pool


@dataclass(frozen=True, slots=True)
class Knobs:
    words: int  # to be sorted
    alike: int  # letters with which words of a bunch begin
    changed: float  # how often the alphabet is another one
    moved: int  # letters that change their places in it
    backwards: float  # how often the last word is to come first


@dataclass(frozen=True, slots=True)
class Pile:
    words: tuple[str, ...]
    alphabet: str
    backwards: bool


def generate(rng: Random, knobs: Knobs) -> Pile | None:
    alphabet = ascii_lowercase
    if rng.random() < knobs.changed:
        alphabet = _mixed(rng, knobs.moved)
    words = _bunches(rng, knobs.words, knobs.alike)
    rng.shuffle(words)
    pile = Pile(tuple(words), alphabet, rng.random() < knobs.backwards)
    return None if solve(pile) == pile.words else pile


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(pile: Pile) -> tuple[str, ...]:
    dealt = _dealt(list(pile.words), pile.alphabet, 0)
    return tuple(reversed(dealt) if pile.backwards else dealt)


def verify(pile: Pile, words: tuple[str, ...]) -> float:
    ranks = dict(zip(pile.alphabet, range(26)))
    ranked = sorted([ranks[letter] for letter in word] for word in pile.words)
    if pile.backwards:
        ranked.reverse()
    return float(words == tuple("".join(pile.alphabet[at] for at in rank) for rank in ranked))


def render(pile: Pile, style: Style) -> Prompt:
    words = ", ".join(pile.words)
    if pile.alphabet == ascii_lowercase:
        order = style.pick("alphabetical order", "the order of a dictionary", "alphabetical order")
    else:
        order = style.pick(
            f"the order of this alphabet: {' '.join(pile.alphabet)}",
            f"the order that a dictionary would have if the alphabet were {pile.alphabet}",
            "alphabetical order, where the letters of the alphabet, from the first to the last,"
            " are"
            f" {', '.join(pile.alphabet)}",
        )
    turned = ", but backwards, so that the word that would be last comes first"
    order += turned if pile.backwards else ""
    return Prompt(
        style.pick(
            f"Sort these words into {order}.\n\n{words}\n\nWords that begin alike are ordered by"
            " the"
            " first letter in which they differ, and a word goes before any longer word that begins"
            f" with it{_unless(pile)}.",
            f"Words: {words}\n\nPut them into {order}. Compare letter by letter from the left;"
            " where"
            f" a word is the beginning of another, the shorter one is earlier{_unless(pile)}.",
            f"A librarian has to bring the words below into {order}. Letters are compared from left"
            " to right until two differ. If one word ends before that, it is the earlier of the"
            f" two{_unless(pile)}.\n\n{words}",
        ),
        form=f"all {len(pile.words)} words in the right order, separated by spaces",
    )


def steps(pile: Pile) -> list[str]:
    """The words by their first letters, then in order."""
    lines = []
    order = solve(pile)
    for letter in dict.fromkeys(word[0] for word in order):
        same = [word for word in pile.words if word[0] == letter]
        there = [word for word in order if word[0] == letter]
        lines.append(f"{letter}: {', '.join(same)}; in order: {' '.join(there)}")
    return lines


def progress(pile: Pile, lines: Lines) -> float:
    return list_begun(FAMILY, pile, lines)


def canon(pile: Pile) -> list[object]:
    """In which order the words are given does not matter."""
    return [sorted(pile.words), pile.alphabet, pile.backwards]


def hardness(pile: Pile) -> float:
    """Words, letters that must be looked at, and the strangeness of the alphabet."""
    order = solve(pile)
    looked = sum(_shared(one, other) + 1 for one, other in pairwise(order))
    moved = sum(one != other for one, other in zip(pile.alphabet, ascii_lowercase))
    return len(pile.words) + looked + moved + 2 * pile.backwards


def _unless(pile: Pile) -> str:
    return " (before the whole order is turned round)" if pile.backwards else ""


def _shared(one: str, other: str) -> int:
    """Letters with which both begin."""
    return next(
        (at for at, pair in enumerate(zip(one, other)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )


def _mixed(rng: Random, moved: int) -> str:
    letters = list(ascii_lowercase)
    places = rng.sample(range(26), moved)
    for place, letter in zip(places, rng.sample([letters[at] for at in places], moved)):
        letters[place] = letter
    return "".join(letters)


def _bunches(rng: Random, count: int, alike: int) -> list[str]:
    """Words of which some begin alike and some do not."""
    everything = pool(3, 11, True)
    found = dict.fromkeys(rng.sample(everything, 2))
    while len(found) < count:
        first = rng.choice(everything)
        same = _beginning(everything, first[:alike])
        found |= dict.fromkeys(rng.sample(same, min(len(same), rng.randint(1, 6))))
    return list(found)[:count]


def _beginning(words: tuple[str, ...], start: str) -> tuple[str, ...]:
    """Those of sorted words that begin so."""
    return words[bisect_left(words, start) : bisect_left(words, start + "{")]  # { is after z


def _dealt(words: list[str], alphabet: str, place: int) -> list[str]:
    """In order: first the word that ends here, then by the letter that comes next."""
    if len(words) < 2:
        return words
    hands: dict[str, list[str]] = {}
    for word in words:
        hands.setdefault(word[place : place + 1], []).append(word)
    order = hands.pop("", [])
    for letter in filter(hands.__contains__, alphabet):
        order += _dealt(hands[letter], alphabet, place + 1)
    return order


LADDER = (
    Knobs(5, 1, 0.0, 2, 0.0),
    Knobs(10, 2, 0.3, 8, 0.1),
    Knobs(18, 3, 0.6, 26, 0.2),
    Knobs(30, 3, 0.9, 26, 0.3),
    Knobs(50, 4, 1.0, 26, 0.4),
)
FAMILY = Family(
    Pile,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(reorders=True),
    hardness=hardness,
    proof="unique",
    solver="dealing out letter by letter",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("ordering", "tracking"),
    peers=(
        "reasoning-gym/word_sorting",
        "SynLogic/word_sorting",
        "KORGym/22-alphabetical_sorting",
        "InternBootcamp/bbeh_word_sorting",
    ),
)
