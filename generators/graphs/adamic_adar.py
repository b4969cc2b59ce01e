"""Adamic-Adar index of two nodes: each common neighbour adds 1 / ln(its number of edges).

`solve` is networkx's floating-point sum; `verify` adds up decimals of thirty digits, from the
edges. A draw whose value is nearly halfway between two roundings is dropped.
"""

from collections import Counter
from decimal import Context, Decimal
from functools import lru_cache
from math import log
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.rounded import close
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

PLACES = 4
DIGITS = Context(prec=30)


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    graph = _measures.drawn(rng, knobs)
    return _measures.asking(
        rng,
        graph,
        (
            (pair, tuple(degrees))
            for pair, degrees in _measures.sharing(graph)
            if _clear_of_ties(tuple(degrees))
        ),
    )


def solve(graph: Graph) -> Fraction:
    import networkx

    pairs = networkx.adamic_adar_index(_graph.in_networkx(graph), [graph.asked])
    return Fraction(round(next(pairs)[2] * 10**PLACES), 10**PLACES)


def verify(graph: Graph, value: Fraction) -> float:
    one, two = graph.asked
    ends = Counter(node for edge in graph.edges for node in edge)
    joined = {frozenset(edge) for edge in graph.edges}
    both = [it for it in graph.nodes if {frozenset((it, one)), frozenset((it, two))} <= joined]
    truth = sum(Fraction(1 / Decimal(ends[node]).ln(DIGITS)) for node in both)
    return float(close(value, Fraction(truth), PLACES))


def render(graph: Graph, style: Style) -> Prompt:
    one, two = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        answers.Decimal(PLACES).form,
        f"What is the Adamic-Adar index of {one} and {two}? It is the sum of 1/ln(d(z)) over all"
        " nodes z that have an edge with each of the two, where d(z) is the number of edges at z"
        f" and ln is the natural logarithm. Round the sum to {PLACES} decimal places.",
        f"Find the Adamic-Adar index of {one} and {two} in the graph below: for every node that is"
        " a neighbour of both, take 1 divided by the natural logarithm of its number of"
        f" neighbours; add these up, and round the sum to {PLACES} decimal places.",
        f"Each common neighbour of {one} and {two} counts 1/ln(d), where d is its degree, the"
        " number of edges that it has, and ln is the logarithm to base e. The Adamic-Adar index of"
        f" the two is the sum of these numbers. Give it to {PLACES} decimal places.",
    )


def steps(graph: Graph) -> list[str]:
    there = _graph.beside(graph)
    one, two = graph.asked
    both = [node for node in graph.nodes if node in there[one] and node in there[two]]
    degrees = [len(there[node]) for node in both]
    return [
        f"in common: {_wording.listed(graph, both)}",
        *(
            f"{_wording.title(graph, node)}: {degree} edges, 1/ln({degree}) = {1 / log(degree):.6f}"
            for node, degree in zip(both, degrees)
        ),
        f"sum: {sum(1 / log(degree) for degree in degrees):.{PLACES}f}",
    ]


@lru_cache(maxsize=1 << 12)  # few common neighbours, with few edges: the same ones again and again
def _clear_of_ties(degrees: tuple[int, ...]) -> bool:
    return _measures.clear_of_ties(Fraction(sum(1 / log(it) for it in degrees)), PLACES)


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
    answer=answers.Decimal(PLACES),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.1,
    steps=steps,
    canon=_graph.canon_of_pair,
    kin=_graph.kin,
    known=_graph.known,
    slips=_measures.elsewhere(solve),
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/adamic_adar_index",),
    theme="shared_neighbours",
)
