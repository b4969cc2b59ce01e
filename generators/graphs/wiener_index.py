"""Wiener index of a graph: the sum of the distances of all pairs of nodes.

`solve` finds the distances by breadth-first search; `verify` lets a ball grow around every node and
counts what it takes in.
"""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    return _measures.drawn(rng, knobs)


def solve(graph: Graph) -> int:
    return sum(sum(_graph.distances(graph, node).values()) for node in graph.nodes) // 2


def verify(graph: Graph, value: int) -> float:
    there_and_back = sum(
        away * count
        for node in graph.nodes
        for away, count in enumerate(_measures.spheres(graph, node), 1)
    )
    return float(2 * value == there_and_back)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "one integer",
        "What is the Wiener index of this graph? It is the sum of the distances between all"
        " pairs of nodes, where the distance between two nodes is the number of edges on a shortest"
        " path. Each pair counts once.",
        "Find the Wiener index of the graph below: for every two nodes, take the least number of"
        " edges on a path that joins them, and add these numbers up, counting each pair of nodes"
        " only once.",
        "Measure the distance between two nodes by the fewest edges that lead from one to the"
        " other. What do the distances between all pairs of nodes add up to, if the way from a to b"
        " and the way back count as one? This total is the Wiener index.",
    )


def steps(graph: Graph) -> list[str]:
    sums = [sum(_graph.distances(graph, node).values()) for node in graph.nodes]
    return [
        *_measures.spread(graph),
        f"sums for each node: {', '.join(map(str, sums))}",
        f"in all {sum(sums)}, and half of it: {solve(graph)}",
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(9, 2.8, "random", "edge_list", "numbers"),
    Knobs(13, 3.0, "any", "any", "any"),
    Knobs(18, 3.2, "any", "any", "any"),
    Knobs(24, 3.4, "any", "any", "any"),
    Knobs(34, 3.8, "any", "any", "any"),
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
    solver="breadth-first search",
    guess_rate=0.08,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/wiener_index",),
    theme="all_distances",
    version=2,
)
