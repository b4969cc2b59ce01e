"""Bipartite matching: most edges of a two-sided graph that share no node.

Many matchings may be as large, so `verify` looks at the answer's edges and counts them; Hopcroft
and Karp's method tells it how many there can be.
"""

from collections.abc import Mapping
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _sources, _wording
from puzzlemill.generators.graphs._drawing import Knobs, Sketch
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair

Edge = tuple[str, str]


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Any graph has two sides once the edges within one are left out, where the sides are those of
    a spanning tree."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, 2 * edges)
    pairs = _across(sketch)
    if sketch.source in _sources.SHAPES:
        least = _drawing.spanning(sketch.nodes, pairs)
        pairs = list(dict.fromkeys([*least, *pairs]))[: max(edges, len(least))]
    return _drawing.dressed(rng, knobs, sketch, pairs)


def solve(graph: Graph) -> tuple[Edge, ...]:
    """Along one augmenting path after another, until there is none."""
    partner: dict[str, str] = {}
    for path in _augmenting(graph):
        for one, other in zip(path[::2], path[1::2]):
            partner[one], partner[other] = other, one
    edges = map(in_order, partner.items())
    return in_order({(one, other) for one, other in edges})


def verify(graph: Graph, edges: tuple[Edge, ...]) -> float:
    joined = {frozenset(edge) for edge in graph.edges}
    ends = [node for edge in edges for node in edge]
    if len(set(ends)) < len(ends) or any(frozenset(edge) not in joined for edge in edges):
        return 0.0
    return float(len(edges) == _most(graph))


def recheck(graph: Graph, edges: tuple[Edge, ...]) -> bool:
    """By networkx, which finds a largest matching whatever the graph."""
    import networkx

    known = _graph.in_networkx(graph)
    if not all(known.has_edge(*edge) for edge in edges):
        return False
    most = len(networkx.max_weight_matching(known, maxcardinality=True))
    return bool(networkx.is_matching(known, set(edges)) and len(edges) == most)


def render(graph: Graph, style: Style) -> Prompt:
    side = _wording.listed(graph, _side(graph))
    return _wording.posed(
        graph,
        style,
        "the edges of the matching, each written (a, b), separated by commas",
        f"The nodes of this graph are on two sides: {side} on the one, all others on the other."
        " Every edge joins the two sides. Choose as many edges as possible so that no two of them"
        " share a node: a maximum matching. If several choices are equally large, any one will do.",
        f"In the graph below, every edge has one end among {side} and the other among the other"
        " nodes. A matching is a set of edges in which no node is an end of two edges. Find a"
        " matching with the most edges; any one of the largest will do.",
        f"Pair up nodes that are joined by an edge, each node with one other at most, so that there"
        f" are as many pairs as possible. The graph is bipartite: one side is {side}. Which edges"
        " make the pairs? Any best choice is right.",
    )


def steps(graph: Graph) -> list[str]:
    lines = []
    for path in _augmenting(graph):
        added = _paired(graph, zip(path[::2], path[1::2]))
        freed = _paired(graph, zip(path[1:-1:2], path[2:-1:2]))
        lines.append(f"add {added}" + (f" instead of {freed}" if freed else ""))
    return [*lines, f"{len(lines)} edges, and no way to one more"]


def _across(sketch: Sketch) -> list[Pair]:
    """The pairs that join two sides, those of a spanning tree among them."""
    tree = _drawing.spanning(sketch.nodes, sketch.pairs)
    joined: dict[int, list[int]] = {node: [] for node in range(sketch.nodes)}
    for a, b in tree:
        joined[a].append(b)
        joined[b].append(a)
    side, queue = {0: 0}, [0]
    for node in queue:
        for other in joined[node]:
            if other not in side:
                side[other] = 1 - side[node]
                queue.append(other)
    return [(a, b) for a, b in sketch.pairs if side[a] != side[b]]


def _side(graph: Graph) -> list[str]:
    """The nodes on the side of the first."""
    away = _graph.distances(graph, graph.nodes[0])
    return [node for node in graph.nodes if away[node] % 2 == 0]


def _augmenting(graph: Graph) -> list[list[str]]:
    """Paths from a free node to a free one, on which every second edge is in the matching that the
    paths before have left."""
    there, partner, paths = _graph.beside(graph), dict[str, str](), list[list[str]]()
    for node in _side(graph):
        path = _path(there, partner, node, set())
        if path:
            paths.append(path)
            for one, other in zip(path[::2], path[1::2]):
                partner[one], partner[other] = other, one
    return paths


def _path(
    there: Mapping[str, Mapping[str, int]], partner: Mapping[str, str], node: str, seen: set[str]
) -> list[str]:
    for other in there[node]:
        if other not in seen:
            seen.add(other)
            if other not in partner:
                return [node, other]
            rest = _path(there, partner, partner[other], seen)
            if rest:
                return [node, other, *rest]
    return []


def _paired(graph: Graph, edges: "zip[Edge]") -> str:
    return ", ".join("-".join(_wording.title(graph, node) for node in edge) for edge in edges)


@lru_cache(maxsize=1024)
def _most(graph: Graph) -> int:
    """The most edges of a matching."""
    from networkx.algorithms import bipartite

    partner = bipartite.hopcroft_karp_matching(_graph.in_networkx(graph), top_nodes=_side(graph))
    return len(partner) // 2


LADDER = (
    Knobs(8, 2.5, "random", "edge_list", "numbers"),
    Knobs(14, 2.6, "any", "any", "any"),
    Knobs(22, 2.8, "any", "any", "any"),
    Knobs(34, 3.0, "any", "any", "any"),
    Knobs(50, 3.0, "any", "any", "any"),
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
    solver="augmenting paths",
    guess_rate=0.03,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=("G1/bipartite_maximum_matching",),
    version=3,
)
