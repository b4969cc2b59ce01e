"""Tournament test: whether exactly one edge joins any two nodes of a directed graph.

Half of the graphs are one. Most of the others have as many edges as a tournament: one pair has no
edge, and another has edges both ways.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    source: Source  # of the pairs whose edge goes up an order of all nodes; the others go down
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    upsets = rng.randint(knobs.nodes - 1, knobs.nodes * (knobs.nodes - 1) // 4)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, upsets)
    upward = {(min(pair), max(pair)) for pair in sketch.pairs}
    games = combinations(range(sketch.nodes), 2)
    arcs = [(low, high) if (low, high) in upward else (high, low) for low, high in games]
    if rng.random() < 0.5:
        arcs = _spoilt(rng, arcs)
    return _drawing.dressed(rng, knobs, sketch, arcs, directed=True)


def solve(graph: Graph) -> bool:
    """By networkx."""
    import networkx

    return bool(networkx.is_tournament(_graph.in_networkx(graph)))


def verify(graph: Graph, tournament: bool) -> float:
    """The edges between any two nodes are counted."""
    met = Counter(frozenset(edge) for edge in graph.edges)
    once = all(met[frozenset(pair)] == 1 for pair in combinations(graph.nodes, 2))
    return float(tournament == once)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "yes or no",
        "Is there exactly one edge between every two different nodes, in one direction or the"
        " other? Two nodes with edges both ways have two edges between them.",
        "A directed graph is a tournament if any two different nodes are joined by an edge in one"
        " direction and not in the other. Say whether the graph below is a tournament.",
        "Read an edge from a to b as a game that a won against b. Did every pair of nodes play"
        " exactly one game?",
    )


def steps(graph: Graph) -> list[str]:
    """Each node's number of edges, and the pairs that are wrong."""
    met = Counter(frozenset(edge) for edge in graph.edges)
    wrong = {
        count: [pair for pair in combinations(graph.nodes, 2) if met[frozenset(pair)] == count]
        for count in (0, 2)
    }
    told = {
        count: "; ".join(_wording.listed(graph, pair) for pair in pairs) or "none"
        for count, pairs in wrong.items()
    }
    nodes = len(graph.nodes)
    return [
        f"pairs of nodes: {nodes * (nodes - 1) // 2}, edges: {len(graph.edges)}",
        f"pairs without an edge: {told[0]}",
        f"pairs with edges both ways: {told[2]}",
    ]


def _spoilt(rng: Random, arcs: list[Pair]) -> list[Pair]:
    """One edge is lost, one is reversed beside itself, or, most often, both."""
    lost, doubled = rng.sample(arcs, 2)
    fault = rng.random()
    if fault > 0.2:
        arcs = [arc for arc in arcs if arc != lost]
    return [*arcs, doubled[::-1]] if fault < 0.8 else arcs


# No kin: all tournaments of a size have the same numbers of edges at their nodes.
LADDER = (
    Knobs(7, "random", "edge_list", "numbers"),
    Knobs(9, "any", "any", "any"),
    Knobs(11, "any", "any", "any"),
    Knobs(14, "any", "any", "any"),
    Knobs(18, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.YesNo(),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.5,
    steps=steps,
    canon=_graph.canon,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/is_tournament",),
)
