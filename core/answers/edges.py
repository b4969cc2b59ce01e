"""Sets of a graph's edges."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core.answers.flat_list import empty_ways
from puzzlemill.core.answers.names import Items, in_order, one_set, sampled
from puzzlemill.core.answers.pair_notation import (
    Pair,
    changed_pairs,
    pair_ways,
    read_pairs,
    write_pairs,
)
from puzzlemill.core.answers.spelling import says_nothing


@dataclass(frozen=True, slots=True)
class Edges:
    """A set of edges, sorted; an undirected one names its smaller end first.

    Nodes are whole numbers from 0 up, words without hyphens, or letters.
    """

    directed: bool = False
    nodes: Items = "ints"
    empty: bool = False  # whether there may be no edges
    known: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        if self.directed:
            return "a list of edges, each written (start, end), separated by commas"
        return "a list of edges, each written (a, b), separated by commas"

    def read(self, text: str) -> tuple[Pair, ...] | None:
        if self.empty and says_nothing(text):
            return ()
        found = read_pairs(text, self.nodes, self.directed)
        if found is None or any(isinstance(n, int) and n < 0 for pair in found[0] for n in pair):
            return None
        return one_set([self._edge(pair) for pair in found[0]])

    def write(self, answer: tuple[Pair, ...]) -> str:
        return write_pairs(answer)

    def ways(self, answer: tuple[Pair, ...]) -> list[str]:
        if not answer:
            return empty_ways()
        if self.directed:
            return pair_ways(answer, [" -> ", " \\to ", "\u2192", "-"], self.nodes)
        turned = [(right, left) for left, right in reversed(answer)]
        braces = ", ".join(f"\\{{{left}, {right}\\}}" for left, right in answer)
        ways = [write_pairs(turned), braces, f"\\{{{braces}\\}}"]
        if self.nodes == "letters":
            ways.append(", ".join(f"{left}{right}" for left, right in answer))
        return ways + pair_ways(answer, ["-", "--", " - ", "\u2014", " <-> "], self.nodes)

    def near(self, answer: tuple[Pair, ...], rng: Random) -> tuple[Pair, ...]:
        return self._set(changed_pairs(answer, rng, self.nodes, self.known))

    def guess(self, answer: tuple[Pair, ...], rng: Random) -> tuple[Pair, ...]:
        """So many edges between the nodes, drawn each for itself."""
        names = self.known or [name for pair in answer for name in pair]
        drawn = [sampled(names, 2, rng) for _ in answer]
        return self._set((left, right) for left, right in drawn)

    def among(self, known: Sequence[str]) -> "Edges":
        return replace(self, known=tuple(name.lower() for name in known))

    def _edge(self, pair: Pair) -> Pair:
        left, right = pair if self.directed else in_order(pair)
        return left, right

    def _set(self, pairs: Iterable[Pair]) -> tuple[Pair, ...]:
        return in_order({self._edge(pair) for pair in pairs})
