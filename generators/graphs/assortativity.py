"""Degree assortativity of a graph: the correlation of the degrees at the two ends of an edge.

`solve` uses Newman's formula, with sums of powers of the degrees; `verify` correlates the ends of
the edges by Pearson's. Both are exact. A regular graph, which has no such correlation, is not
drawn, nor one whose value is nearly halfway between two roundings.
"""

from collections import Counter
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.rounded import close
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

PLACES = 3


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    graph = _measures.drawn(rng, knobs)
    value = _correlation(graph)
    return graph if value is not None and _measures.clear_of_ties(value, PLACES) else None


def solve(graph: Graph) -> Fraction | None:
    above, below = _newman(graph)
    return Fraction(round(Fraction(above, below) * 10**PLACES), 10**PLACES) if below else None


def verify(graph: Graph, value: Fraction) -> float:
    truth = _correlation(graph)
    return float(truth is not None and close(value, truth, PLACES))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        f"a decimal number between -1 and 1, rounded to {PLACES} decimal places",
        "What is the degree assortativity coefficient of this graph? Take every edge twice, once in"
        " each direction, as a pair (x, y): x is the degree of the node that it starts from, y that"
        " of the node that it leads to; a node's degree is its number of edges. The coefficient is"
        f" Pearson's correlation of x and y over all these pairs. Round it to {PLACES} decimal"
        " places.",
        "Find the degree assortativity of the graph below, Newman's"
        " r = (S1*Se - S2*S2) / (S1*S3 - S2*S2). Here S1, S2 and S3 are the sums over all nodes of"
        " k, k^2 and k^3, where k is the number of edges at the node, and Se is twice the sum over"
        f" all edges of the product of the k of its two ends. Give r to {PLACES} decimal places.",
        "A node's degree is the number of edges that it has. Do nodes of high degree keep to nodes"
        " of high degree? The degree assortativity measures this: with N = 2m pairs (x, y) of"
        " degrees, one for each of the m edges in each of its two directions, and M the mean of all"
        " x, it is (sum of xy - N*M^2) / (sum of x^2 - N*M^2). Work it out, rounded to"
        f" {PLACES} decimal places.",
    )


def steps(graph: Graph) -> list[str]:
    degree = {node: len(others) for node, others in _graph.beside(graph).items()}
    one, two, three = (sum(each**power for each in degree.values()) for power in (1, 2, 3))
    products = [degree[a] * degree[b] for a, b in graph.edges]
    above, below = _newman(graph)
    return [
        *(f"degree of {_wording.title(graph, node)}: {degree[node]}" for node in graph.nodes),
        f"S1 = {one}, S2 = {two}, S3 = {three}",
        f"products of the ends: {', '.join(map(str, products))}, so Se = {2 * sum(products)}",
        f"({one}*{2 * sum(products)} - {two}*{two}) / ({one}*{three} - {two}*{two})"
        f" = {above}/{below} = {above / below:.{PLACES}f}",
    ]


def _newman(graph: Graph) -> tuple[int, int]:
    """The coefficient's numerator and denominator; the latter is 0 for a regular graph."""
    degree = {node: len(others) for node, others in _graph.beside(graph).items()}
    one, two, three = (sum(each**power for each in degree.values()) for power in (1, 2, 3))
    ends = 2 * sum(degree[a] * degree[b] for a, b in graph.edges)
    return one * ends - two * two, one * three - two * two


@lru_cache(maxsize=2)
def _correlation(graph: Graph) -> Fraction | None:
    """Pearson's, over the ends of all edges in both directions."""
    degree = Counter(node for edge in graph.edges for node in edge)
    pairs = [(degree[a], degree[b]) for edge in graph.edges for a, b in (edge, edge[::-1])]
    mean = Fraction(sum(x for x, _ in pairs), len(pairs))
    variance = sum((x - mean) ** 2 for x, _ in pairs)
    return sum((x - mean) * (y - mean) for x, y in pairs) / variance if variance else None


LADDER = (
    Knobs(9, 2.6, "random", "edge_list", "numbers"),
    Knobs(12, 3.0, "any", "any", "any"),
    Knobs(16, 3.4, "any", "any", "any"),
    Knobs(22, 4.0, "any", "any", "any"),
    Knobs(30, 5.0, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Decimal(PLACES),
    hardness=_graph.size,
    proof="unique",
    solver="Newman's formula",
    guess_rate=0.05,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/degree_assortativity",),
    version=2,
)
