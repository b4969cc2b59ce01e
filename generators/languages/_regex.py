"""Regular expressions of a small dialect as nested tuples: how they read, and what they match.

An expression is a letter, or a tuple: ("cat", parts…), ("or", parts…), ("star", part),
("plus", part), ("maybe", part), ("times", part, least, most), ("set", letters), ("not", letters)
or ("any",). `derived` takes a letter off an expression, in all ways; `ends` looks where in a text
a match may end; an `Automaton` has states between which letters lead. The three share nothing but
what one sign matches.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import Any, TypeAlias

Regex: TypeAlias = Any

END = "\0"  # of a text; no letter
EMPTY: Regex = ("cat",)  # matches the empty string only

LEGEND = (
    "Letters stand for themselves, and what stands side by side is matched one after the other."
    ' "x|y" is x or y; "x*" is x any number of times, including none; "x+" is x at least once; "x?"'
    ' is x or nothing; "x{2}" is x exactly twice; "x{1,3}" is x one to three times; "." is any one'
    ' letter; "[xy]" is one of the letters x and y; "[^xy]" is one letter other than those. *, +, ?'
    " and {} belong to the letter, the dot, the square brackets or the parentheses just before"
    " them; | separates all that stands to its left from all that stands to its right within its"
    " parentheses."
)


def shown(regex: Regex, tight: int = 0) -> str:
    match regex:
        case str():
            return regex
        case ("any",):
            return "."
        case ("set", letters):
            return f"[{letters}]"
        case ("not", letters):
            return f"[^{letters}]"
        case ("cat", *parts):
            text, level = "".join(shown(part, 1) for part in parts), 1
        case ("or", *parts):
            text, level = "|".join(shown(part, 1) for part in parts), 0
        case ("times", part, least, most):
            bounds = f"{least}" if least == most else f"{least},{most}"
            text, level = f"{shown(part, 3)}{{{bounds}}}", 2
        case (kind, part):
            # A second operator right after the first would mean something else to many readers.
            text, level = shown(part, 3) + {"star": "*", "plus": "+", "maybe": "?"}[kind], 2
        case _:
            raise AssertionError(f"no expression: {regex}")
    return f"({text})" if level < tight else text


def size(regex: Regex) -> int:
    """The signs that match, and the operators."""
    if isinstance(regex, str) or regex[0] in ("any", "set", "not"):
        return 1
    return 1 + sum(size(part) for part in regex[1:] if not isinstance(part, int))


# Derivatives


def matches(regex: Regex, text: Iterable[str]) -> bool:
    left = frozenset([regex])  # what may match the rest of the text
    for letter in text:
        left = frozenset(after for part in left for after in derived(part, letter))
    return any(map(nullable, left))


@lru_cache(maxsize=10_000)
def nullable(regex: Regex) -> bool:
    """Whether the empty string matches."""
    match regex:
        case str() | ("any" | "set" | "not", *_):
            return False
        case ("cat", *parts):
            return all(map(nullable, parts))
        case ("or", *parts):
            return any(map(nullable, parts))
        case ("times", part, least, _):
            return least == 0 or nullable(part)
        case ("plus", part):
            return nullable(part)
    return True


@lru_cache(maxsize=10_000)
def derived(regex: Regex, letter: str) -> frozenset[Regex]:
    """What may match the rest of a text that begins with the letter."""
    if isinstance(regex, str) or regex[0] in ("any", "set", "not"):
        return frozenset([EMPTY] if _is_one(regex, letter) else [])
    kind, *parts = regex
    if kind == "or":
        return frozenset(after for part in parts for after in derived(part, letter))
    if kind == "cat":
        found = set[Regex]()
        for place, part in enumerate(parts):
            found |= _followed(derived(part, letter), parts[place + 1 :])
            if not nullable(part):
                break
        return frozenset(found)
    if kind in ("star", "plus"):
        return _followed(derived(parts[0], letter), [("star", parts[0])])
    if kind == "maybe":
        return derived(parts[0], letter)
    assert kind == "times", f"no expression: {regex}"
    part, least, most = parts
    rest = [("times", part, max(least - 1, 0), most - 1)] if most > 1 else []
    return _followed(derived(part, letter), rest)


def _followed(firsts: Iterable[Regex], rest: Sequence[Regex]) -> frozenset[Regex]:
    found, onward = [], _flat(rest)
    for first in firsts:
        flat = [*_flat([first]), *onward]
        found.append(flat[0] if len(flat) == 1 else ("cat", *flat))
    return frozenset(found)


def _flat(parts: Sequence[Regex]) -> list[Regex]:
    """Parts, and those of what is itself one after the other."""
    flat = list[Regex]()
    for part in parts:
        if isinstance(part, tuple) and part[0] == "cat":
            flat += part[1:]
        else:
            flat.append(part)
    return flat


# Places in a text


def matches_by_places(regex: Regex, text: str) -> bool:
    return len(text) in ends(regex, text, frozenset([0]))


def ends(regex: Regex, text: str, starts: frozenset[int]) -> frozenset[int]:
    """Where a match that begins at one of the places may end."""
    match regex:
        case str() | ("any" | "set" | "not", *_):
            return frozenset(at + 1 for at in starts if at < len(text) and _is_one(regex, text[at]))
        case ("cat", *parts):
            for part in parts:
                starts = ends(part, text, starts)
            return starts
        case ("or", *parts):
            return frozenset().union(*(ends(part, text, starts) for part in parts))
        case ("maybe", part):
            return starts | ends(part, text, starts)
        case ("times", part, least, most):
            return _repeated(part, text, starts, least, most)
        case ("star", part):
            return _repeated(part, text, starts, 0, len(text) + 1)
        case ("plus", part):
            return _repeated(part, text, starts, 1, len(text) + 1)
    raise AssertionError(f"no expression: {regex}")


def _repeated(
    part: Regex, text: str, starts: frozenset[int], least: int, most: int
) -> frozenset[int]:
    found = starts if least == 0 else frozenset[int]()
    for count in range(1, most + 1):
        starts = ends(part, text, starts)
        if count >= least:
            if starts <= found and count > least:
                break
            found |= starts
    return found


class Texts:
    """Texts of one length, read all at once: their places are the bits of one number."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts, self.length = texts, len(texts[0])
        self.firsts = sum([1 << at * (self.length + 1) for at in range(len(texts))])
        self.letters: dict[str, int] = {}  # the places of each; under "" those of any
        for at, letter in enumerate(END.join(texts)):
            if letter != END:
                for each in ("", letter):
                    self.letters[each] = self.letters.get(each, 0) | 1 << at

    def matching(self, regex: Regex) -> list[str]:
        ends = _after(regex, self.letters, self.firsts) >> self.length
        return [text for at, text in enumerate(self.texts) if ends >> at * (self.length + 1) & 1]


def _after(regex: Regex, letters: Mapping[str, int], starts: int) -> int:
    """The places where a match that begins at one of some places may end."""
    # Asked most often first; patterns of `match` are tried one by one, and take thrice as long.
    if isinstance(regex, str):
        return (starts & letters.get(regex, 0)) << 1
    kind, first = regex[0], regex[1] if len(regex) > 1 else ""
    if kind == "cat":
        for part in regex[1:]:
            starts = _after(part, letters, starts) if starts else 0
        return starts
    if kind == "or":
        return reduce(or_, [_after(part, letters, starts) for part in regex[1:]])
    if kind in ("star", "plus"):
        found = fresh = starts if kind == "star" else _after(first, letters, starts)
        while fresh:
            fresh = _after(first, letters, fresh) & ~found
            found |= fresh
        return found
    if kind == "maybe":
        return starts | _after(first, letters, starts)
    if kind == "any":
        return (starts & letters[""]) << 1
    if kind in ("set", "not"):
        several = reduce(or_, [letters.get(sign, 0) for sign in first])
        return (starts & (several if kind == "set" else letters[""] & ~several)) << 1
    assert kind == "times", f"no expression: {regex}"
    _, _, least, most = regex
    found = 0 if least else starts
    for count in range(1, most + 1):
        starts = _after(first, letters, starts)
        found |= starts if count >= least else 0
    return found


def _is_one(regex: Regex, letter: str) -> bool:
    if isinstance(regex, str):
        return regex == letter
    kind = regex[0]
    return kind == "any" or bool((letter in regex[1]) == (kind == "set"))


def is_end(states: "States") -> bool:
    """Whether one of them is the end of an automaton."""
    return bool(states >> 1 & 1)


# An automaton


States: TypeAlias = int  # bit s for state s


def _before(leading: Sequence[States], states: States) -> States:
    """The states that lead to some of these."""
    return sum([1 << state for state, to in enumerate(leading) if to & states])


class Automaton:
    """States with arrows: of a letter, or of nothing. State 0 is the start, state 1 the end."""

    def __init__(self, regex: Regex) -> None:
        self.silent: list[list[int]] = [[], []]
        self.reading: list[list[tuple[Regex, int]]] = [[], []]
        self._lay(regex, 0, 1)
        self._kept: dict[int, States] = {}
        self._tables: dict[str, tuple[States, list[States]]] = {}
        self._known: dict[tuple[States, str], States] = {}
        self.first = self._around(0)

    def _around(self, start: int) -> States:
        """The states that are come to from one without a letter."""
        kept = self._kept.get(start)
        if kept is None:
            kept, waiting = 1 << start, [start]
            for state in waiting:
                for other in self.silent[state]:
                    if not kept >> other & 1:
                        kept |= 1 << other
                        waiting.append(other)
            self._kept[start] = kept
        return kept

    def _table(self, letter: str) -> tuple[States, list[States]]:
        """From which states a letter leads on, and where it leads from each."""
        if letter not in self._tables:
            starts, ends = 0, []
            for state, arrows in enumerate(self.reading):
                end = 0
                for sign, to in arrows:
                    if _is_one(sign, letter):
                        end |= self._around(to)
                starts |= (end > 0) << state
                ends.append(end)
            self._tables[letter] = starts, ends
        return self._tables[letter]

    def after(self, states: States, letter: str) -> States:
        key = states, letter
        found = self._known.get(key)
        if found is None:
            starts, ends = self._table(letter)
            left, found = states & starts, 0
            while left:
                low = left & -left
                found |= ends[low.bit_length() - 1]
                left ^= low
            self._known[key] = found
        return found

    def reads(self, text: str) -> bool:
        states = self.first
        for letter in text:
            states = self.after(states, letter)
            if not states:
                return False
        return is_end(states)

    def leading(self, length: int, letters: str) -> list[States]:
        """The states from which so many letters, 0 to `length`, can lead to the end.

        Where a state leads without a letter is left out: who is in it is there, too.
        """
        tables = [self._table(letter)[1] for letter in letters]
        onward = [0] * len(self.reading)  # where some letter leads from each state
        for ends in tables:
            onward = list(map(or_, onward, ends))
        found = [1 << 1]
        for _ in range(length):
            found.append(_before(onward, found[-1]))
        return found

    def _new(self) -> int:
        self.silent.append([])
        self.reading.append([])
        return len(self.silent) - 1

    def _lay(self, regex: Regex, start: int, end: int) -> None:
        match regex:
            case str() | ("any" | "set" | "not", *_):
                self.reading[start].append((regex, end))
            case ("cat", *parts):
                for part in parts:
                    middle = self._new()
                    self._lay(part, start, middle)
                    start = middle
                self.silent[start].append(end)
            case ("or", *parts):
                for part in parts:
                    self._lay(part, start, end)
            case ("times", part, least, most):
                for count in range(most):
                    if count >= least:
                        self.silent[start].append(end)
                    middle = self._new()
                    self._lay(part, start, middle)
                    start = middle
                self.silent[start].append(end)
            case ("maybe", part):
                self._lay(("times", part, 0, 1), start, end)
            case ("plus", part):
                self._lay(("cat", part, ("star", part)), start, end)
            case ("star", part):
                around = self._new()
                self.silent[start].append(around)
                self._lay(part, around, around)
                self.silent[around].append(end)
