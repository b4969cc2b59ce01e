"""Harmonic centrality of a node: the sum of 1 / distance over all other nodes.

`solve` finds the distances by breadth-first search; `verify` lets a ball grow around the node and
counts what it takes in.
"""

from collections import Counter
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
    nodes = (((node,), sum(_terms(graph, node))) for node in graph.nodes)
    return _measures.asking(rng, graph, nodes)


def solve(graph: Graph) -> Fraction:
    return sum(_terms(graph, *graph.asked), Fraction(0))


def verify(graph: Graph, value: Fraction) -> float:
    spheres = _measures.spheres(graph, *graph.asked)
    return float(value == sum(Fraction(count, away) for away, count in enumerate(spheres, 1)))


def render(graph: Graph, style: Style) -> Prompt:
    node = _wording.node(graph, *graph.asked)
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        f"What is the harmonic centrality of {node}? It is the sum of 1/d over all other nodes,"
        " where d is the distance to that node: the number of edges on a shortest path. The sum is"
        " not divided by anything. Give it exactly.",
        f"Find the harmonic centrality of {node} in the graph below: every other node counts 1 if"
        " an edge joins the two, 1/2 if the shortest path between them has two edges, 1/3 if it has"
        " three, and so on. Add up what all of them count.",
        f"Let d(v) be the least number of edges on a path from {node} to another node v. Add up"
        " the reciprocals 1/d(v) of all nodes v other than the start. What is this sum, the"
        " harmonic centrality, as an exact number?",
    )


def steps(graph: Graph) -> list[str]:
    return [
        *_measures.nearest_first(graph, *graph.asked),
        _measures.added(_terms(graph, *graph.asked)),
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _terms(graph: Graph, node: str) -> list[Fraction]:
    """What the nodes at each distance add, the nearest first."""
    away = Counter(_graph.distances(graph, node).values())
    return [Fraction(count, far) for far, count in sorted(away.items()) if far]


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
    peers=("G1/harmonic_centrality",),
    theme="all_distances",
)
