"""Numbers of a node, of a pair of nodes or of a graph: what the families that ask for one share."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.graphs import _drawing, _sources, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph, beside, distances
from puzzlemill.generators.graphs._sources import Pair

FORM = "an integer or a fraction in lowest terms, such as -7/2"
DULL = (0, 1)  # values that a guess would try first
ELSEWHERE = 20  # nodes or pairs of nodes whose values may be shown as mistakes
NO_TRIANGLES = ("bipartite", "davis")  # sources that have none


def loosened(rng: Random, knobs: Knobs) -> Knobs:
    """Up to two nodes fewer, and about as many edges.

    With the same nodes and edges each time, few values would come again and again.
    """
    nodes = rng.randint(knobs.nodes - 2, knobs.nodes)
    return replace(knobs, nodes=nodes, degree=knobs.degree * rng.uniform(0.85, 1.15))


def drawn(rng: Random, knobs: Knobs) -> Graph:
    """A connected graph about as large as the knobs say."""
    return _drawing.drawn(rng, loosened(rng, knobs))


def drawn_with_triangles(rng: Random, knobs: Knobs) -> Graph:
    """The same, with a few triangles put into the sources that have none."""
    knobs = loosened(rng, knobs)
    source = _sources.chosen(rng, knobs.source, knobs.nodes)

    def triangles(nodes: int) -> Iterator[Pair]:
        for _ in range(nodes // 4 if source in NO_TRIANGLES else 0):
            yield from combinations(rng.sample(range(nodes), 3), 2)

    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, source, knobs.nodes, edges, triangles)
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs)


def asking(
    rng: Random, graph: Graph, values: Iterable[tuple[tuple[str, ...], Hashable]]
) -> Graph | None:
    """The question about one of these tuples of nodes.

    The value is chosen first, so that none of them is the usual one; a dull value only where there
    is no other.
    """
    alike: dict[Hashable, tuple[Hashable, list[tuple[str, ...]]]] = {}
    for asked, value in values:
        # To hash a fraction takes longer than to hash its parts.
        key = value.as_integer_ratio() if isinstance(value, Fraction) else value
        alike.setdefault(key, (value, []))[1].append(asked)
    if not alike:
        return None
    lively = [several for value, several in alike.values() if value not in DULL]
    several = rng.choice(lively or [several for _, several in alike.values()])
    return replace(graph, asked=rng.choice(several))


def elsewhere(
    solve: Callable[[Graph], Any],
) -> Callable[[Random, Graph, Any], Iterator[Any]]:
    """Mistakes: the values of other nodes of the graph, each value once, as `asking` draws them."""

    def slips(rng: Random, graph: Graph, gold: Any) -> Iterator[Any]:
        size, near = len(graph.asked), beside(graph)
        # Of nodes with fewer neighbours some measures are not defined.
        nodes = [node for node in graph.nodes if len(near[node]) > 1]
        if len(nodes) < size:
            return
        asked = (tuple(rng.sample(nodes, size)) for _ in range(ELSEWHERE))
        values = dict.fromkeys(solve(replace(graph, asked=each)) for each in asked)
        lively = [value for value in values if value not in DULL or gold in DULL]
        yield from rng.sample(lively, len(lively))

    return slips


def sharing(graph: Graph) -> Iterator[tuple[tuple[str, str], list[int]]]:
    """The pairs of nodes that have neighbours in common, and how many edges each of these has."""
    there = beside(graph)
    for pair in combinations(graph.nodes, 2):
        both = there[pair[0]].keys() & there[pair[1]].keys()
        if both:
            yield pair, sorted(len(there[node]) for node in both)


def joined_neighbours(graph: Graph, node: str) -> list[tuple[str, str]]:
    """The pairs of a node's neighbours that an edge joins."""
    there = beside(graph)
    around = [each for each in graph.nodes if each in there[node]]
    return [(a, b) for a, b in combinations(around, 2) if b in there[a]]


def spheres(graph: Graph, node: str) -> list[int]:
    """How many nodes are one edge away, two edges, and so on: a ball that grows edge by edge."""
    ball = {node}
    sizes: list[int] = []
    while True:
        border = {end for edge in graph.edges if not ball.isdisjoint(edge) for end in edge} - ball
        if not border:
            return sizes
        sizes.append(len(border))
        ball |= border


def nearest_first(graph: Graph, node: str) -> list[str]:
    """Steps: the nodes at each distance from one."""
    away = distances(graph, node)
    return [
        f"{far} away: {_wording.listed(graph, [it for it in graph.nodes if away.get(it) == far])}"
        for far in range(1, max(away.values()) + 1)
    ]


def spread(graph: Graph) -> list[str]:
    """Steps: how many nodes are at each distance from each node."""
    lines = []
    for node in graph.nodes:
        count = Counter(distances(graph, node).values())
        told = ", ".join(f"{count[far]} at {far}" for far in sorted(count) if far)
        lines.append(f"{_wording.title(graph, node)}: {told}")
    return lines


def clear_of_ties(value: Fraction, places: int) -> bool:
    """Whether a value can be rounded without doubt, also from slightly inexact working."""
    scaled: Fraction = value * 10**places
    return abs(scaled % 1 - Fraction(1, 2)) > Fraction(1, 50)


def added(terms: Iterable[Fraction]) -> str:
    """A sum in a step: "1/3 + 1/5 = 8/15"."""
    terms = list(terms)
    total = sum(terms, Fraction(0))
    if len(terms) < 2:
        return str(total)
    return f"{' + '.join(map(str, terms)).replace('+ -', '- ')} = {total}"


def reduced(above: int, below: int) -> str:
    """A fraction in a step, and its lowest terms: "2/8 = 1/4"."""
    plain, lowest = f"{above}/{below}", str(Fraction(above, below))
    return plain if plain == lowest else f"{plain} = {lowest}"
