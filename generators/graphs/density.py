"""Density: the share of all pairs of nodes that an edge joins, as an exact fraction."""

from itertools import combinations, permutations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _either_way, _graph, _wording
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    return _either_way.drawn_thin_or_thick(rng, knobs)


def solve(graph: Graph) -> Fraction:
    """By the numbers of nodes and edges, as networkx counts them."""
    known = _graph.in_networkx(graph)
    nodes, edges = known.number_of_nodes(), known.number_of_edges()
    return Fraction(edges if graph.directed else 2 * edges, nodes * (nodes - 1))


def verify(graph: Graph, density: Fraction) -> float:
    """Every pair is looked at, whether it is joined."""
    there = _graph.beside(graph)
    pairs = [*(permutations if graph.directed else combinations)(graph.nodes, 2)]
    joined = [b in there[a] for a, b in pairs]
    return float(density * len(joined) == joined.count(True))


def render(graph: Graph, style: Style) -> Prompt:
    if graph.directed:
        questions = (
            "What is the density of the graph: the number of its edges divided by n(n - 1), where n"
            " is the number of its nodes?",
            "Find the density of the directed graph below: the number of its edges divided by the"
            " number of ordered pairs of two different nodes.",
            "There could be an edge from every node to every other node. The density is the share"
            " of these possible edges that the graph has. What is it?",
        )
    else:
        questions = (
            "What is the density of the graph: twice the number of its edges divided by n(n - 1),"
            " where n is the number of its nodes?",
            "Find the density of the graph below: the number of its edges divided by the number of"
            " pairs of two different nodes, where the order of the two does not matter.",
            "There could be one edge between any two different nodes. The density is the share of"
            " these possible edges that the graph has. What is it?",
        )
    form = "a fraction in lowest terms, such as 2/7, or an integer"
    return _wording.posed(graph, style, form, *questions)


def steps(graph: Graph) -> list[str]:
    nodes, edges = len(graph.nodes), len(graph.edges)
    possible = nodes * (nodes - 1)
    if graph.directed:
        pairs = f"possible edges: {nodes} * {nodes - 1} = {possible}"
    else:
        possible //= 2
        pairs = f"possible edges: {nodes} * {nodes - 1} / 2 = {possible}"
    return [
        f"edges: {edges}",
        pairs,
        f"density: {edges} / {possible} = {Fraction(edges, possible)}",
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(9, 3.0, False, "random", "edge_list", "numbers"),
    Knobs(13, 3.5, False, "any", "any", "any"),
    Knobs(18, 4.0, True, "any", "any", "any"),
    Knobs(26, 5.0, False, "any", "any", "any"),
    Knobs(36, 6.0, True, "any", "any", "any"),
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
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/density",),
)
