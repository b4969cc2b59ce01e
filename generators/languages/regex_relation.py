"""Regex relation: a string that one of two patterns matches and the other does not, if any.

Pairs that match the same strings, and pairs that do not, are made by the same rewritings; in the
latter one small change goes astray. `solve` goes through both automata side by side, nearest
strings first, and so proves that no string tells them apart. `verify` looks where in a given string
parts of a pattern may end; that there is no string it finds with derivatives. `recheck` has their
roles exchanged.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.languages._regex import (
    LEGEND,
    Automaton,
    Regex,
    derived,
    is_end,
    matches,
    matches_by_places,
    nullable,
    shown,
    size,
)

Answer: TypeAlias = tuple[str, ...] | Impossible

CONSONANTS = "bcdfghjklmnpqrstvwz"  # no word comes out, and the legend speaks of x and y
LONGEST = 60  # letters of an answer
STATES = 3000  # pairs of sets of states to look at
TRIED = 40


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the alphabet
    size: int  # of a pattern, about
    rewritings: int  # of each pattern into another that matches the same strings
    shortest: int  # letters, at least, of a string that tells the patterns apart
    impossible: float  # share of pairs that match the same strings


@dataclass(frozen=True, slots=True)
class Two:
    first: Regex
    second: Regex
    letters: str


def generate(rng: Random, knobs: Knobs) -> Two | None:
    letters = "".join(sorted(rng.sample(CONSONANTS, knobs.letters)))
    wanted = rng.random() >= knobs.impossible  # whether a string tells them apart
    for _ in range(100):
        one = _grown(rng, letters, knobs.size)
        other = one
        for at in range(knobs.rewritings + wanted):
            one = _somewhere(rng, one, _rewritten)
            change = _strayed if wanted and at == 0 else _rewritten
            other = _somewhere(rng, other, change)
        first, second = rng.sample([one, other], 2)
        two = Two(first, second, letters)
        fits = all(knobs.size // 2 <= size(side) <= 2 * knobs.size + 3 for side in (one, other))
        if one == other or not fits or shown(one) == shown(other):
            continue
        word = solve(two)
        if word is None or (word is IMPOSSIBLE) == wanted:
            continue
        if isinstance(word, Impossible):
            return two
        if knobs.shortest <= len(word) <= 20 and not _is_easy(rng, two, len(word)):
            return two
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(two: Two) -> Answer | None:
    """Breadth first, so the shortest string that tells the two apart; None if that takes long."""
    one, other = Automaton(two.first), Automaton(two.second)
    start: tuple[str, ...] = ()
    waiting = [(start, one.first, other.first)]
    seen = {(one.first, other.first)}
    for word, mine, yours in waiting:
        if is_end(mine) != is_end(yours) and word:
            return word
        for letter in two.letters:
            after = (one.after(mine, letter), other.after(yours, letter))
            if after not in seen:
                seen.add(after)
                waiting.append(((*word, letter), *after))
        if len(seen) > STATES:
            return None
    return IMPOSSIBLE


def verify(two: Two, answer: Answer) -> float:
    if isinstance(answer, Impossible):
        return float(_same_by_derivatives(two))
    if not 0 < len(answer) <= LONGEST or not set(answer) <= set(two.letters):
        return 0.0
    text = "".join(answer)
    return float(matches_by_places(two.first, text) != matches_by_places(two.second, text))


def recheck(two: Two, answer: Answer) -> bool:
    if isinstance(answer, Impossible):
        return solve(two) is IMPOSSIBLE
    known = 0 < len(answer) <= LONGEST and all(letter in two.letters for letter in answer)
    return known and matches(two.first, answer) != matches(two.second, answer)


def render(two: Two, style: Style) -> Prompt:
    patterns = f"1. {shown(two.first)}\n2. {shown(two.second)}"
    letters = ", ".join(two.letters)
    question = style.pick(
        f"Here are two regular expressions over the letters {letters}:\n\n{patterns}\n\n{LEGEND}\n"
        "\nGive a string of at least one letter that one of them matches as a whole and the other"
        " does not, or find that they match the same strings.",
        f"{LEGEND} A pattern accepts a string if it matches all of it. The letters are {letters}."
        f"\n\n{patterns}\n\nDo these two patterns accept the same non-empty strings? If not, give"
        " a string that exactly one of them accepts.",
        f"Tell these two patterns apart:\n\n{patterns}\n\nWhat is wanted is a non-empty string of"
        f" the letters {letters} that fits one pattern from beginning to end but not the other; it"
        f" may be that there is none. {LEGEND}",
    )
    return Prompt(
        question,
        f"the letters of the string in order (at most {LONGEST}), separated by spaces, or the word"
        ' "impossible" if there is no such string',
    )


def canon(two: Two) -> list[str]:
    """Which letters are used does not matter."""
    new: dict[str, str] = {}
    return [
        "".join(
            new.setdefault(sign, f"<{len(new)}>") if sign in two.letters else sign
            for sign in shown(side)
        )
        for side in (two.first, two.second)
    ]


def hardness(two: Two) -> int:
    word = solve(two)
    return size(two.first) + size(two.second) + (len(word) if isinstance(word, tuple) else 8)


def _same_by_derivatives(two: Two) -> bool:
    start = (frozenset([two.first]), frozenset([two.second]))
    waiting, seen = [start], {start}
    while waiting and len(seen) <= 4 * STATES:
        sides = waiting.pop()
        for letter in two.letters:
            after = tuple(
                frozenset(part for regex in side for part in derived(regex, letter))
                for side in sides
            )
            pair = (after[0], after[1])
            if any(map(nullable, pair[0])) != any(map(nullable, pair[1])):
                return False
            if pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return not waiting


def _is_easy(rng: Random, two: Two, length: int) -> bool:
    """Whether random strings of about this length often tell the two apart."""
    one, other = Automaton(two.first), Automaton(two.second)
    telling = 0
    for _ in range(TRIED):
        text = "".join(rng.choice(two.letters) for _ in range(rng.randint(length, length + 2)))
        telling += one.reads(text) != other.reads(text)
    return telling > 2


def _grown(rng: Random, letters: str, wanted: int) -> Regex:
    if wanted <= 1:
        return rng.choice(letters)
    if wanted == 2 or rng.random() < 0.25:
        return (rng.choice(["star", "star", "plus", "maybe"]), _grown(rng, letters, wanted - 1))
    cut = rng.randint(1, wanted - 2)
    kind = rng.choice(["cat", "cat", "or"])
    return (kind, _grown(rng, letters, cut), _grown(rng, letters, wanted - 1 - cut))


def _somewhere(rng: Random, regex: Regex, change: Callable[[Random, Regex], Regex]) -> Regex:
    """The regex with a change at one of its parts."""
    inner = [at for at in range(1, len(regex)) if isinstance(regex, tuple)]
    if not inner or rng.random() < 0.3:
        return change(rng, regex)
    at = rng.choice(inner)
    if isinstance(regex[at], int):
        return change(rng, regex)
    return (*regex[:at], _somewhere(rng, regex[at], change), *regex[at + 1 :])


def _rewritten(rng: Random, regex: Regex) -> Regex:
    """Another way to write the same."""
    match regex:
        case ("star", ("or", one, other)):
            return rng.choice([
                ("star", ("cat", ("star", one), ("star", other))),
                ("cat", ("star", one), ("star", ("cat", other, ("star", one)))),
                ("star", ("or", other, ("plus", one))),
            ])  # fmt: skip
        case ("star", part):
            return rng.choice([
                ("maybe", ("plus", part)),
                ("cat", ("maybe", part), ("star", part)),
                ("cat", ("star", ("cat", part, part)), ("maybe", part)),
                ("star", ("plus", part)),
            ])  # fmt: skip
        case ("plus", part):
            return rng.choice([("cat", part, ("star", part)), ("cat", ("star", part), part)])
        case ("maybe", ("maybe" | "star" as kind, part)):
            return (kind, part)
        case ("cat", ("star", ("cat", one, other)), third) if third == one:
            return ("cat", one, ("star", ("cat", other, one)))
        case ("cat", one, ("or", *parts)):
            return ("or", *(("cat", one, part) for part in parts))
        case ("or", one, other):
            return rng.choice([("or", other, one), ("or", one, other, one)])
        case ("cat", ("maybe", one), other):
            return ("or", ("cat", one, other), other)
    return regex


def _strayed(rng: Random, regex: Regex) -> Regex:
    """Something that looks like another way to write the same, and often is not."""
    match regex:
        case ("star", ("or", one, other)):
            return rng.choice([
                ("cat", ("star", one), ("star", other)),
                ("star", ("cat", other, ("star", one))),
                ("cat", ("star", ("cat", one, other)), ("star", ("or", other, one))),
            ])  # fmt: skip
        case ("star", ("cat", one, other)):
            return ("star", ("or", ("cat", one, other), ("cat", one, one)))
        case ("star", part):
            return rng.choice([("times", part, 0, 3), ("star", ("cat", part, part))])
        case ("plus", part):
            return rng.choice([("cat", part, part, ("star", part)), ("times", part, 1, 3)])
        case ("cat", one, other):
            return rng.choice([("cat", other, one), ("cat", ("plus", one), other)])
        case ("or", one, other):
            return ("or", one, ("cat", one, other), other)
        case ("maybe", part):
            return ("star", part)
    return ("plus", regex)


LADDER = (
    Knobs(2, 5, 1, 2, 0.0),
    Knobs(2, 10, 3, 3, 0.12),
    Knobs(3, 11, 4, 3, 0.12),
    Knobs(3, 15, 6, 4, 0.12),
    Knobs(3, 20, 8, 4, 0.12),
)
FAMILY = Family(
    Two,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.WordList(form="a string of letters", items="letters")),
    hardness=hardness,
    solver="both automata side by side, to the end",
    guess_rate=0.3,
    recheck=recheck,
    canon=canon,
    skills=("search", "logic"),
    peers=("reasoning-core/regex_reasoning",),
    version=3,
)
