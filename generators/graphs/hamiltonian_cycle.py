"""Hamiltonian cycle: visit every node exactly once and come back to the first.

Any such cycle is right, from any node and either way round, so `verify` walks the answer; it may
name its first node again at the end. The answer "impossible" is right only where there is no
cycle, which it decides itself, by carrying all that matters of every partial cover across the
graph, node by node.
"""

from collections.abc import Iterable
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _hamilton, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair
from puzzlemill.generators.graphs.hamiltonian_path import Answer, Knobs


def generate(rng: Random, knobs: Knobs) -> Graph:
    """A ring among other edges, or islands: as many as bridges, or one too many."""
    feasible = rng.random() >= knobs.infeasible
    plain = feasible and rng.random() < 0.5
    group: list[int] = []

    def planted(nodes: int) -> Iterable[Pair]:
        if plain:
            group.extend([0] * nodes)
            return [*pairwise(range(nodes)), (nodes - 1, 0)]
        bridges = rng.randint(2, max(2, nodes // 6))
        pairs, groups = _hamilton.islands(rng, nodes, bridges, 0 if feasible else 1)
        group.extend(groups)
        return pairs

    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(
        rng, knobs.source, knobs.nodes, edges, planted,
        allowed=lambda a, b: group[a] == group[b] or 0 in (group[a], group[b]),
    )  # fmt: skip
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs)


def solve(graph: Graph) -> Answer:
    """SAT: choose edges so that each node has two, then forbid the small rings that come of it."""
    return _hamilton.ring(graph) or IMPOSSIBLE


def verify(graph: Graph, cycle: Answer) -> float:
    if isinstance(cycle, Impossible):
        return float(not _hamilton.has_ring(graph))
    cycle = _hamilton.opened(cycle)
    if in_order(cycle) != in_order(graph.nodes):
        return 0.0
    sides = {frozenset(edge) for edge in graph.edges}
    return float(all(frozenset(step) in sides for step in pairwise((*cycle, cycle[0]))))


def recheck(graph: Graph, cycle: Answer) -> bool:
    """By networkx: the edges of the answer, all of the graph, make one ring; that there is none, by
    `solve`."""
    import networkx

    if isinstance(cycle, Impossible):
        return solve(graph) is IMPOSSIBLE
    known, nodes = _graph.in_networkx(graph), cycle
    if len(nodes) == len(known) + 1 and nodes[0] == nodes[-1]:
        nodes = nodes[1:]
    if set(nodes) != set(known) or len(nodes) != len(known):
        return False
    walked = networkx.cycle_graph(nodes)
    return all(known.has_edge(*edge) for edge in walked.edges)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the nodes of the cycle in order, each of them once, separated by commas, or the word"
        ' "impossible" if there is no such cycle',
        "Find a round trip along edges that visits every node exactly once before it comes back to"
        " the node where it started. It may start at any node. There may be no such trip.",
        "Is there a Hamiltonian cycle in the graph below, a cycle along its edges that passes"
        " through each node exactly once? If so, give one, from any of its nodes; any will do.",
        "Put all the nodes into an order, each of them once, in which every two consecutive nodes"
        " are joined by an edge and the last is joined to the first, or find that this cannot be"
        " done.",
    )


LADDER = (
    Knobs(8, 3.2, 0.0, "random", "edge_list", "numbers"),
    Knobs(12, 3.2, 0.1, "any", "any", "any"),
    Knobs(18, 3.3, 0.15, "any", "any", "any"),
    Knobs(24, 3.3, 0.2, "any", "any", "any"),
    Knobs(36, 3.3, 0.2, "any", "any", "any"),
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
    peers=("Enigmata/hamiltonian_cycle",),
    version=2,
)
