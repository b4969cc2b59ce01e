"""Betweenness centrality of a node: its share of the shortest paths between all other nodes.

`solve` asks of each pair of other nodes whether the way round by the node is a shortest one;
`verify` gathers the shares from the farthest nodes inwards, as Brandes does. Both are exact.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from math import comb, lcm
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

FINEST = 5000  # a denominator; with a greater one the fractions would be most of the work


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """A node that paths pass through, and where there is one, a share that is not too fine."""
    graph = _measures.drawn(rng, knobs)
    every = _shares(graph)
    shares = {node: share for node, share in every.items() if share} or every
    finest = max(FINEST, min(share.denominator for share in shares.values()))
    fine = (((it,), share) for it, share in shares.items() if share.denominator <= finest)
    return _measures.asking(rng, graph, fine)


def solve(graph: Graph) -> Fraction:
    total = sum((Fraction(by, ways) for _, _, by, ways in _pairs(graph)), Fraction(0))
    return total / comb(len(graph.nodes) - 1, 2)


def verify(graph: Graph, value: Fraction) -> float:
    return float(value == _gathered(graph))


def render(graph: Graph, style: Style) -> Prompt:
    node = _wording.node(graph, *graph.asked)
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        f"What is the betweenness centrality of {node}? For every pair of other nodes, take the"
        f" share of the shortest paths between the two that pass through {node}; a shortest path is"
        " one with the fewest edges. Add the shares of all pairs, and divide by the number of"
        " these pairs, (n-1)(n-2)/2 where n is the number of nodes. Give the exact value.",
        f"Find the betweenness centrality of {node} in the graph below, normalised: the average,"
        " over all pairs of nodes other than it, of b/p, where p is the number of shortest paths"
        " (those with the fewest edges) between the two nodes of the pair, and b is how many of"
        " these pass through it. (s,t) and (t,s) are the same pair. Do not round.",
        f"Choose two different nodes, neither of them {node}, every such pair being equally likely;"
        " then choose one of the paths between the two that have the fewest edges, each equally"
        f" likely. How likely is it that this path passes through {node}? That is its normalised"
        " betweenness centrality.",
    )


def steps(graph: Graph) -> list[str]:
    """From each node, to which others the paths pass through, and how many of all."""
    found: dict[str, list[str]] = {}
    terms = []
    for start, target, by, ways in _pairs(graph):
        if by:
            found.setdefault(start, []).append(f"{_wording.title(graph, target)} ({by}/{ways})")
            terms.append(Fraction(by, ways))
    lines = [f"from {_wording.title(graph, it)} to {', '.join(ends)}" for it, ends in found.items()]
    total, pairs = sum(terms, Fraction(0)), comb(len(graph.nodes) - 1, 2)
    return [*lines, f"sum: {total}", f"divided by {pairs} pairs: {solve(graph)}"]


def _pairs(graph: Graph) -> Iterator[tuple[str, str, int, int]]:
    """Each pair of other nodes, how many shortest paths pass through the node, and how many in all:
    those to it times those on from it, if it lies on the way."""
    (node,) = graph.asked
    seen = {start: _ways(graph, start) for start in graph.nodes}
    away, ways = seen[node]
    for start, target in combinations([each for each in graph.nodes if each != node], 2):
        direct, all_ways = seen[start]
        on_the_way = away[start] + away[target] == direct[target]
        yield start, target, ways[start] * ways[target] * on_the_way, all_ways[target]


@lru_cache(maxsize=1024)
def _gathered(graph: Graph) -> Fraction:
    (node,) = graph.asked
    return _shares(replace(graph, asked=()))[node]


@lru_cache(maxsize=64)  # generate asks before the item is certified
def _shares(graph: Graph) -> Mapping[str, Fraction]:
    """The betweenness of every node, by Brandes' method, in units that all shares are whole in."""
    there = _graph.beside(graph)
    searches = [_ways(graph, start) for start in graph.nodes]
    unit = lcm(*(count for _, ways in searches for count in ways.values()))
    total = dict.fromkeys(graph.nodes, 0)
    for away, ways in searches:
        # For each path from the start to a node, the shares that pass on from there or end there.
        onward = {node: unit // count for node, count in ways.items()}
        for node in reversed(away):  # the farthest first
            nearer, share = away[node] - 1, onward[node]
            for before in there[node]:
                if away[before] == nearer:
                    onward[before] += share
            if nearer >= 0:
                total[node] += share * ways[node] - unit
    both_ways = 2 * comb(len(graph.nodes) - 1, 2) * unit
    return {node: Fraction(sum_, both_ways) for node, sum_ in total.items()}


def _ways(graph: Graph, start: str) -> tuple[dict[str, int], dict[str, int]]:
    """How far each node is, the nearest first, and how many shortest paths lead there."""
    there, away = _graph.beside(graph), _graph.distances(graph, start)
    ways = {start: 1}
    for node in away:
        if node != start:
            ways[node] = sum(ways[it] for it in there[node] if away[it] == away[node] - 1)
    return away, ways


LADDER = (
    Knobs(9, 2.6, "random", "edge_list", "numbers"),
    Knobs(11, 2.7, "any", "any", "any"),
    Knobs(14, 2.8, "any", "any", "any"),
    Knobs(18, 3.0, "any", "any", "any"),
    Knobs(24, 3.2, "any", "any", "any"),
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
    solver="all pairs of nodes",
    guess_rate=0.08,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    slips=_measures.elsewhere(solve),
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/betweenness_centrality",),
    version=2,
)
