"""Anagram groups: which words, or strings of letters, are made of the same letters.

Some stand alone: words that differ in one letter from those of a group. `solve` files each word
under its letters in order; `verify` compares the words of the answer two by two.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.relatives import outline
from puzzlemill.generators.strings._letters import CONSONANTS, drawn
from puzzlemill.generators.words._pool import pool

Partition: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    groups: int  # of two words or more
    largest: int  # words of a group
    alone: int  # words that nothing else is made like
    length: int  # letters of a string; 0: real words


@dataclass(frozen=True, slots=True)
class Heap:
    words: tuple[str, ...]


def generate(rng: Random, knobs: Knobs) -> Heap | None:
    words = _strings(rng, knobs) if knobs.length > 4 else _words(rng, knobs)
    rng.shuffle(words)
    heap = Heap(tuple(words))
    groups = solve(heap)
    alone = sum(len(group) == 1 for group in groups)
    if len(set(words)) < len(words) or len(groups) - alone < 2:
        return None
    return heap


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(heap: Heap) -> Partition:
    filed = defaultdict(list)
    for word in heap.words:
        filed["".join(sorted(word))].append(word)
    return tuple(sorted(tuple(sorted(group)) for group in filed.values()))


def verify(heap: Heap, groups: Partition) -> float:
    place = {word: number for number, group in enumerate(groups) for word in group}
    if place.keys() != set(heap.words):
        return 0.0
    made = [(place[word], {letter: word.count(letter) for letter in word}) for word in heap.words]
    return float(
        all(
            (group == other_group) == (letters == other_letters)
            for (group, letters), (other_group, other_letters) in combinations(made, 2)
        )
    )


def render(heap: Heap, style: Style) -> Prompt:
    words = ", ".join(heap.words)
    what = style.pick("Strings of letters", "Strings", "Words, some of them without a meaning")
    return Prompt(
        style.pick(
            f"{what}: {words}\n\nTwo of them belong together if they consist of the same letters,"
            " each letter equally often, in whatever order. Divide all of them into groups of those"
            " that belong together. A string that belongs with no other is a group by itself.",
            f"Group anagrams.\n\n{words}\n\nPut two of these strings into the same group exactly"
            " when one can be made from the other by rearranging its letters. A string without any"
            " partner makes up a group of one.",
            "Some of the strings below are rearrangements of each other's letters, with every"
            " letter used just as many times. Sort them into sets so that rearrangements of each"
            " other are in one set, and nothing else is; a set may hold only one"
            f" string.\n\n{words}",
        ),
        form="all the groups, one line each, the members of a group separated by commas",
    )


def steps(heap: Heap) -> list[str]:
    return [f"{''.join(sorted(group[0]))}: {', '.join(group)}" for group in solve(heap)]


def canon(heap: Heap) -> list[str]:
    return sorted(heap.words)


def hardness(heap: Heap) -> float:
    """Letters to look at."""
    return sum(map(len, heap.words))


@cache
def _families() -> tuple[tuple[str, ...], ...]:
    """All anagrams among the words of four to eight letters."""
    filed = defaultdict(list)
    for word in pool(4, 8, True):
        filed["".join(sorted(word))].append(word)
    return tuple(tuple(group) for group in filed.values() if len(group) > 1)


@cache
def _near() -> dict[str, tuple[str, ...]]:
    """Words by their letters but for one, whichever it is."""
    filed = defaultdict(list)
    for word in pool(4, 8, True):
        letters = "".join(sorted(word))
        for at in range(len(letters)):
            filed[letters[:at] + letters[at + 1 :]].append(word)
    return {letters: tuple(dict.fromkeys(words)) for letters, words in filed.items()}


def _words(rng: Random, knobs: Knobs) -> list[str]:
    found: list[str] = []
    for group in rng.sample(_families(), knobs.groups):
        found += rng.sample(group, min(len(group), knobs.largest))
    for word in rng.sample(found, min(len(found), knobs.alone)):
        letters = sorted(word)
        del letters[rng.randrange(len(letters))]
        found.append(rng.choice(_near()["".join(letters)]))
    return list(dict.fromkeys(found))


def _strings(rng: Random, knobs: Knobs) -> list[str]:
    """Strings of few different letters: the groups differ from each other in one letter, mostly."""
    letters = "".join(rng.sample(CONSONANTS, max(4, knobs.length // 2)))
    bases = [drawn(rng, letters, knobs.length)]
    for _ in range(knobs.groups + knobs.alone - 1):
        changed = list(rng.choice(bases))
        changed[rng.randrange(knobs.length)] = rng.choice(letters)
        bases.append("".join(changed))
    found: list[str] = []
    for number, base in enumerate(bases):
        size = rng.randint(2, knobs.largest) if number < knobs.groups else 1
        found += ["".join(rng.sample(base, len(base))) for _ in range(size)]
    return list(dict.fromkeys(found))


LADDER = (
    Knobs(3, 2, 1, 0),
    Knobs(5, 3, 3, 0),
    Knobs(6, 3, 4, 6),
    Knobs(7, 4, 5, 10),
    Knobs(9, 4, 6, 14),
)
FAMILY = Family(
    Heap,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Groups("words"),
    hardness=hardness,
    proof="unique",
    solver="filing under the letters in order",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    redraws=outline,
    skills=("counting", "matching"),
    peers=("reasoning-gym/group_anagrams",),
    version=2,
)
