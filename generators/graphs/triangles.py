"""Triangles: how many sets of three nodes, all joined to one another, a given node is part of."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _either_way, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Many a source has few triangles or none, so a fan of them is planted."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)

    def fan(nodes: int) -> Iterable[Pair]:
        return _fan(rng, nodes, rng.randint(0, round(knobs.degree)))

    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges, planted=fan)
    graph = _drawing.dressed(rng, knobs, sketch, sketch.pairs)
    count = {node: len(_across(graph, node)) for node in graph.nodes}
    return replace(graph, asked=(_either_way.evenly(rng, count),))


def solve(graph: Graph) -> int:
    """By networkx."""
    import networkx

    return int(networkx.triangles(_graph.in_networkx(graph), graph.asked[0]))


def verify(graph: Graph, triangles: int) -> float:
    """Every edge is looked at, whether the node is joined to both of its ends."""
    joined = {frozenset(edge) for edge in graph.edges}
    (node,) = graph.asked
    across = [{frozenset((node, a)), frozenset((node, b))} <= joined for a, b in graph.edges]
    return float(triangles == across.count(True))


def render(graph: Graph, style: Style) -> Prompt:
    node = _wording.node(graph, graph.asked[0])
    return _wording.posed(
        graph,
        style,
        "an integer",
        "A triangle is a set of three nodes of which any two are joined by an edge. How many"
        f" triangles is {node} part of?",
        "Three nodes form a triangle if each of them has an edge with each of the other two. Count"
        f" the triangles of the graph below that have {node} as a corner.",
        "How many pairs of two other nodes are there, whose order does not matter, such that they"
        f" and {node} are all joined to one another by edges?",
    )


def steps(graph: Graph) -> list[str]:
    (node,) = graph.asked
    others = [each for each in graph.nodes if each in _graph.beside(graph)[node]]
    across = _across(graph, node)
    edges = ", ".join(f"{_wording.title(graph, a)}-{_wording.title(graph, b)}" for a, b in across)
    return [
        f"neighbours: {_wording.listed(graph, others)}",
        f"edges between them: {edges or 'none'}",
        f"triangles: {len(across)}",
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _across(graph: Graph, node: str) -> list[tuple[str, str]]:
    """The pairs of the node's neighbours that are joined."""
    there = _graph.beside(graph)
    others = [each for each in graph.nodes if each in there[node]]
    return [(a, b) for a, b in combinations(others, 2) if b in there[a]]


def _fan(rng: Random, nodes: int, triangles: int) -> Iterator[Pair]:
    """A path, all nodes of which are joined to one more node."""
    hub, *path = rng.sample(range(nodes), min(triangles + 2, nodes))
    yield from pairwise(path)
    yield from ((hub, node) for node in path)


LADDER = (
    Knobs(8, 3.5, "random", "edge_list", "numbers"),
    Knobs(12, 4.5, "any", "any", "any"),
    Knobs(18, 6.0, "any", "any", "any"),
    Knobs(26, 7.5, "any", "any", "any"),
    Knobs(36, 9.0, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/triangles",),
)
