"""Jaccard coefficient of two nodes: of all their neighbours, the share that both have.

`verify` does not intersect anything: it counts the nodes beside either, and takes those that the
two numbers of edges count twice.
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

    def share(pair: tuple[str, str], common: int) -> Fraction:
        return Fraction(common, sum(len(there[node]) for node in pair) - common)

    pairs = _measures.sharing(graph)
    return _measures.asking(rng, graph, ((pair, share(pair, len(both))) for pair, both in pairs))


def solve(graph: Graph) -> Fraction:
    there = _graph.beside(graph)
    one, two = (set(there[node]) for node in graph.asked)
    return Fraction(len(one & two), len(one | two))


def verify(graph: Graph, value: Fraction) -> float:
    ends = [node for edge in graph.edges for node in edge if node in graph.asked]
    others = {b for a, b in graph.edges if a in graph.asked}
    others |= {a for a, b in graph.edges if b in graph.asked}
    return float(value == Fraction(len(ends) - len(others), len(others)))


def render(graph: Graph, style: Style) -> Prompt:
    one, two = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        f"What is the Jaccard coefficient of {one} and {two}? It is the number of nodes that are"
        " neighbours of both, divided by the number of nodes that are neighbours of at least one"
        " of them. A neighbour of a node is a node that an edge joins to it, so that each of the"
        " two may itself be a neighbour of the other.",
        f"Find the Jaccard coefficient of {one} and {two} in the graph below. Take the set of all"
        " nodes that have an edge with the first, and the set of all nodes that have an edge with"
        " the second; divide the size of their intersection by the size of their union. (If an"
        " edge joins the two, each of them is in the other's set.)",
        f"Of all nodes that share an edge with {one}, with {two} or with both, which share do so"
        " with both? This share is the Jaccard coefficient of the two. If an edge joins the two"
        " themselves, both of them are among all these nodes as well.",
    )


def steps(graph: Graph) -> list[str]:
    there, lines = _graph.beside(graph), []
    one, two = (set(there[node]) for node in graph.asked)
    for node in graph.asked:
        others = [each for each in graph.nodes if each in there[node]]
        lines.append(f"{_wording.title(graph, node)}: {_wording.listed(graph, others)}")
    for name, nodes in (("both", one & two), ("either", one | two)):
        listed = _wording.listed(graph, [each for each in graph.nodes if each in nodes])
        lines.append(f"{name}: {listed or 'none'}, so {len(nodes)}")
    return [*lines, _measures.reduced(len(one & two), len(one | two))]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(9, 3.8, "random", "edge_list", "numbers"),
    Knobs(13, 4.5, "any", "any", "any"),
    Knobs(19, 5.5, "any", "any", "any"),
    Knobs(28, 7.0, "any", "any", "any"),
    Knobs(40, 9.0, "any", "any", "any"),
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
    solver="the definition, in sets",
    guess_rate=0.12,
    steps=steps,
    progress=progress,
    canon=_graph.canon_of_pair,
    kin=_graph.kin,
    known=_graph.known,
    slips=_measures.elsewhere(solve),
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/jaccard_coefficient",),
    theme="shared_neighbours",
)
