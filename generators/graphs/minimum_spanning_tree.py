"""Minimum spanning tree: edges that join all nodes, of the least total weight.

Several trees may be equally light, so `verify` looks whether the answer's edges join all nodes
without a cycle and compares their weight with the least, which it finds by Prim's method.
"""

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title

Answer: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average
    heaviest: int  # weight of an edge, at most
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """A graph that is not a tree: a real one may be."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    weights = [rng.randint(1, knobs.heaviest) for _ in sketch.pairs]
    if len(weights) < sketch.nodes:
        return None
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs, weights)


def solve(graph: Graph) -> Answer:
    """Kruskal: the lightest edge first, and each that joins what was not joined before."""
    taken = (edge for edge, _, taken in _looked_at(graph) if taken)
    return in_order((a, b) for a, b in map(in_order, taken))


def verify(graph: Graph, tree: Answer) -> float:
    """So many edges that reach all nodes from the first make no cycle."""
    there = _graph.beside(graph)
    if len(tree) != len(graph.nodes) - 1 or any(b not in there.get(a, {}) for a, b in tree):
        return 0.0
    reached = {graph.nodes[0]}
    for _ in tree:
        reached.update(node for edge in tree if reached & {*edge} for node in edge)
    weight = sum(there[a][b] for a, b in tree)
    return float(len(reached) == len(graph.nodes) and weight == _least(graph))


def recheck(graph: Graph, tree: Answer) -> bool:
    """By networkx: a tree of the graph's edges that covers it, and of Borůvka's tree's weight."""
    import networkx

    known = _graph.in_networkx(graph)
    if not all(known.has_edge(*edge) for edge in tree):
        return False
    found = known.edge_subgraph(tree)
    least = networkx.minimum_spanning_tree(known, algorithm="boruvka")
    return bool(
        len(found) == len(known)
        and networkx.is_tree(found)
        and found.size("weight") == least.size("weight")
    )


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the edges of the tree, each written (a, b), separated by commas",
        "Find a minimum spanning tree: edges that join all nodes to one another, directly or by way"
        " of others, and whose total weight is as small as possible. If there are several such"
        " trees, any of them will do.",
        "Choose edges of the graph below so that from every node one can get to every other along"
        " chosen edges, and so that the sum of their weights is the least possible. Any one such"
        " choice will do.",
        "A spanning tree is a set of edges without a cycle that connects all the nodes. Which"
        " spanning tree has the smallest sum of weights? If several have, give any one.",
    )


def steps(graph: Graph) -> list[str]:
    """Kruskal's look at each edge, until all nodes are joined."""
    lines, missing = [], len(graph.nodes) - 1
    for (a, b), weight, taken in _looked_at(graph):
        if missing:
            verb = "take" if taken else "leave"
            lines.append(f"{weight}: {verb} {title(graph, a)}-{title(graph, b)}")
            missing -= taken
    total = sum(weight for _, weight, taken in _looked_at(graph) if taken)
    return [*lines, f"total {total}"]


def _looked_at(graph: Graph) -> list[tuple[tuple[str, str], int, bool]]:
    """The edges from the lightest on, each with its weight and whether it is taken."""
    part = {node: node for node in graph.nodes}
    looked = []
    for (a, b), weight in sorted(zip(graph.edges, graph.weights), key=lambda pair: pair[1]):
        one, two = part[a], part[b]
        looked.append(((a, b), weight, one != two))
        part = {node: one if name == two else name for node, name in part.items()}
    return looked


@lru_cache(maxsize=1024)
def _least(graph: Graph) -> int:
    """Prim: the tree grows from the first node by the lightest edge that leads out of it."""
    there, inside, total = _graph.beside(graph), set[str](), 0
    queue = [(0, graph.nodes[0])]
    while queue:
        weight, node = heappop(queue)
        if node not in inside:
            inside.add(node)
            total += weight
            for other, further in there[node].items():
                heappush(queue, (further, other))
    return total


LADDER = (
    Knobs(8, 3.0, 20, "random", "edge_list", "numbers"),
    Knobs(11, 3.6, 30, "any", "any", "any"),
    Knobs(16, 4.2, 50, "any", "any", "any"),
    Knobs(24, 5.0, 70, "any", "any", "any"),
    Knobs(36, 6.0, 99, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Edges(nodes="nodes"),
    recheck=recheck,
    hardness=_graph.size,
    solver="Kruskal",
    guess_rate=0.02,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=(
        "G1/minimum_spanning_tree",
        "G1/weighted_minimum_spanning_tree",
        "RLVE/minimum_weighted_spanning_tree",
        "CLRS-Text/mst_kruskal",
        "CLRS-Text/mst_prim",
    ),
    version=2,
)
