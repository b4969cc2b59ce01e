"""Hamiltonian path: visit every node exactly once.

Any such path is right, so `verify` walks the answer. The answer "impossible" is right only where
there is no path, and that it decides itself, by carrying all that matters of every partial path
cover across the graph, node by node.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _hamilton, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding

Answer: TypeAlias = tuple[str, ...] | Impossible


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average
    infeasible: float  # share of graphs that have no such path
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    """A path among other edges, or islands: as many as their bridges can join, or one too many."""
    feasible = rng.random() >= knobs.infeasible
    plain = feasible and rng.random() < 0.5
    group: list[int] = []

    def planted(nodes: int) -> Iterable[Pair]:
        if plain:
            group.extend([0] * nodes)
            return pairwise(range(nodes))
        bridges = rng.randint(1, max(1, nodes // 6))
        pairs, groups = _hamilton.islands(rng, nodes, bridges, 1 if feasible else 2)
        group.extend(groups)
        more = 2 if feasible else 0
        inner = range(bridges, nodes)
        return [*pairs, *((rng.randrange(bridges), rng.choice(inner)) for _ in range(more))]

    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(
        rng, knobs.source, knobs.nodes, edges, planted,
        allowed=lambda a, b: group[a] == group[b] or 0 in (group[a], group[b]),
    )  # fmt: skip
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs)


def solve(graph: Graph) -> Answer:
    """SAT: choose edges so that each node has two, then forbid the loops that come of it."""
    return _hamilton.path(graph) or IMPOSSIBLE


def verify(graph: Graph, path: Answer) -> float:
    if isinstance(path, Impossible):
        return float(not _hamilton.has_path(graph))
    if in_order(path) != in_order(graph.nodes):
        return 0.0
    sides = {frozenset(edge) for edge in graph.edges}
    return float(all(frozenset(step) in sides for step in pairwise(path)))


def recheck(graph: Graph, path: Answer) -> bool:
    """By networkx: a simple path as long as the graph; that there is none, by `solve`."""
    import networkx

    if isinstance(path, Impossible):
        return solve(graph) is IMPOSSIBLE
    known = _graph.in_networkx(graph)
    return len(path) == len(known) and bool(networkx.is_simple_path(known, path))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        'the nodes of the path in order, separated by commas, or the word "impossible" if there is'
        " no such path",
        "Find a path along edges that visits every node exactly once. It may start and end at any"
        " node. There may be no such path.",
        "Is there a Hamiltonian path in the graph below, a path along its edges that visits each"
        " node exactly once, wherever it starts and ends? If so, give one; any will do.",
        "Put all the nodes into an order, each of them once, in which every two consecutive nodes"
        " are joined by an edge, or find that this cannot be done.",
    )


LADDER = (
    Knobs(8, 2.8, 0.0, "random", "edge_list", "numbers"),
    Knobs(12, 3.0, 0.1, "any", "any", "any"),
    Knobs(18, 3.0, 0.15, "any", "any", "any"),
    Knobs(24, 3.0, 0.2, "any", "any", "any"),
    Knobs(36, 3.0, 0.2, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Path(nodes="nodes", between=", ")),
    recheck=recheck,
    hardness=_graph.size,
    solver="SAT with loops forbidden as they appear (cadical)",
    guess_rate=0.2,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "search"),
    peers=("G1/hamiltonian_path", "Enigmata/hamiltonian_path", "RLVE/hamiltonian_path"),
    version=3,
)
