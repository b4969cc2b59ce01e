"""Walks through a graph: its nodes in order."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from puzzlemill.core.answers.bracket_spans import inside, spans
from puzzlemill.core.answers.flat_list import MOST, list_ways, node_ways, parted
from puzzlemill.core.answers.names import (
    Items,
    Name,
    agreed,
    another,
    drawn,
    read_names,
    sampled,
)
from puzzlemill.core.answers.pair_notation import read_pairs
from puzzlemill.core.answers.spelling import tidy

_FROM = re.compile(r"\A(?:(?:go|walk) )?(?:from|start(?:ing)? (?:at|from)) ", re.IGNORECASE)
_NODE = re.compile(r"\b(?:nodes?|vertex) (?=[0-9])", re.IGNORECASE)
_WAYS = frozenset({"to", "from", "via", "through"})
# What models add about a path that they have stated.
_COST = re.compile(
    r"[ ,;\n]{0,3}\(?\*{0,2}(?:(?:with|of|a|the|its|and|has) ){0,3}"
    r"(?:total(?: (?:cost|length|weight|distance))?|cost|length|weight|distance)"
    r"(?: (?:of|is))? ?[=:]?\*{0,2} ?[0-9]{1,12}(?:\.[0-9]{1,6})?\)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Path:
    """The nodes of a walk, in order: "1 -> 2 -> 3", "A to B to C", "1-2-3", "[1, 2, 3]".

    Nodes are whole numbers from 0 up, words without hyphens, or letters ("ABC" is a walk). The
    walk may also be told edge by edge: "1-2, 2-3".
    """

    nodes: Items = "ints"
    form: str = "the nodes of the path in order, joined by ->"
    between: str = " -> "  # what `write` puts between the nodes
    known: tuple[str, ...] = ()

    def read(self, text: str) -> tuple[Name, ...] | None:
        body = _FROM.sub("", _COST.sub("", tidy(text)))
        if self.nodes == "ints":
            body = _NODE.sub("", body)
        found = agreed(_readings(body, self.nodes))
        if found is None:
            found = _chained(body, self.nodes)
        if found is None or any(isinstance(node, int) and node < 0 for node in found):
            return None
        return found

    def write(self, answer: tuple[Name, ...]) -> str:
        return self.between.join(map(str, answer))

    def ways(self, answer: tuple[Name, ...]) -> list[str]:
        nodes = [str(node) for node in answer]
        ways = [joint.join(nodes) for joint in (" \u2192 ", " -> ", "->", "-", " - ", " to ")]
        if self.nodes == "phrases":
            ways.remove("-".join(nodes))
        if len(nodes) > 1:
            hops = list(pairwise(nodes))
            ways.append(", ".join(f"({here}, {there})" for here, there in hops))
            ways.append("\n".join(f"{here} -> {there}" for here, there in hops))
        ways += node_ways(nodes) if self.nodes in ("ints", "nodes") else []
        return [*ways, f"Path: {' -> '.join(nodes)}", *list_ways(nodes)]

    def near(self, answer: tuple[Name, ...], rng: Random) -> tuple[Name, ...]:
        place = rng.randrange(len(answer))
        other = rng.randrange(len(answer))
        changed = list(answer)
        match rng.randrange(4):
            case 0 if len(changed) > 1:
                del changed[place]
            case 1 if changed[place] != changed[other]:
                changed[place], changed[other] = changed[other], changed[place]
            case 2:
                changed.insert(place, another(changed[place], self.known or answer, rng))
            case _:
                changed[place] = another(changed[place], self.known or answer, rng)
        return tuple(changed)

    def guess(self, answer: tuple[Name, ...], rng: Random) -> tuple[Name, ...]:
        """As many nodes, no two alike unless the walk comes back to some."""
        names, once = self.known or answer, len(set(answer)) == len(answer)
        return (sampled if once else drawn)(names, len(answer), rng)

    def among(self, known: Sequence[str]) -> "Path":
        return replace(self, known=tuple(name.lower() for name in known))


def _readings(body: str, nodes: Items) -> Iterator[tuple[Name, ...] | None]:
    found = parted(body, nodes)
    if found is not None:
        yield _nodes(found.items, nodes)
    flat = inside(body) or body
    if spans(flat) != [] or len(flat) < 3:
        return
    for joint in ("--", "-", " to "):
        parts = flat.split(joint)
        if 1 < len(parts) <= MOST:
            yield _nodes(parts, nodes)


def _nodes(parts: Sequence[str], nodes: Items) -> tuple[Name, ...] | None:
    """The names of nodes. A hyphen joins two of them, and so does "to"."""
    names = read_names(parts, nodes)
    words = [name for name in names or () if isinstance(name, str)]
    joined = any("-" in word or _WAYS.intersection(word.split()) for word in words)
    return None if joined else names


def _chained(body: str, nodes: Items) -> tuple[Name, ...] | None:
    """A walk told edge by edge, each beginning where the one before ended."""
    found = read_pairs(body, nodes)
    if found is None or found[1] not in ("", ",", "\n", " "):
        return None
    pairs, _ = found
    if any(before[1] != after[0] for before, after in pairwise(pairs)):
        return None
    return (pairs[0][0], *(there for _, there in pairs))
