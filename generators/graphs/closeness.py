"""Closeness centrality of a node: the number of other nodes, divided by the sum of their distances.

`solve` finds the distances by breadth-first search; `verify` lets a ball grow around the node and
counts what it takes in.
"""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    graph = _measures.drawn(rng, knobs)
    nodes = (((node,), _closeness(graph, node)) for node in graph.nodes)
    return _measures.asking(rng, graph, nodes)


def solve(graph: Graph) -> Fraction:
    return _closeness(graph, *graph.asked)


def verify(graph: Graph, value: Fraction) -> float:
    spheres = _measures.spheres(graph, *graph.asked)
    total = sum(away * count for away, count in enumerate(spheres, 1))
    return float(value * total == len(graph.nodes) - 1)


def render(graph: Graph, style: Style) -> Prompt:
    node = _wording.node(graph, *graph.asked)
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        f"What is the closeness centrality of {node}? It is (n - 1)/s, where n is the number of"
        " nodes and s is the sum of the distances from this node to all others. The distance"
        " between two nodes is the number of edges on a shortest path between them.",
        f"Find the closeness centrality of {node} in the graph below. Add up the distances from"
        " this node to all others, each distance being the least number of edges that lead"
        " there; then divide the number of the other nodes by this sum.",
        f"How far is it on average from {node} to another node, if the length of a path is its"
        " number of edges and the shortest path is taken each time? The closeness centrality of"
        f" {node} is 1 divided by this average. Give the closeness centrality.",
    )


def steps(graph: Graph) -> list[str]:
    away = _graph.distances(graph, *graph.asked)
    total = sum(away.values())
    return [
        *_measures.nearest_first(graph, *graph.asked),
        f"sum of the distances: {total}",
        _measures.reduced(len(graph.nodes) - 1, total),
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _closeness(graph: Graph, node: str) -> Fraction:
    return Fraction(len(graph.nodes) - 1, sum(_graph.distances(graph, node).values()))


LADDER = (
    Knobs(9, 2.8, "random", "edge_list", "numbers"),
    Knobs(13, 3.0, "any", "any", "any"),
    Knobs(20, 3.2, "any", "any", "any"),
    Knobs(30, 3.6, "any", "any", "any"),
    Knobs(44, 4.0, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=_graph.size,
    proof="unique",
    solver="breadth-first search",
    guess_rate=0.12,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    slips=_measures.elsewhere(solve),
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/closeness_centrality",),
    version=3,
)
