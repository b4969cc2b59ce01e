"""Searches through a whole graph: what the two orders of visits have in common."""

from dataclasses import dataclass, replace
from random import Random

from puzzlemill.generators.graphs import _drawing, _graph
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int
    degree: float  # edges at a node, on average
    directed: bool
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def drawn(rng: Random, knobs: Knobs) -> Graph | None:
    """From a node that reaches half of all nodes at least, or as many as any does."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pairs = _drawing.arcs(rng, sketch.pairs) if knobs.directed else sketch.pairs
    graph = _drawing.dressed(rng, knobs, sketch, pairs, directed=knobs.directed)
    most = (0, "")
    for start in rng.sample(graph.nodes, len(graph.nodes)):
        most = max(most, (min(len(_graph.distances(graph, start)), sketch.nodes // 2), start))
        if most[0] == sketch.nodes // 2:
            break
    count, start = most
    return replace(graph, asked=(start,)) if count > 3 else None


def whole(graph: Graph, order: tuple[str, ...]) -> bool:
    """Whether an order begins where it should and has all nodes that can be reached, once each."""
    start, reached = graph.asked[0], _graph.distances(graph, graph.asked[0])
    return order[:1] == (start,) and len(order) == len(reached) and set(order) == set(reached)


def whole_in_networkx(graph: Graph, order: tuple[str, ...]) -> bool:
    """The same, by networkx."""
    import networkx

    start = graph.asked[0]
    reached = networkx.descendants(_graph.in_networkx(graph), start) | {start}
    return sorted(order) == sorted(reached) and order[0] == start
