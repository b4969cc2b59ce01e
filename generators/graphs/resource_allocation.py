"""Resource allocation index of two nodes: each common neighbour adds 1 / (its number of edges).

`verify` plays what gave the index its name: the first node's neighbours each hold one unit and
share it out among their own neighbours, and what reaches the second node is counted.
"""

from collections import Counter
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    graph = _measures.drawn(rng, knobs)
    pairs = _measures.sharing(graph)
    return _measures.asking(rng, graph, ((pair, tuple(degrees)) for pair, degrees in pairs))


def solve(graph: Graph) -> Fraction:
    return sum(_terms(graph).values(), Fraction(0))


def verify(graph: Graph, value: Fraction) -> float:
    one, two = graph.asked
    ends = Counter(node for edge in graph.edges for node in edge)
    arcs = [*graph.edges, *((b, a) for a, b in graph.edges)]
    holders = {b for a, b in arcs if a == one}
    arrived = sum(Fraction(1, ends[a]) for a, b in arcs if a in holders and b == two)
    return float(value == arrived)


def render(graph: Graph, style: Style) -> Prompt:
    one, two = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        f"What is the resource allocation index of {one} and {two}? It is the sum of 1/d(z) over"
        " all nodes z that have an edge with each of the two, where d(z) is the number of edges"
        " at z. Give the exact value.",
        f"Find the resource allocation index of {one} and {two} in the graph below: for every node"
        " that is a neighbour of both, take 1 divided by its number of neighbours, and add these"
        " fractions up exactly.",
        f"Each common neighbour of {one} and {two} counts 1/d, where d is its degree, the number"
        " of edges that it has. The resource allocation index of the two is the sum of these"
        " fractions. Work it out exactly.",
    )


def steps(graph: Graph) -> list[str]:
    there = _graph.beside(graph)
    terms = _terms(graph)
    lines = [f"{_wording.title(graph, node)}: {len(there[node])} edges" for node in terms]
    return [
        f"in common: {_wording.listed(graph, terms)}",
        *lines,
        _measures.added(terms.values()),
    ]


def _terms(graph: Graph) -> dict[str, Fraction]:
    """What each common neighbour adds."""
    there = _graph.beside(graph)
    one, two = graph.asked
    return {
        node: Fraction(1, len(there[node]))
        for node in graph.nodes
        if node in there[one] and node in there[two]
    }


LADDER = (
    Knobs(9, 3.4, "random", "edge_list", "numbers"),
    Knobs(13, 4.0, "any", "any", "any"),
    Knobs(19, 5.0, "any", "any", "any"),
    Knobs(27, 6.5, "any", "any", "any"),
    Knobs(38, 8.0, "any", "any", "any"),
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
    canon=_graph.canon_of_pair,
    kin=_graph.kin,
    known=_graph.known,
    slips=_measures.elsewhere(solve),
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/resource_allocation_index",),
    theme="shared_neighbours",
)
