"""Global efficiency of a graph: the mean of 1 / distance over all pairs of nodes.

`solve` finds the distances by breadth-first search; `verify` lets a ball grow around every node and
counts what it takes in.
"""

from collections import Counter
from math import comb
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    return _measures.drawn(rng, knobs)


def solve(graph: Graph) -> Fraction:
    total = sum(Fraction(pairs, away) for away, pairs in _pairs(graph).items())
    return Fraction(total, comb(len(graph.nodes), 2))


def verify(graph: Graph, value: Fraction) -> float:
    there_and_back = Fraction(0)
    for node in graph.nodes:
        for away, count in enumerate(_measures.spheres(graph, node), 1):
            there_and_back += Fraction(count, away)
    return float(value * len(graph.nodes) * (len(graph.nodes) - 1) == there_and_back)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        "What is the global efficiency of this graph? It is the mean, over all pairs of different"
        " nodes, of 1/d, where d is the distance between the two: the number of edges on a shortest"
        " path. Give it exactly.",
        "Find the global efficiency of the graph below. Each pair of nodes counts 1 if an edge"
        " joins the two, 1/2 if the shortest path between them has two edges, 1/3 if it has three,"
        " and so on. The global efficiency is the sum over all pairs, divided by the number of"
        " pairs, n(n-1)/2 for n nodes.",
        "Let d(a, b) be the least number of edges on a path between the nodes a and b. Work out the"
        " average of 1/d(a, b) over all pairs of different nodes a and b, as an exact number: the"
        " global efficiency of the graph.",
    )


def steps(graph: Graph) -> list[str]:
    pairs = _pairs(graph)
    total = _measures.added(Fraction(count, away) for away, count in pairs.items())
    return [
        *_measures.spread(graph),
        *(f"{count} pairs are {away} apart" for away, count in pairs.items()),
        f"sum: {total}",
        f"divided by {comb(len(graph.nodes), 2)} pairs: {solve(graph)}",
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _pairs(graph: Graph) -> dict[int, int]:
    """How many pairs of nodes are at each distance, the least first."""
    away = Counter(far for node in graph.nodes for far in _graph.distances(graph, node).values())
    return {far: count // 2 for far, count in sorted(away.items()) if far}


LADDER = (
    Knobs(9, 2.8, "random", "edge_list", "numbers"),
    Knobs(12, 3.0, "any", "any", "any"),
    Knobs(15, 3.2, "any", "any", "any"),
    Knobs(20, 3.4, "any", "any", "any"),
    Knobs(28, 3.8, "any", "any", "any"),
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
    guess_rate=0.06,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/global_efficiency",),
    version=2,
)
