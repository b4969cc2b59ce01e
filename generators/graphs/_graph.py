"""Graphs as this folder asks about them, and what its families ask of one.

Nodes are known by their names everywhere: in edges, in answers, in what networkx gets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from puzzlemill.core import plain_data
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._naming import Naming, shown

Encoding = Literal[
    "edge_list", "adjacency_list", "adjacency_matrix", "prose", "dot", "graphml", "json", "picture"
]


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: tuple[str, ...]  # their names, in lower case
    edges: tuple[tuple[str, str], ...]  # from the first to the second where directed
    weights: tuple[int, ...]  # of the edges, in their order; empty where they have none
    directed: bool
    asked: tuple[str, ...]  # nodes that the question names
    numbers: tuple[int, ...]  # numbers that the question names
    source: str
    encoding: Encoding
    naming: Naming


def beside(graph: Graph) -> Mapping[str, Mapping[str, int]]:
    """Where one can go from each node, and the weight of the edge there; 1 where it has none."""
    return _beside(graph.nodes, graph.edges, graph.weights, graph.directed)


def behind(graph: Graph) -> Mapping[str, Mapping[str, int]]:
    """From where one can come to each node."""
    turned = tuple((b, a) for a, b in graph.edges)
    return _beside(graph.nodes, turned, graph.weights, graph.directed)


@lru_cache(maxsize=64)
def _beside(
    nodes: tuple[str, ...],
    edges: tuple[tuple[str, str], ...],
    weights: tuple[int, ...],
    directed: bool,
) -> Mapping[str, Mapping[str, int]]:
    there: dict[str, dict[str, int]] = {node: {} for node in nodes}
    for place, (a, b) in enumerate(edges):
        there[a][b] = weights[place] if weights else 1
        if not directed:
            there[b][a] = there[a][b]
    return MappingProxyType({node: MappingProxyType(others) for node, others in there.items()})


def in_networkx(graph: Graph) -> Any:
    """The graph as networkx has it, with the attribute "weight" where edges have weights."""
    import networkx

    found: Any = networkx.DiGraph() if graph.directed else networkx.Graph()
    found.add_nodes_from(graph.nodes)
    if graph.weights:
        found.add_weighted_edges_from((a, b, w) for (a, b), w in zip(graph.edges, graph.weights))
    else:
        found.add_edges_from(graph.edges)
    return found


def distances(graph: Graph, start: str) -> dict[str, int]:
    """The fewest edges from a node to each that can be reached, the nearest first."""
    there, away, queue = beside(graph), {start: 0}, [start]
    for node in queue:
        for other in there[node]:
            if other not in away:
                away[other] = away[node] + 1
                queue.append(other)
    return away


def canon(graph: Graph) -> Any:
    """The graph up to the names of its nodes, with the nodes asked about, each in its role."""
    return _form(graph, [graph.asked.index(node) + 1 for node in graph.asked])


def canon_of_pair(graph: Graph) -> Any:
    """The same where it does not matter in which order the nodes are asked about."""
    return _form(graph, [1 for _ in graph.asked])


def _form(graph: Graph, marks: Sequence[int]) -> Any:
    place = {node: at for at, node in enumerate(graph.nodes)}
    edges = [(place[a], place[b]) for a, b in graph.edges]
    marked = [0] * len(place)
    for node, mark in zip(graph.asked, marks):
        marked[place[node]] = mark
    heavy = [(*edge, weight) for edge, weight in zip(edges, graph.weights)] or edges
    return [graph.numbers, graph.directed, canonical(len(place), heavy, graph.directed, marked)]


def kin(graph: Graph) -> Any:
    """What two graphs with the same edges share, whatever is asked and whatever weights they bear:
    how many edges each node and each of its neighbours has.

    Not for a family of regular graphs or of tournaments: all of them would be kin.
    """
    joined: dict[str, set[str]] = {node: set() for node in graph.nodes}
    for a, b in graph.edges:
        joined[a].add(b)
        joined[b].add(a)
    degree = {node: len(others) for node, others in joined.items()}
    return sorted([degree[node], *sorted(degree[it] for it in joined[node])] for node in joined)


def size(graph: Graph) -> float:
    return float(len(graph.nodes) * len(graph.edges))


def known(graph: Graph) -> tuple[str, ...]:
    """The nodes as the prompt shows them."""
    return tuple(shown(node, graph.naming) for node in graph.nodes)


def layout(puzzle: Any) -> Any:
    """What a twin has in common with a puzzle of graphs: all but names, weights and numbers."""
    fields = {name: getattr(puzzle, name) for name in plain_data.names(type(puzzle))}
    return tuple(len(value) if isinstance(value, tuple) else value for value in fields.values())
