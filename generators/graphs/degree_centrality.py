"""Degree centrality of a node: its number of edges, divided by the number of other nodes.

The number of nodes varies from graph to graph, so that the divisor has to be counted as well.
`verify` counts the node in the list of edges.
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
    there = _graph.beside(graph)
    nodes = (((node,), Fraction(len(there[node]), len(there) - 1)) for node in graph.nodes)
    return _measures.asking(rng, graph, nodes)


def solve(graph: Graph) -> Fraction:
    (node,) = graph.asked
    return Fraction(len(_graph.beside(graph)[node]), len(graph.nodes) - 1)


def verify(graph: Graph, value: Fraction) -> float:
    ends = [node for edge in graph.edges for node in edge]
    return float(value * (len(graph.nodes) - 1) == ends.count(*graph.asked))


def render(graph: Graph, style: Style) -> Prompt:
    node = _wording.node(graph, *graph.asked)
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        f"What is the degree centrality of {node}? It is the number of edges at this node, divided"
        " by n - 1, where n is the number of nodes of the graph.",
        f"Find the degree centrality of {node} in the graph below: of all other nodes, the share"
        " that an edge joins to it. Give this share exactly.",
        f"The degree centrality of a node is its degree, which is the number of its edges, divided"
        f" by the greatest degree that it could have: one less than the number of nodes. What is"
        f" it for {node}?",
    )


def steps(graph: Graph) -> list[str]:
    (node,) = graph.asked
    others = [each for each in graph.nodes if each in _graph.beside(graph)[node]]
    return [
        f"{_wording.title(graph, node)}: {_wording.listed(graph, others)}, so {len(others)}",
        f"other nodes: {len(graph.nodes) - 1}",
        _measures.reduced(len(others), len(graph.nodes) - 1),
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(10, 3.6, "random", "edge_list", "numbers"),
    Knobs(16, 4.0, "any", "any", "any"),
    Knobs(26, 6.0, "any", "any", "any"),
    Knobs(38, 8.0, "any", "any", "any"),
    Knobs(54, 10.0, "any", "any", "any"),
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
    guess_rate=0.12,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    slips=_measures.elsewhere(solve),
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/degree_centrality",),
    theme="degrees",
)
