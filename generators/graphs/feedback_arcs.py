"""Feedback arcs: fewest edges of a directed graph without which it has no cycle.

Several sets may be as small, so `verify` takes the answer's edges away, then node after node that
no edge leads to, and looks whether any stays. By branching over cycles it knows whether one edge
less could do.
"""

from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _cycles, _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, in or out, on average
    turned: int  # edges turned around in a graph without cycles: no more need be removed
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    arcs = _turned(rng, _drawing.downhill(rng, sketch), knobs.turned)
    graph = _drawing.dressed(rng, knobs, sketch, arcs, directed=True)
    return graph if _cycle(graph, set()) else None


@lru_cache(maxsize=1024)
def solve(graph: Graph) -> tuple[Edge, ...]:
    """By SAT: one edge less cannot meet all cycles."""
    return in_order(_cycles.by_sat(graph.edges, lambda gone: _cycle(graph, gone)))


def verify(graph: Graph, edges: tuple[Edge, ...]) -> float:
    left = set(graph.edges) - set(edges)
    if not set(edges) <= set(graph.edges):
        return 0.0
    nodes = set(graph.nodes)
    while free := nodes - {b for _, b in left}:
        nodes -= free
        left = {(a, b) for a, b in left if a not in free}
    return float(not nodes and not _enough(graph, len(set(edges)) - 1))


def recheck(graph: Graph, edges: tuple[Edge, ...]) -> bool:
    """By networkx: without the edges the graph is acyclic; `solve` found as many."""
    import networkx

    known = _graph.in_networkx(graph)
    if not set(edges) <= set(known.edges) or len(set(edges)) != len(solve(graph)):
        return False
    known.remove_edges_from(edges)
    return bool(networkx.is_directed_acyclic_graph(known))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "those edges, each written (a, b) from its first node to its second, separated by commas",
        "A cycle is a way along edges, each in its direction, that comes back to where it began."
        " Which edges must be removed so that no cycle is left? Remove as few as possible; if"
        " several choices are equally small, any one will do.",
        "Find a smallest set of edges of the graph below that has an edge of every directed cycle:"
        " without them, nobody who follows edges in their direction can come to the same node"
        " twice. Any one of the smallest sets will do.",
        "Each edge says that its first node has to come before its second, but not all of that can"
        " be met. Which edges should be given up, as few as possible, so that the nodes can be put"
        " in an order that agrees with all others? If there are several smallest choices, give any"
        " one.",
    )


def steps(graph: Graph) -> list[str]:
    """Cycle after cycle, the edge of the answer that it has, and an order that is left."""
    gone, lines, chosen = set[Edge](), list[str](), set(solve(graph))
    while found := _cycle(graph, gone):
        nodes = " ".join(title(graph, a) for a, _ in [*found, found[0]])
        edge = next(it for it in found if it in chosen)
        gone.add(edge)
        lines.append(f"cycle {nodes}: remove {title(graph, edge[0])}->{title(graph, edge[1])}")
    order, left = list[str](), set(graph.edges) - gone
    while len(order) < len(graph.nodes):
        after = {b for _, b in left}
        free = [it for it in graph.nodes if it not in after and it not in order]
        order += free
        left = {(a, b) for a, b in left if a not in free}
    return [*lines, "left in order: " + " ".join(title(graph, node) for node in order)]


def _turned(rng: Random, arcs: list[Pair], count: int) -> list[Pair]:
    """So many arcs turned around, if there are so many that then close a cycle."""
    found = list(arcs)
    for at in rng.sample(range(len(arcs)), len(arcs)):
        if not count:
            break
        start, end = found[at]
        reached, queue = {start}, [start]
        for node in queue:
            further = [b for a, b in found if a == node and (a, b) != (start, end)]
            queue += [it for it in further if it not in reached]
            reached |= {*further}
        if end in reached:
            found[at] = (end, start)
            count -= 1
    return found


@lru_cache(maxsize=1024)
def _enough(graph: Graph, count: int) -> bool:
    """Whether so many edges meet every cycle."""
    return _cycles.enough_by_branching(lambda gone: _cycle(graph, gone), count)


def _cycle(graph: Graph, gone: Set[Edge]) -> list[Edge]:
    """The edges of a shortest cycle without those that are gone; none if there is no cycle."""
    there = {
        a: [b for b in others if (a, b) not in gone] for a, others in _graph.beside(graph).items()
    }
    best = list[Edge]()
    for start in there:
        came: dict[str, str] = {}
        queue = [start]
        for node in queue:
            for other in there[node]:
                if other not in came:
                    came[other] = node
                    queue.append(other)
            if start in came:
                break
        if start in came:
            found = [(came[start], start)]
            while found[-1][0] != start:
                found.append((came[found[-1][0]], found[-1][0]))
            if not best or len(found) < len(best):
                best = found[::-1]
    return best


LADDER = (
    Knobs(8, 3.0, 3, "random", "edge_list", "numbers"),
    Knobs(10, 3.4, 4, "any", "any", "any"),
    Knobs(13, 3.6, 6, "any", "any", "any"),
    Knobs(18, 3.8, 9, "any", "any", "any"),
    Knobs(26, 4.0, 12, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Edges(directed=True, nodes="nodes"),
    recheck=recheck,
    hardness=_graph.size,
    solver="SAT",
    guess_rate=0.05,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    version=3,
)
