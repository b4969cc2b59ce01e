"""Clustering coefficient of a node: of the pairs of its neighbours, the share that is joined.

`solve` looks at the pairs; `verify` goes through the list of edges.
"""

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
    """The node has two neighbours or more."""
    graph = _measures.drawn_with_triangles(rng, knobs)
    there = _graph.beside(graph)
    several = [node for node in graph.nodes if len(there[node]) > 1]
    return _measures.asking(rng, graph, (((node,), _clustering(graph, node)) for node in several))


def solve(graph: Graph) -> Fraction:
    return _clustering(graph, *graph.asked)


def verify(graph: Graph, value: Fraction) -> float:
    (centre,) = graph.asked
    around = {end for edge in graph.edges if centre in edge for end in edge} - {centre}
    between = [edge for edge in graph.edges if around.issuperset(edge)]
    return float(value == Fraction(2 * len(between), len(around) * (len(around) - 1)))


def render(graph: Graph, style: Style) -> Prompt:
    centre = _wording.node(graph, *graph.asked)
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        f"What is the clustering coefficient of {centre}? It is the number of edges between"
        " neighbours of this node, divided by the number of pairs of its neighbours, k(k-1)/2 where"
        " k is how many neighbours it has. Give it exactly.",
        f"Find the clustering coefficient of {centre} in the graph below: of all pairs of nodes"
        " that both have an edge with it, the share whose two nodes are joined by an edge.",
        f"Take two different neighbours of {centre} at random, each pair as likely as any other."
        " How likely is it that an edge joins the two? This is the clustering coefficient of"
        f" {centre}; a node's neighbours are the nodes that an edge joins to it.",
    )


def steps(graph: Graph) -> list[str]:
    (centre,) = graph.asked
    around = [node for node in graph.nodes if node in _graph.beside(graph)[centre]]
    joined = _measures.joined_neighbours(graph, centre)
    pairs = [f"{_wording.title(graph, a)}-{_wording.title(graph, b)}" for a, b in joined]
    return [
        f"neighbours: {_wording.listed(graph, around)}, so {comb(len(around), 2)} pairs",
        f"joined: {', '.join(pairs) or 'none'}, so {len(pairs)}",
        _measures.reduced(len(pairs), comb(len(around), 2)),
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _clustering(graph: Graph, node: str) -> Fraction:
    joined = _measures.joined_neighbours(graph, node)
    return Fraction(len(joined), comb(len(_graph.beside(graph)[node]), 2))


LADDER = (
    Knobs(10, 4.8, "random", "edge_list", "numbers"),
    Knobs(14, 5.0, "any", "any", "any"),
    Knobs(22, 6.0, "any", "any", "any"),
    Knobs(32, 8.0, "any", "any", "any"),
    Knobs(44, 10.0, "any", "any", "any"),
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
    guess_rate=0.16,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    slips=_measures.elsewhere(solve),
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/clustering_coefficient",),
    theme="triangles_at_nodes",
)
