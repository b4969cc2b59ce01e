"""Topological sort: an order of the nodes in which every edge leads forwards.

Many orders may do, so `verify` looks at the places of the two ends of every edge.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import path_begun
from puzzlemill.generators._misreadings import misreadings
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._wording import title


def generate(rng: Random, knobs: Knobs) -> Graph:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    return _drawing.dressed(rng, knobs, sketch, _drawing.downhill(rng, sketch), directed=True)


def solve(graph: Graph) -> tuple[str, ...] | None:
    """Kahn's method: take a node to which no edge leads from those that are left."""
    order = [node for layer in _layers(graph) for node in layer]
    return tuple(order) if len(order) == len(graph.nodes) else None


def verify(graph: Graph, order: tuple[str, ...]) -> float:
    place = {node: at for at, node in enumerate(order)}
    if len(order) != len(graph.nodes) or place.keys() != set(graph.nodes):
        return 0.0
    return float(all(place[a] < place[b] for a, b in graph.edges))


def recheck(graph: Graph, order: tuple[str, ...]) -> bool:
    """By networkx: the nodes are taken out one by one, and no edge leads to any of them then."""
    left = _graph.in_networkx(graph)
    for node in order:
        if node not in left or left.in_degree(node):
            return False
        left.remove_node(node)
    return not left


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "all nodes in that order, separated by commas",
        "Put all nodes in an order in which every edge leads from an earlier node to a later one."
        " If there are several such orders, any of them will do.",
        "Give a topological order of the graph below: a list of all its nodes in which, for every"
        " edge, the node it comes from stands before the node it leads to. Any one will do.",
        "Each node is a task, and an edge says that its first node must be done before its second."
        " One task is done at a time. In which order can all of them be done? Give any one.",
    )


def misread(rng: Random, graph: Graph) -> Graph:
    """Two nodes are taken for one another: the graph is drawn as often with either so named."""
    one, other = rng.sample(graph.nodes, 2)
    taken = {one: other, other: one}
    edges = tuple((taken.get(a, a), taken.get(b, b)) for a, b in graph.edges)
    return replace(graph, edges=edges)


def steps(graph: Graph) -> list[str]:
    """Round by round, the nodes to which no edge leads from those that are left."""
    return [f"free: {', '.join(title(graph, it) for it in layer)}" for layer in _layers(graph)]


def progress(graph: Graph, lines: Lines) -> float:
    return path_begun(FAMILY, graph, lines, _sorted)


def _sorted(graph: Graph, order: Sequence[str]) -> float | None:
    """The share of the nodes, where each comes behind all that lead to it."""
    before, last = _graph.behind(graph), order[-1]
    fresh = last in graph.nodes and last not in order[:-1]
    return len(order) / len(graph.nodes) if fresh and before[last].keys() <= set(order) else None


def _layers(graph: Graph) -> list[list[str]]:
    before = _graph.behind(graph)
    layers: list[list[str]] = []
    left = list(graph.nodes)
    while free := [node for node in left if before[node].keys().isdisjoint(left)]:
        layers.append(free)
        left = [node for node in left if node not in free]
    return layers


LADDER = (
    Knobs(8, 3.0, "random", "edge_list", "numbers"),
    Knobs(13, 3.4, "any", "any", "any"),
    Knobs(20, 4.0, "any", "any", "any"),
    Knobs(32, 4.8, "any", "any", "any"),
    Knobs(50, 6.0, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(items="nodes", reorders=True),
    recheck=recheck,
    hardness=_graph.size,
    solver="Kahn",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    slips=misreadings(solve, misread),
    redraws=_graph.layout,
    skills=("graphs", "ordering"),
    peers=("G1/topological_sort", "RLVE/topological_sort", "CLRS-Text/topological_sort"),
    version=2,
)
