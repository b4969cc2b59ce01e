"""Graphs as this folder asks about them, and what its families ask of one.

Nodes are known by their names everywhere: in edges, in answers, in what networkx gets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from puzzlemill.core import plain_data
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._naming import Naming, shown

Encoding = Literal[
    "edge_list", "adjacency_list", "adjacency_matrix", "prose", "dot", "graphml", "json", "picture"
]

Near = Mapping[str, Mapping[str, int]]  # by node, the nodes beside it, and the weights there


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


def beside(graph: Graph) -> Near:
    """Where one can go from each node, and the weight of the edge there; 1 where it has none."""
    return _table(graph, back=False)


def behind(graph: Graph) -> Near:
    """From where one can come to each node."""
    return _table(graph, back=True)


# Tables of the last graphs, by the identity of their edges: to hash all of these takes as long as
# to go through them.
_tables: dict[tuple[int, bool], tuple[Graph, Near]] = {}
TABLES = 64


def _table(graph: Graph, back: bool) -> Near:
    key = id(graph.edges), back
    if kept := _tables.get(key):
        owner, table = kept
        if (
            owner.edges is graph.edges
            and owner.nodes is graph.nodes
            and owner.weights is graph.weights
            and owner.directed == graph.directed
        ):
            return table
    there: dict[str, dict[str, int]] = {node: {} for node in graph.nodes}
    weights = graph.weights or (1,) * len(graph.edges)
    for (a, b), weight in zip(graph.edges, weights):
        if back:
            a, b = b, a
        there[a][b] = weight
        if not graph.directed:
            there[b][a] = weight
    if len(_tables) >= TABLES:
        _tables.clear()
    table = MappingProxyType({node: MappingProxyType(others) for node, others in there.items()})
    _tables[key] = graph, table
    return table


def in_networkx(graph: Graph) -> Any:
    """The graph as networkx has it, with the attribute "weight" where edges have weights."""
    import networkx

    found: Any = networkx.DiGraph() if graph.directed else networkx.Graph()
    # Straight into its tables: edge by edge through `add_edges_from` takes four times as long.
    there = found._adj
    back = found._pred if graph.directed else there
    for node in graph.nodes:
        found._node[node], there[node], back[node] = {}, {}, {}
    weights = graph.weights or (0,) * len(graph.edges)
    for (a, b), weight in zip(graph.edges, weights):
        there[a][b] = back[b][a] = {"weight": weight} if graph.weights else {}
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
    of = degree.__getitem__
    return sorted([[degree[node], *sorted(map(of, near))] for node, near in joined.items()])


def size(graph: Graph) -> float:
    return float(len(graph.nodes) * len(graph.edges))


def known(graph: Graph) -> tuple[str, ...]:
    """The nodes as the prompt shows them."""
    return tuple(shown(node, graph.naming) for node in graph.nodes)


def layout(puzzle: Any) -> Any:
    """What a twin has in common with a puzzle of graphs: all but names, weights and numbers."""
    fields = {name: getattr(puzzle, name) for name in plain_data.names(type(puzzle))}
    return tuple(len(value) if isinstance(value, tuple) else value for value in fields.values())
