"""Pairs of names, in order or as a set."""

import re
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.flat_list import empty_ways
from puzzlemill.core.answers.form import plain
from puzzlemill.core.answers.labels import labelled, labelled_again
from puzzlemill.core.answers.names import Items, in_order, one_set
from puzzlemill.core.answers.pair_notation import (
    Pair,
    changed_pairs,
    drawn_pairs,
    pair_ways,
    read_pairs,
    write_pairs,
)
from puzzlemill.core.answers.spelling import says_nothing

_TUPLE = re.compile(
    r"\(\s?([A-Za-z]\w{0,9}\s?,\s?[A-Za-z]\w{0,9})\s?\)\s?(?:=|:|\u2208|\\in)\s?(?=\\?[(\[{])"
)
_OR = re.compile(r"(?<=\)),?\s{1,3}or\s{1,3}(?=\()|(?<=\));\s?(?=\()", re.IGNORECASE)
_LINES = re.compile(r"(?<=\))[,;]?\n(?=\()")
_UNITED = re.compile(r"(?<=\)) ?(?:-{1,2}>?|\u2192|\u2013|to) ?(?=\()")  # (1, 2)-(1, 5)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of names; which name of a pair comes first always matters. Words hold no hyphens."""

    items: Items = "ints"
    ordered: bool = True  # whether the order of the pairs matters; if not, they are a sorted set
    empty: bool = False  # whether there may be no pairs
    form: str = "a list of pairs, each in round brackets, such as (a, b), (c, d)"
    sides: tuple[str, ...] = ()  # what the prompt calls the two names of a pair: x = 1, y = 2
    names: tuple[str, ...] = ()  # what it calls the pairs, or so many of them each

    def read(self, text: str) -> tuple[Pair, ...] | None:
        if self.empty and says_nothing(text):
            return ()
        if self.names and (parts := labelled(plain(text), self.names)):
            text = ", ".join(_UNITED.sub(", ", part) for part in parts)
        elif self.names:
            text, united = _UNITED.subn(", ", text)
            text = _LINES.sub(", ", text) if united else text
        if self.sides:
            text = self._sided(plain(text))
        found = read_pairs(text, self.items)
        pairs = found[0] if found else None
        return pairs if self.ordered else one_set(pairs)

    def _sided(self, text: str) -> str:
        """ "x = 1, y = 2; x = 3, y = 4" and "(x, y) = (1, 2) or ..." as pairs in brackets."""
        if rows := labelled_again(text, self.sides):
            return ", ".join(f"({', '.join(row)})" for row in rows)
        bare = _TUPLE.sub("", text)
        both = [re.sub(r"\W|_?\d", "", name) for name in _TUPLE.findall(text)]
        if set(both) - {"".join(self.sides)}:
            return text
        return bare if self.ordered else _OR.sub(", ", bare)

    def write(self, answer: tuple[Pair, ...]) -> str:
        return write_pairs(answer)

    def ways(self, answer: tuple[Pair, ...]) -> list[str]:
        if not answer:
            return empty_ways()
        negative = any(isinstance(name, int) and name < 0 for pair in answer for name in pair)
        ways = pair_ways(answer, [" -> ", ": "] if negative else [" -> ", ": ", "-"], self.items)
        pairs = [f"({left}, {right})" for left, right in answer]
        if self.sides:
            left, right = self.sides
            named = [f"{left} = {pair[0]}, {right} = {pair[1]}" for pair in answer]
            tuples = [f"({left}, {right}) = {pair}" for pair in pairs]
            ways += ["; ".join(named), "\n".join(named), ", ".join(tuples)]
            ways += [] if self.ordered else [" or ".join(tuples)]
        if self.names and len(pairs) % len(self.names) == 0:
            size = len(pairs) // len(self.names)
            parts = [", ".join(pairs[at : at + size]) for at in range(0, len(pairs), size)]
            joined = [f"{name}: {part}" for name, part in zip(self.names, parts)]
            ways += ["; ".join(joined), "\n".join(joined)]
            if size == 2:
                ends = [part.replace("), (", ")-(") for part in parts]
                ways += [", ".join(ends), "\n".join(end.replace("-(", " to (") for end in ends)]
        return ways

    def near(self, answer: tuple[Pair, ...], rng: Random) -> tuple[Pair, ...]:
        changed = changed_pairs(answer, rng, self.items)
        return tuple(changed) if self.ordered else in_order(set(changed))

    def guess(self, answer: tuple[Pair, ...], rng: Random) -> tuple[Pair, ...]:
        pairs = drawn_pairs(answer, rng)
        return pairs if self.ordered else in_order(set(pairs))
