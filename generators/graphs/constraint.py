"""Constraint of a node's network, after Burt: how far its neighbours know one another.

`solve` adds the squares by Burt's formula; `verify` multiplies the matrix of shares with itself.
Both are exact.
"""

from collections.abc import Iterator
from math import lcm
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

LARGEST = 20_000  # denominator of an answer


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """A node with ties between its neighbours: that of any other is 1 over its degree."""
    graph = _measures.drawn_with_triangles(rng, knobs)
    tied = [node for node in graph.nodes if _measures.joined_neighbours(graph, node)]
    found = (((node,), _constraint(graph, node)) for node in tied)
    return _measures.asking(
        rng, graph, ((asked, value) for asked, value in found if value.denominator <= LARGEST)
    )


def solve(graph: Graph) -> Fraction:
    return _constraint(graph, *graph.asked)


def verify(graph: Graph, value: Fraction) -> float:
    place = {node: at for at, node in enumerate(graph.nodes)}
    rows = [[0] * len(place) for _ in place]
    for a, b in graph.edges:
        rows[place[a]][place[b]] = rows[place[b]][place[a]] = 1
    degrees = [sum(row) for row in rows]
    unit = lcm(*degrees)  # of the shares
    shares = [[each * unit // degree for each in row] for row, degree in zip(rows, degrees)]
    (centre,) = graph.asked
    own = shares[place[centre]]
    twice = [0] * len(place)
    for share, row in zip(own, shares):
        if share:
            twice = [sum_ + share * each for sum_, each in zip(twice, row)]
    total = sum((one * unit + two) ** 2 for one, two in zip(own, twice) if one)
    return float(value == Fraction(total, unit**4))


def render(graph: Graph, style: Style) -> Prompt:
    centre = _wording.node(graph, *graph.asked)
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        f"What is Burt's constraint of {centre}? In an unweighted graph p(u, v) is 1 divided by the"
        " number of neighbours of u where v is one of them, and else 0. The constraint of u is the"
        " sum, over its neighbours v, of the square of p(u, v) + q(u, v), where q(u, v) is the sum"
        " of p(u, w) p(w, v) over all nodes w.",
        f"Each node of the graph below gives the same share of its time to each of its neighbours."
        f" For a neighbour v of {centre}, let t be the share that {centre} gives to v, plus, for"
        f" every node w that is a neighbour of both, the share that {centre} gives to w times the"
        f" share that w gives to v. Add up the squares of t over all neighbours v of {centre}:"
        " this is Burt's constraint.",
        f"Find the constraint (after Burt) of {centre}, with p(u, v) = 1/degree(u) for neighbours u"
        " and v and 0 for others: the sum of the squares of p(u, v) + sum over w of p(u, w) p(w, v)"
        f" for all neighbours v of u, where u is {centre}.",
    )


def steps(graph: Graph) -> list[str]:
    (centre,) = graph.asked
    there = _graph.beside(graph)
    around = [node for node in graph.nodes if node in there[centre]]
    lines = [f"neighbours: {_wording.listed(graph, around)}"]
    terms = []
    for node in around:
        direct, by_others = _shares(graph, centre, node)
        terms.append((direct + by_others) ** 2)
        lines.append(f"{_wording.title(graph, node)}: {direct} + {by_others}, squared {terms[-1]}")
    return [*lines, f"sum: {_measures.added(terms)}"]


def slips(rng: Random, graph: Graph, gold: Fraction) -> Iterator[Fraction]:
    """The constraint of other nodes about which the question might be: each value once."""
    tied = [node for node in graph.nodes if _measures.joined_neighbours(graph, node)]
    values = dict.fromkeys(_constraint(graph, node) for node in tied)
    likely = [value for value in values if value.denominator <= LARGEST]
    yield from rng.sample(likely, len(likely))


def _shares(graph: Graph, centre: str, node: str) -> tuple[Fraction, Fraction]:
    """What the centre gives to a neighbour, and what it gives by way of others."""
    there = _graph.beside(graph)
    direct = Fraction(1, len(there[centre]))
    both = [other for other in there[centre] if other in there[node]]
    return direct, sum((direct * Fraction(1, len(there[other])) for other in both), Fraction(0))


def _constraint(graph: Graph, centre: str) -> Fraction:
    """The squares of what `_shares` tells, added up in units that all shares are whole in."""
    there = _graph.beside(graph)
    around = there[centre].keys()
    unit = lcm(*(len(there[other]) for other in around))
    total = 0
    for node in around:
        by_others = sum([unit // len(there[other]) for other in around & there[node].keys()])
        total += (unit + by_others) ** 2
    return Fraction(total, (unit * len(around)) ** 2)


LADDER = (
    Knobs(8, 3.2, "random", "edge_list", "numbers"),
    Knobs(12, 3.6, "any", "any", "any"),
    Knobs(18, 4.0, "any", "any", "any"),
    Knobs(26, 4.6, "any", "any", "any"),
    Knobs(36, 5.2, "any", "any", "any"),
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
    solver="Burt's formula, in fractions",
    guess_rate=0.1,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    slips=slips,
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/constraint",),
    theme="triangles_at_nodes",
    slips_version=2,
)
