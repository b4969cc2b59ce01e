"""Word ladder: from one word to another, a letter at a time, by way of words from a given list.

Every shortest ladder is right. The list is part of the prompt, so that nobody needs to know which
words count. `solve` searches from both ends; `verify` counts outwards from the last word; `recheck`
lets the words reached grow as a set, and compares words letter by letter.
"""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from operator import ne
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.words._pool import pool

Words: TypeAlias = tuple[str, ...]
Graph: TypeAlias = dict[str, list[str]]


SLIPS = 40  # that are offered


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # of the words
    listed: int  # words in the list
    steps: int  # of a shortest ladder


@dataclass(frozen=True, slots=True)
class Ladder:
    first: str
    last: str
    words: Words  # in the order of the alphabet; the ends are among them


def generate(rng: Random, knobs: Knobs) -> Ladder | None:
    """A walk away from a word, and its surroundings; then the list is thinned from outside."""
    graph = _everything(knobs.length)
    first = rng.choice(sorted(graph))
    away = _distances(graph, first)
    far = [word for word, steps in away.items() if 2 <= steps <= knobs.steps]
    if not far or max(away[word] for word in far) < knobs.steps:
        return None
    last = rng.choice([word for word in far if away[word] == knobs.steps])
    way = _way(graph, first, last)
    assert way
    chosen = dict.fromkeys(way)
    near = _around(graph, list(way))
    rng.shuffle(near)
    for word in near:
        if len(chosen) >= knobs.listed:
            break
        # One that hangs on what is chosen already: a blind alley, or a detour.
        if rng.random() < 0.8:
            chosen[word] = None
    rest = [word for word in sorted(graph) if word not in chosen]
    chosen |= dict.fromkeys(rng.sample(rest, min(len(rest), max(0, knobs.listed - len(chosen)))))
    return Ladder(first, last, tuple(sorted(chosen)))


def solve(ladder: Ladder) -> Words | None:
    return _way(_graph(ladder.words), ladder.first, ladder.last)


def verify(ladder: Ladder, words: Words) -> float:
    if words[:1] != (ladder.first,) or words[-1] != ladder.last:
        return 0.0
    if len(words) > len(ladder.words) or not set(words) <= set(ladder.words):
        return 0.0
    graph = _graph(ladder.words)
    if any(after not in graph[before] for before, after in pairwise(words)):
        return 0.0
    return float(len(words) - 1 == _distances(graph, ladder.last)[ladder.first])


def recheck(ladder: Ladder, words: Words) -> bool:
    def differ(one: str, other: str) -> int:
        return sum(map(ne, one, other))

    known = all(word in ladder.words for word in words)
    ends = bool(words) and (words[0], words[-1]) == (ladder.first, ladder.last)
    if not known or not ends or any(differ(*pair) != 1 for pair in pairwise(words)):
        return False
    new, left, rounds = {ladder.first}, set(ladder.words) - {ladder.first}, 0
    while ladder.last in left and new:
        new = {word for word in left if any(differ(word, old) == 1 for old in new)}
        left -= new
        rounds += 1
    return rounds == len(words) - 1


def render(ladder: Ladder, style: Style) -> Prompt:
    words, first, last = ", ".join(ladder.words), ladder.first, ladder.last
    return Prompt(
        style.pick(
            f"Turn {first} into {last} by changing one letter at a time. Every word on the way must"
            f" be one of these:\n\n{words}\n\nLetters are neither added nor removed nor moved. Use"
            " as few words as possible; if several ways are equally short, any of them is right.",
            f"List of words: {words}\n\nBuild a word ladder from {first} to {last}. Each word of"
            " the"
            " ladder has to be in the list, and it differs from the word before it in exactly one"
            " position. The ladder should have as few words as possible. Any shortest ladder is"
            " accepted.",
            f"A word may be followed by another of the same length in which a single letter is"
            f" different. Only the words below are allowed. What is a shortest chain that begins"
            f" with {first} and ends with {last}? One such chain is enough.\n\n{words}",
        ),
        form=f"the words of the ladder in order, from {first} to {last}, joined by ->",
    )


def steps(ladder: Ladder) -> list[str]:
    """The words by how far they are from the first, as far as the last."""
    away = _distances(_graph(ladder.words), ladder.first)
    by_steps = defaultdict(list)
    for word, far in away.items():
        by_steps[far].append(word)
    lines = [
        f"after {far} changes: {', '.join(sorted(by_steps[far]))}"
        for far in range(1, away[ladder.last] + 1)
    ]
    return [*lines, " -> ".join(solve(ladder) or ())]


def progress(ladder: Ladder, lines: Lines) -> float:
    return results_derived(FAMILY, ladder, lines, ":", bags=True)


def slips(rng: Random, ladder: Ladder, gold: Words) -> Iterator[Words]:
    """Time and again another word in a place, that follows from one side only; or a detour; or a
    word left out. Rather words that have no letters but those of gold, which has few."""
    graph, words, letters = _graph(ladder.words), gold, set("".join(gold))
    for _ in range(SLIPS):
        at = rng.randrange(1, len(words))
        beside = rng.choice((words[at - 1], words[min(at + 1, len(words) - 1)]))
        others = [word for word in graph[beside] if word not in words]
        others = [word for word in others if letters.issuperset(word)] or others
        if not others or at == len(words) - 1:
            continue
        other = rng.choice(others)
        size = rng.choice((0, 0, 0, 0, 1, -1)) if len(gold) > 3 else 0
        if size == -1 and len(words) > 3:
            words = (*words[:at], *words[at + 1 :])
        else:
            words = (*words[:at], other, *words[at + (size < 1) :])
        yield words


def canon(ladder: Ladder) -> list[object]:
    return [sorted([ladder.first, ladder.last]), sorted(ladder.words)]


def hardness(ladder: Ladder) -> float:
    """Words to choose from, and steps to make."""
    return len(ladder.words) + 3 * len(solve(ladder) or ())


@cache
def _everything(length: int) -> Graph:
    return _graph(pool(length, length, True))


@lru_cache(maxsize=4)
def _graph(words: Words) -> Graph:
    """The words that differ from each in one letter."""
    alike = defaultdict(list)
    for word in words:
        for at in range(len(word)):
            alike[at, word[:at] + "." + word[at + 1 :]].append(word)
    graph: Graph = {word: [] for word in words}
    for same in alike.values():
        for word in same:
            graph[word] += [other for other in same if other != word]
    return graph


def _distances(graph: Graph, start: str) -> dict[str, int]:
    away, waiting = {start: 0}, deque([start])
    while waiting:
        word = waiting.popleft()
        for other in graph[word]:
            if other not in away:
                away[other] = away[word] + 1
                waiting.append(other)
    return away


def _around(graph: Graph, words: list[str]) -> list[str]:
    """The words at one or two steps from some words."""
    near = dict.fromkeys(other for word in words for other in graph[word])
    far = dict.fromkeys(other for word in near for other in graph[word])
    return [word for word in near | far if word not in words]


def _way(graph: Graph, first: str, last: str) -> Words | None:
    """A shortest way, from both ends: the smaller side goes a step further."""
    came: tuple[dict[str, str], dict[str, str]] = ({first: ""}, {last: ""})
    edges = [[first], [last]]
    while all(edges):
        side = int(len(edges[1]) < len(edges[0]))
        grown = []
        for word in edges[side]:
            for other in graph[word]:
                if other not in came[side]:
                    came[side][other] = word
                    grown.append(other)
        met = [word for word in grown if word in came[1 - side]]
        if met:
            return (*_back(came[0], min(met))[::-1], *_back(came[1], min(met))[1:])
        edges[side] = grown
    return None


def _back(came: dict[str, str], word: str) -> Words:
    found = []
    while word:
        found.append(word)
        word = came[word]
    return tuple(found)


LADDER = (
    Knobs(3, 10, 3),
    Knobs(3, 30, 4),
    Knobs(4, 70, 5),
    Knobs(4, 140, 7),
    Knobs(4, 300, 10),
)
FAMILY = Family(
    Ladder,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Path("words"),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="search from both ends",
    guess_rate=0.06,
    steps=steps,
    progress=progress,
    slips=slips,
    slips_version=2,
    canon=canon,
    skills=("search", "planning"),
    peers=(
        "reasoning-gym/word_ladder",
        "TextArena/WordLadder",
        "InternBootcamp/kor_puzzle_word_ladder",
    ),
    version=2,
)
