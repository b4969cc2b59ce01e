"""Euler trail: a walk that uses every edge of a graph exactly once.

Many walks do, so `verify` crosses out the edges that the answer uses one by one.
"""

from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _euler, _graph, _wording
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._wording import title

CLOSED = 0.3  # of the graphs have trails that end where they began


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Nodes are made even; then a trail is open if one edge is taken out. In a directed graph the
    edges point along a trail."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pairs = _euler.evened(rng, sketch.pairs, [0] * sketch.nodes)
    rng.shuffle(pairs)
    if rng.random() > CLOSED:
        pairs.pop()
    graph = _drawing.dressed(rng, knobs, sketch, pairs)
    walk = _walk(graph)
    if len(walk) <= len(pairs) or set(walk) != set(graph.nodes):
        return None
    if not knobs.directed:
        return graph
    place = {node: number for number, node in enumerate(graph.nodes)}
    turned = [(place[a], place[b]) for a, b in pairwise(walk)]
    return _drawing.dressed(rng, knobs, sketch, turned, directed=True)


def solve(graph: Graph) -> tuple[str, ...] | None:
    """By Hierholzer's method."""
    walk = _walk(graph)
    return tuple(walk) if len(walk) == len(graph.edges) + 1 else None


def verify(graph: Graph, walk: tuple[str, ...]) -> float:
    left = set(graph.edges)
    for here, beyond in pairwise(walk):
        if (here, beyond) in left:
            left.remove((here, beyond))
        elif (beyond, here) in left and not graph.directed:
            left.remove((beyond, here))
        else:
            return 0.0
    return float(not left)


def recheck(graph: Graph, walk: tuple[str, ...]) -> bool:
    """By counting: as many steps as edges, all different, and each an edge of networkx's graph."""
    known = _graph.in_networkx(graph)
    steps = list(pairwise(walk))
    different = set(steps) if graph.directed else {frozenset(step) for step in steps}
    fits = all(known.has_edge(*step) for step in steps)
    return bool(fits and len(steps) == len(different) == known.number_of_edges())


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the nodes of the walk in order, separated by commas",
        "Find a walk that uses every edge exactly once. It may begin and end at any node, and come"
        " to a node several times. If there are several such walks, any of them will do.",
        "Go along every edge of the graph below once and only once, without a break, from any node"
        " you like. Nodes may be visited more than once. Any such walk will do.",
        "An Euler trail is a walk along the edges of a graph that uses each edge exactly once; it"
        " may pass through a node more than once, and need not end where it began. Give any one.",
    )


def steps(graph: Graph) -> list[str]:
    """Where the walk can begin and end, and the trail."""
    walk = _walk(graph)
    name = {node: title(graph, node) for node in graph.nodes}
    edges = "more edges out than in" if graph.directed else "an odd number of edges"
    ends = f"{name[walk[0]]} has {edges}: begin there"
    if walk[0] == walk[-1]:
        ends = f"no node has {edges}: begin anywhere, at {name[walk[0]]}"
    return [ends, " ".join(name[node] for node in walk)]


def _walk(graph: Graph) -> list[str]:
    """A trail from a node with an edge too many, if there is one."""
    excess = dict.fromkeys(graph.nodes, 0)
    for a, b in graph.edges:
        excess[a] += 1
        excess[b] += -1 if graph.directed else 1
    odd = [node for node in graph.nodes if excess[node] % 2 and excess[node] > 0]
    return _euler.trail(graph, (odd or [graph.edges[0][0]])[0])


LADDER = (
    Knobs(7, 2.6, False, "random", "edge_list", "numbers"),
    Knobs(11, 3.2, False, "any", "any", "any"),
    Knobs(14, 3.2, True, "any", "any", "any"),
    Knobs(18, 3.6, False, "any", "any", "any"),
    Knobs(26, 4.0, True, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Path(nodes="nodes", between=", "),
    recheck=recheck,
    hardness=_graph.size,
    solver="Hierholzer",
    guess_rate=0.02,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "search"),
    peers=("RLVE/mixed_graph_eulerian_circuit", "KORGym/34-one_touch_drawing"),
    version=3,
)
