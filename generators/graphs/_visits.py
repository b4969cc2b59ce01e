"""Searches through a whole graph: what the two orders of visits have in common."""

from dataclasses import replace
from random import Random

from puzzlemill.generators.graphs import _either_way, _graph
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Graph


def drawn(rng: Random, knobs: Knobs) -> Graph | None:
    """From a node that reaches half of all nodes at least, or as many as any does."""
    graph = _either_way.drawn(rng, knobs)
    half, most = len(graph.nodes) // 2, (0, "")
    for start in rng.sample(graph.nodes, len(graph.nodes)):
        most = max(most, (min(len(_graph.distances(graph, start)), half), start))
        if most[0] == half:
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
