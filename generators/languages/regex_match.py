"""Regex match: a string of a given length that one or several patterns all match.

`generate` grows patterns around a hidden string; many others may match as well. `solve` searches
the patterns' automata side by side; `verify` takes letter after letter off each pattern, and
`recheck` keeps the places in the string where a part of a pattern may end.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.languages._regex import (
    LEGEND,
    Automaton,
    Regex,
    Texts,
    is_end,
    matches,
    matches_by_places,
    shown,
    size,
)

CONSONANTS = "bcdfghjklmnpqrstvwz"  # no word comes out, and the legend speaks of x and y
TRIED = 40  # random strings, of which none may match


@dataclass(frozen=True, slots=True)
class Knobs:
    patterns: int  # that one string must match
    depth: int  # how deep a pattern may be nested
    letters: int  # of the alphabet
    length: int  # of the string


@dataclass(frozen=True, slots=True)
class Patterns:
    regexes: tuple[Regex, ...]
    letters: str
    length: int


def generate(rng: Random, knobs: Knobs) -> Patterns | None:
    letters = "".join(sorted(rng.sample(CONSONANTS, knobs.letters)))
    hidden = "".join(rng.choice(letters) for _ in range(knobs.length))
    if len(set(hidden)) < 2:
        return None
    texts = {_drawn(rng, letters, knobs.length) for _ in range(TRIED)} - {hidden}
    drawn = Texts(sorted(texts))
    regexes: list[Regex] = []
    left = texts  # what all patterns so far match
    for _ in range(20 * knobs.patterns):
        regex = _around(rng, hidden, letters, knobs.depth)
        plain = all(isinstance(part, str) for part in regex[1:])
        if plain or regex in regexes or not 4 <= size(regex) <= 8 + 5 * knobs.length // 2:
            continue
        read = set(drawn.matching(regex))
        # A pattern that most strings match says next to nothing.
        if 2 * len(read) <= len(texts):
            regexes.append(regex)
            left = left & read
            if len(regexes) == knobs.patterns:
                return None if left else Patterns(tuple(regexes), letters, knobs.length)
    return None


def solve(patterns: Patterns) -> tuple[str, ...] | None:
    """Goes through the automata of all patterns at once, and never twice through a dead end."""
    automata = [Automaton(regex) for regex in patterns.regexes]
    hopes = [automaton.leading(patterns.length, patterns.letters) for automaton in automata]
    dead: set[tuple[object, ...]] = set()
    states = [tuple(automaton.first for automaton in automata)]
    tried = [iter(patterns.letters)]
    word: list[str] = []
    while tried:
        if len(word) == patterns.length and all(map(is_end, states[-1])):
            return tuple(word)
        key = (len(word), *states[-1])
        letter = None if len(word) == patterns.length or key in dead else next(tried[-1], None)
        if letter is None:
            dead.add(key)
            tried.pop()
            states.pop()
            del word[-1:]
            continue
        after = tuple(
            automaton.after(state, letter) for automaton, state in zip(automata, states[-1])
        )
        left = patterns.length - len(word) - 1
        if all(state & hope[left] for state, hope in zip(after, hopes)):
            word.append(letter)
            states.append(after)
            tried.append(iter(patterns.letters))
    return None


def verify(patterns: Patterns, word: tuple[str, ...]) -> float:
    if len(word) != patterns.length or not set(word) <= set(patterns.letters):
        return 0.0
    return float(all(matches(regex, word) for regex in patterns.regexes))


def recheck(patterns: Patterns, word: tuple[str, ...]) -> bool:
    text = "".join(word)
    known = all(letter in patterns.letters for letter in word)
    return (
        known
        and len(text) == len(word) == patterns.length
        and all(matches_by_places(regex, text) for regex in patterns.regexes)
    )


def render(patterns: Patterns, style: Style) -> Prompt:
    several = len(patterns.regexes) > 1
    shapes = "\n".join(map(shown, patterns.regexes))
    letters = ", ".join(patterns.letters)
    question = style.pick(
        f"Find a string of exactly {patterns.length} letters, each of them one of {letters}, that"
        + (" every one of these regular expressions" if several else " this regular expression")
        + f" matches as a whole, from its first letter to its last:\n\n{shapes}\n\n{LEGEND}",
        f"{LEGEND}\n\nWrite {patterns.length} letters from {letters} in a row (letters may be"
        " repeated) so that the whole row fits "
        + ("each of these patterns" if several else "this pattern")
        + f":\n\n{shapes}",
        ("These patterns are" if several else "This pattern is")
        + f" given, over the alphabet {letters}:\n\n{shapes}\n\n{LEGEND} Give a string of length"
        f" {patterns.length} that"
        + (" all of them describe" if several else " it describes")
        + " completely, with nothing left over at either end. Any such string will do.",
    )
    return Prompt(question, "the letters of the string in order, separated by spaces")


def canon(patterns: Patterns) -> list[object]:
    """Which letters are used does not matter, nor the order of the patterns."""
    new: dict[str, str] = {}
    found = []
    for regex in patterns.regexes:
        found.append(
            "".join(
                new.setdefault(sign, f"<{len(new)}>") if sign in patterns.letters else sign
                for sign in shown(regex)
            )
        )
    return [found, patterns.length]


def hardness(patterns: Patterns) -> int:
    return sum(map(size, patterns.regexes)) * patterns.length


def _around(rng: Random, text: str, letters: str, depth: int) -> Regex:
    """A pattern that matches the text, and others."""
    if not text:
        return (rng.choice(["star", "maybe"]), rng.choice(letters))
    if depth == 0 or len(text) == 1:
        return _literal(rng, text, letters)
    match rng.randrange(5):
        case 0:
            return ("or", *rng.sample([
                _around(rng, text, letters, depth - 1),
                _around(rng, _drawn(rng, letters, rng.randint(1, 3)), letters, depth - 1),
            ], 2))  # fmt: skip
        case 1 | 2:
            parts = _cut(rng, text, rng.randint(2, 4))
            kinds = dict.fromkeys(_around(rng, part, letters, depth - 1) for part in parts)
            if len(kinds) == 1:
                extra = _drawn(rng, letters, 2)
                kinds[_literal(rng, extra, letters)] = None
            body = ("or", *kinds)
            if rng.random() < 0.3:
                return ("times", body, max(len(parts) - 1, 1), len(parts) + rng.randrange(2))
            return (rng.choice(["star", "plus"]), body)
        case _:
            parts = _cut(rng, text, rng.randint(2, 3))
            if rng.random() < 0.4:
                parts.insert(rng.randrange(len(parts) + 1), "")
            return ("cat", *(_around(rng, part, letters, depth - 1) for part in parts))


def _literal(rng: Random, text: str, letters: str) -> Regex:
    signs: list[Regex] = []
    for letter in text:
        others = [other for other in letters if other != letter]
        match rng.randrange(10):
            case 0:
                signs.append(("any",))
            case 1 if len(others) > 1:
                signs.append(("set", "".join(sorted([letter, rng.choice(others)]))))
            case 2 if len(others) > 1:
                signs.append(("not", rng.choice(others)))
            case 3:
                signs.append((rng.choice(["star", "plus"]), letter))
            case _:
                signs.append(letter)
    return signs[0] if len(signs) == 1 else ("cat", *signs)


def _cut(rng: Random, text: str, count: int) -> list[str]:
    places = sorted(rng.sample(range(1, len(text)), min(count, len(text)) - 1))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)])]


def _drawn(rng: Random, letters: str, count: int) -> str:
    return "".join(rng.choice(letters) for _ in range(count))


LADDER = (
    Knobs(1, 2, 2, 6),
    Knobs(1, 3, 3, 9),
    Knobs(2, 3, 3, 12),
    Knobs(3, 4, 3, 15),
    Knobs(4, 4, 3, 18),
    Knobs(5, 4, 3, 22),
)
FAMILY = Family(
    Patterns,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="a string of letters", items="letters"),
    hardness=hardness,
    solver="a search through the patterns' automata side by side",
    guess_rate=0.05,
    recheck=recheck,
    canon=canon,
    skills=("search", "rules"),
    peers=("reasoning-core/regex_following",),
    version=3,
)
