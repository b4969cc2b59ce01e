"""Bridges: the edges without which a connected graph falls apart."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair

Edge = tuple[str, str]

BETTER = 4  # edges looked at for a bridge, of which the one is taken that halves the graph best


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Some edges of a spanning tree are made bridges: all others round them are left out. Of the
    graphs without a bridge few are kept."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    tree = _drawing.spanning(sketch.nodes, sketch.pairs)
    pairs = list(sketch.pairs)
    for _ in range(rng.randint(0, 1 + sketch.nodes // 10)):
        tried = [(edge, _beyond(tree, edge)) for edge in rng.sample(tree, min(BETTER, len(tree)))]
        bridge, part = min(tried, key=lambda it: abs(2 * len(it[1]) - sketch.nodes))
        pairs = [(a, b) for a, b in pairs if (a, b) == bridge or (a in part) == (b in part)]
    graph = _drawing.dressed(rng, knobs, sketch, pairs)
    return graph if _uncovered(graph) or rng.random() < 0.2 else None


def solve(graph: Graph) -> tuple[Edge, ...]:
    """By networkx."""
    import networkx

    found: list[Edge] = [(a, b) for a, b in networkx.bridges(_graph.in_networkx(graph))]
    return _sorted(found)


def verify(graph: Graph, edges: tuple[Edge, ...]) -> float:
    return float({frozenset(edge) for edge in edges} == {frozenset(it) for it in _uncovered(graph)})


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        'those edges, each written (a, b), separated by commas, or "none"',
        "A bridge is an edge whose two ends are no longer joined by any path once the edge is taken"
        " away. Which edges of this graph are bridges?",
        "Find every edge of the graph below that cannot be removed without cutting the graph into"
        " two pieces with no edge between them.",
        "Some edges may lie on no cycle: whoever leaves a node by such an edge cannot come back"
        " there without using the same edge again. List all of these edges.",
    )


def steps(graph: Graph) -> list[str]:
    """The pieces that are left without the bridges, then the bridges between them."""
    bridges = {frozenset(edge) for edge in solve(graph)}
    left, lines = list(graph.nodes), []
    while left:
        piece = [left[0]]
        for node in piece:
            there = _graph.beside(graph)[node]
            piece += [it for it in there if it not in piece and {node, it} not in bridges]
        inside = [node for node in graph.nodes if node in piece]
        left = [node for node in left if node not in piece]
        if len(inside) > 1:
            lines.append(f"each edge lies on a cycle: {_wording.listed(graph, inside)}")
    for edge in solve(graph):
        lines.append(f"bridge: {_wording.listed(graph, edge)}")
    return lines


def _uncovered(graph: Graph) -> tuple[Edge, ...]:
    """The edges of a spanning tree that lie on no cycle: every other edge closes one, along the
    tree."""
    there, above, order = _graph.beside(graph), dict[str, str](), [graph.nodes[0]]
    for node in order:
        for other in there[node]:
            if other not in above and other != order[0]:
                above[other] = node
                order.append(other)
    covered = set()
    for a, b in graph.edges:
        if above.get(a) != b and above.get(b) != a:
            ways = [_way_up(above, node) for node in (a, b)]
            covered |= {
                node for node in ways[0] + ways[1] if (node in ways[0]) != (node in ways[1])
            }
    return _sorted([(node, up) for node, up in above.items() if node not in covered])


def _way_up(above: dict[str, str], node: str) -> list[str]:
    """A node and those above it, without the root."""
    way = []
    while node in above:
        way.append(node)
        node = above[node]
    return way


def _beyond(tree: list[Pair], edge: Pair) -> set[int]:
    """The nodes of a tree on the second side of one of its edges."""
    beyond, before = {edge[1]}, 0
    while len(beyond) > before:
        before = len(beyond)
        for pair in tree:
            if pair != edge and beyond.intersection(pair):
                beyond.update(pair)
    return beyond


def _sorted(edges: list[Edge]) -> tuple[Edge, ...]:
    turned: list[Edge] = []
    for edge in edges:
        a, b = in_order(edge)
        turned.append((a, b))
    return in_order(turned)


LADDER = (
    Knobs(8, 3.0, "random", "edge_list", "numbers"),
    Knobs(14, 3.2, "any", "any", "any"),
    Knobs(22, 3.4, "any", "any", "any"),
    Knobs(34, 3.6, "any", "any", "any"),
    Knobs(50, 3.8, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Edges(nodes="nodes", empty=True),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.15,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "connectivity"),
    peers=("G1/bridges", "RLVE/bridge", "CLRS-Text/bridges"),
    version=2,
)
