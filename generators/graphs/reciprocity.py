"""Reciprocity: the share of a directed graph's edges whose reverse is an edge too."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pairs = _drawing.arcs(rng, sketch.pairs, both=rng.uniform(0.05, 0.6))
    return _drawing.dressed(rng, knobs, sketch, pairs, directed=True)


def solve(graph: Graph) -> Fraction:
    """By networkx, which can keep those edges alone that go both ways."""
    known = _graph.in_networkx(graph)
    both = known.to_undirected(reciprocal=True)
    return Fraction(2 * both.number_of_edges(), known.number_of_edges())


def verify(graph: Graph, share: Fraction) -> float:
    """The reverse of each edge is looked for in the list."""
    edges = set(graph.edges)
    answered = [(b, a) in edges for a, b in graph.edges]
    return float(share * len(answered) == answered.count(True))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "a fraction in lowest terms, such as 2/7, or an integer",
        "For which share of the edges does the graph have the reverse edge too, from the second"
        " node back to the first? Two edges that are the reverse of one another both count.",
        "Find the reciprocity of the directed graph below: the number of edges whose reverse is an"
        " edge of the graph as well, divided by the number of all edges. Of two nodes with edges"
        " both ways, both edges count.",
        "An edge from a to b is answered if there is an edge from b to a as well. Divide the number"
        " of answered edges by the number of all edges. Two edges that answer each other are two"
        " answered edges.",
    )


def steps(graph: Graph) -> list[str]:
    edges, total = set(graph.edges), len(graph.edges)
    pairs = [(a, b) for a, b in graph.edges if a < b and (b, a) in edges]
    each = ", ".join(f"{_wording.title(graph, a)}-{_wording.title(graph, b)}" for a, b in pairs)
    both = 2 * len(pairs)
    return [
        f"pairs with edges both ways: {each or 'none'}",
        f"that is {both} of {total} edges",
        f"share: {both} / {total} = {Fraction(both, total)}",
    ]


LADDER = (
    Knobs(9, 3.0, "random", "edge_list", "numbers"),
    Knobs(12, 3.5, "any", "any", "any"),
    Knobs(17, 4.0, "any", "any", "any"),
    Knobs(24, 5.0, "any", "any", "any"),
    Knobs(34, 6.0, "any", "any", "any"),
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
    solver="networkx",
    guess_rate=0.14,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
)
