"""Transitivity of a graph: of all paths of two edges, the share whose ends are joined.

`solve` looks at every pair of neighbours of every node; `verify` counts, for every edge, the nodes
beside both its ends, which counts each triangle three times as well.
"""

from functools import lru_cache
from math import comb
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Few graphs without a triangle, and few where all paths are closed."""
    graph = _measures.drawn_with_triangles(rng, knobs)
    dull = solve(graph) in _measures.DULL
    return graph if not dull or rng.random() < 0.2 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(graph: Graph) -> Fraction:
    return Fraction(sum(_joined(graph).values()), sum(_pairs(graph).values()))


def verify(graph: Graph, value: Fraction) -> float:
    place = {node: at for at, node in enumerate(graph.nodes)}
    beside = [0] * len(place)  # as bits
    for a, b in graph.edges:
        beside[place[a]] |= 1 << place[b]
        beside[place[b]] |= 1 << place[a]
    closed = sum((beside[place[a]] & beside[place[b]]).bit_count() for a, b in graph.edges)
    paths = sum(bits.bit_count() * (bits.bit_count() - 1) // 2 for bits in beside)
    return float(value * paths == closed)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        "What is the transitivity of this graph? It is three times the number of triangles, divided"
        " by the number of pairs of edges that have a node in common. A triangle is three nodes"
        " each two of which are joined by an edge.",
        "Find the transitivity of the graph below. Consider every path of two edges, a - b - c with"
        " three different nodes; c - b - a is the same path. The transitivity is the share of these"
        " paths whose ends a and c are joined by an edge too.",
        "For each node take all pairs of its neighbours, and put the pairs of all nodes together; a"
        " pair that several nodes have counts for each of them. What share of the pairs consists of"
        " two nodes with an edge between them? This is the transitivity of the graph, also known as"
        " its global clustering coefficient.",
    )


def steps(graph: Graph) -> list[str]:
    joined, pairs = _joined(graph), _pairs(graph)
    return [
        *(
            f"{_wording.title(graph, node)}: {joined[node]} of {pairs[node]} pairs joined"
            for node in graph.nodes
            if pairs[node]
        ),
        _measures.reduced(sum(joined.values()), sum(pairs.values())),
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _pairs(graph: Graph) -> dict[str, int]:
    """How many pairs of neighbours each node has."""
    return {node: comb(len(others), 2) for node, others in _graph.beside(graph).items()}


def _joined(graph: Graph) -> dict[str, int]:
    """How many of them are joined."""
    return {node: len(_measures.joined_neighbours(graph, node)) for node in graph.nodes}


LADDER = (
    Knobs(9, 3.6, "random", "edge_list", "numbers"),
    Knobs(12, 4.0, "any", "any", "any"),
    Knobs(16, 4.5, "any", "any", "any"),
    Knobs(22, 5.0, "any", "any", "any"),
    Knobs(30, 6.0, "any", "any", "any"),
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
    solver="the definition, in fractions",
    guess_rate=0.06,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/transitivity",),
    theme="triangles_at_nodes",
)
