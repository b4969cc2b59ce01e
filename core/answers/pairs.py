"""Pairs of names, in order or as a set."""

from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.flat_list import empty_ways
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


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of names; which name of a pair comes first always matters. Words hold no hyphens."""

    items: Items = "ints"
    ordered: bool = True  # whether the order of the pairs matters; if not, they are a sorted set
    empty: bool = False  # whether there may be no pairs
    form: str = "a list of pairs, each in round brackets, such as (a, b), (c, d)"

    def read(self, text: str) -> tuple[Pair, ...] | None:
        if self.empty and says_nothing(text):
            return ()
        found = read_pairs(text, self.items)
        pairs = found[0] if found else None
        return pairs if self.ordered else one_set(pairs)

    def write(self, answer: tuple[Pair, ...]) -> str:
        return write_pairs(answer)

    def ways(self, answer: tuple[Pair, ...]) -> list[str]:
        if not answer:
            return empty_ways()
        negative = any(isinstance(name, int) and name < 0 for pair in answer for name in pair)
        return pair_ways(answer, [" -> ", ": "] if negative else [" -> ", ": ", "-"], self.items)

    def near(self, answer: tuple[Pair, ...], rng: Random) -> tuple[Pair, ...]:
        changed = changed_pairs(answer, rng, self.items)
        return tuple(changed) if self.ordered else in_order(set(changed))

    def guess(self, answer: tuple[Pair, ...], rng: Random) -> tuple[Pair, ...]:
        pairs = drawn_pairs(answer, rng)
        return pairs if self.ordered else in_order(set(pairs))
