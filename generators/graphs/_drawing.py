"""Drawing graphs: from a source and some wishes to named nodes in an order that tells nothing.

`drawn` makes the graph of a simple family. A family with wishes of its own makes a sketch, whose
nodes are counted from 0, and has it `dressed`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Protocol

from puzzlemill.generators.graphs import _naming, _sources
from puzzlemill.generators.graphs._graph import Encoding, Graph
from puzzlemill.generators.graphs._naming import AnyNaming, Naming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding, pick_encoding

WHOLE = 0.65  # of a shape's edges; the gaps, filled at random, keep small graphs from repeating


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average; a real graph has as many as it has
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


class Looks(Protocol):
    """What all knobs of this folder say of the look of a graph."""

    @property
    def encoding(self) -> AnyEncoding: ...
    @property
    def naming(self) -> AnyNaming: ...


class Wishes(Looks, Protocol):
    """What most of them say."""

    @property
    def nodes(self) -> int: ...
    @property
    def degree(self) -> float: ...
    @property
    def source(self) -> Source: ...


@dataclass(frozen=True, slots=True)
class Sketch:
    nodes: int
    pairs: list[Pair]
    source: str


@dataclass(slots=True)
class Dress:
    """What is drawn to dress a sketch."""

    naming: Naming
    names: tuple[str, ...]
    order: list[int]  # a node's place among the names
    shuffled: list[int]  # the pairs, as they are listed
    encoding: Encoding


def drawn(
    rng: Random, knobs: Wishes, asked: int = 0, heaviest: int = 0, directed: bool = False
) -> Graph:
    """A connected graph, with so many nodes to ask about; weights and directions at random."""
    sketch = sketched(rng, knobs.source, knobs.nodes, edge_count(knobs.nodes, knobs.degree))
    pairs = arcs(rng, sketch.pairs) if directed else sketch.pairs
    weights = [rng.randint(1, heaviest) for _ in pairs] if heaviest else []
    chosen = rng.sample(range(sketch.nodes), asked)
    return dressed(rng, knobs, sketch, pairs, weights, directed, chosen)


def sketched(
    rng: Random,
    source: Source,
    nodes: int,
    edges: int,
    planted: Callable[[int], Iterable[Pair]] = lambda nodes: (),
    allowed: Callable[[int, int], bool] | None = None,
) -> Sketch:
    """A connected graph, its edges in any order and direction.

    A small real graph may have fewer nodes, and each has the edges that it has. Any other has about
    as many as are asked for: those of a spanning tree and the planted ones, told for a number of
    nodes, are always in, and an edge that is not allowed never is, be it that the graph falls
    into parts without it.
    """
    source = _sources.chosen(rng, source, nodes)
    if source in _sources.SHAPES:
        random = rng.random
        pairs = list(_sources.SHAPES[source](rng, nodes))
        wishes = [pair for pair in pairs if random() < WHOLE]
        wishes += pairs if source in _sources.STRICT else _sources.SHAPES["random"](rng, nodes)
    else:
        nodes, wishes = _sources.piece(rng, source, nodes)
        edges = len(wishes)
    first = [(min(pair), max(pair)) for pair in planted(nodes)]
    met = [pair for pair in first if pair[0] != pair[1]]
    wished = chain(met[:], _wished(wishes, allowed, met))
    found = dict.fromkeys([*spanning(nodes, wished), *first])
    for pair in chain(met, wished):
        if len(found) >= edges:
            break
        found[pair] = None
    return Sketch(nodes, list(found), source)


def _wished(
    wishes: Iterable[Pair], allowed: Callable[[int, int], bool] | None, met: list[Pair]
) -> Iterator[Pair]:
    """Wishes that may be granted, the lesser node first, one by one, as few are come to; those that
    are join what was met."""
    for pair in wishes:
        a, b = pair
        if a > b:
            a, b = pair = b, a
        if a != b and (allowed is None or allowed(a, b)):
            met.append(pair)
            yield pair


def dressed(
    rng: Random,
    knobs: Looks,
    sketch: Sketch,
    pairs: Sequence[Pair],
    weights: Sequence[int] = (),
    directed: bool = False,
    asked: Sequence[int] = (),
    numbers: Sequence[int] = (),
    dress: Dress | None = None,
) -> Graph:
    """The graph of these pairs, with names, in an order that tells nothing; in a dress that was
    drawn before, if one was."""
    dress = dress or dress_drawn(rng, knobs, sketch.nodes, len(pairs))
    names, order, shuffled = dress.names, dress.order, dress.shuffled
    edges = [(order[a], order[b]) for a, b in pairs]
    if not directed:
        edges = [edge if edge[0] < edge[1] else edge[::-1] for edge in edges]
    return Graph(
        nodes=names,
        edges=tuple((names[edges[at][0]], names[edges[at][1]]) for at in shuffled),
        weights=tuple(weights[at] for at in shuffled) if weights else (),
        directed=directed,
        asked=tuple(names[order[node]] for node in asked),
        numbers=tuple(numbers),
        source=sketch.source,
        encoding=dress.encoding,
        naming=dress.naming,
    )


def dress_drawn(rng: Random, knobs: Looks, nodes: int, pairs: int) -> Dress:
    """For so many nodes and pairs."""
    naming = rng.choice(list(_naming.WAYS)) if knobs.naming == "any" else knobs.naming
    return Dress(
        naming=naming,
        names=_naming.names(rng, naming, nodes),
        order=rng.sample(range(nodes), nodes),
        shuffled=rng.sample(range(pairs), pairs),
        encoding=pick_encoding(rng, knobs.encoding, nodes),
    )


def arcs(rng: Random, pairs: Iterable[Pair], both: float = 0.15) -> list[Pair]:
    """Each pair directed at random, and this share of them both ways."""
    found, random = list[Pair](), rng.random
    for a, b in pairs:
        found.append((a, b) if random() < 0.5 else (b, a))
        if random() < both:
            found.append(found[-1][::-1])
    return found


def downhill(rng: Random, sketch: Sketch) -> list[Pair]:
    """Each pair directed along a random order of all nodes, so that no way leads back."""
    height = rng.sample(range(sketch.nodes), sketch.nodes)
    return [(a, b) if height[a] > height[b] else (b, a) for a, b in sketch.pairs]


def spanning(nodes: int, pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs that join what was not joined before."""
    part = list(range(nodes))
    members = [[node] for node in range(nodes)]
    tree = []
    for pair in pairs:
        one, two = part[pair[0]], part[pair[1]]
        if one != two:
            tree.append(pair)
            if len(tree) == nodes - 1:
                break
            if len(members[one]) < len(members[two]):
                one, two = two, one
            for node in members[two]:
                part[node] = one
            members[one] += members[two]
    return tree


def edge_count(nodes: int, degree: float) -> int:
    """How many edges give this many ends to each node on average."""
    return round(nodes * degree / 2)
