"""Feedback nodes: fewest nodes of a graph without which it has no cycle.

Several sets may be as small, so `verify` takes the answer's nodes away and counts what is left: a
graph without cycles has a part for each node that is not made up for by an edge. By branching over
cycles it knows how few nodes can do.
"""

from collections.abc import Collection, Iterable, Mapping, Set
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _cycles, _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._wording import title


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    graph = _drawing.drawn(rng, knobs)
    return graph if len(graph.edges) >= len(graph.nodes) else None


@lru_cache(maxsize=1024)
def solve(graph: Graph) -> tuple[str, ...]:
    """By SAT: one node less cannot meet all cycles."""
    return in_order(_cycles.by_sat(graph.nodes, lambda gone: _cycle(graph, gone)))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    gone = set(nodes)
    if not gone <= set(graph.nodes) or len(gone) != _fewest(graph):
        return 0.0
    left = {frozenset(edge) for edge in graph.edges if gone.isdisjoint(edge)}
    ends = [node for edge in left for node in edge]
    while leaves := {node for node in ends if ends.count(node) == 1}:
        left = {edge for edge in left if edge.isdisjoint(leaves)}
        ends = [node for edge in left for node in edge]
    return float(not left)


def recheck(graph: Graph, nodes: tuple[str, ...]) -> bool:
    """By networkx: what is left is a forest; `solve` found as many."""
    import networkx

    known = _graph.in_networkx(graph)
    if not set(nodes) < set(known) or len(set(nodes)) != len(solve(graph)):
        return False
    known.remove_nodes_from(nodes)
    return bool(networkx.is_forest(known))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "those nodes, separated by commas",
        "A cycle is a way along three or more different edges that comes back to where it began and"
        " meets no other node twice. Which nodes must be removed, with their edges, so that no"
        " cycle is left? Remove as few as possible; if several choices are equally small, any one"
        " will do.",
        "Find a smallest set of nodes of the graph below that has a node of every cycle, so that"
        " the graph without these nodes and their edges is a forest: between any two nodes there is"
        " one path at most. Any one of the smallest sets will do.",
        "Remove as few nodes as possible, each with all its edges, so that one cannot go round in"
        " circles in what is left: whoever never takes an edge twice cannot come to a node again."
        " Which nodes? If there are several smallest choices, give any one.",
    )


def steps(graph: Graph) -> list[str]:
    """Cycle after cycle, and the node of the answer that it has."""
    gone, lines, chosen = set[str](), list[str](), solve(graph)
    while found := _cycle(graph, gone):
        node = next(it for it in found if it in chosen)
        gone.add(node)
        nodes = " ".join(title(graph, it) for it in [*found, found[0]])
        lines.append(f"cycle {nodes}: remove {title(graph, node)}")
    return [*lines, f"{len(gone)} nodes, and no cycle is left"]


@lru_cache(maxsize=1024)
def _fewest(graph: Graph) -> int:
    return _cycles.by_branching(
        lambda gone: _cycle(graph, gone), lambda gone: _least(_core(graph, gone))
    )


def _least(there: Mapping[str, Collection[str]]) -> int:
    """So many nodes must go: a forest has fewer edges than nodes, and who takes away a node of d
    edges takes d - 1 of what there is too much."""
    many = sorted((len(others) for others in there.values()), reverse=True)
    left, count = sum(many) // 2 - len(many) + 1, 0
    while left > 0:
        left -= many[count] - 1
        count += 1
    return count


def _cycle(graph: Graph, gone: Set[str]) -> list[str]:
    """The nodes of a short cycle without those that are gone; none if there is no cycle."""
    there, best = _core(graph, gone), list[str]()
    for start in there:
        found = _round_trip(there, start, len(best))
        best = found or best
        if len(best) == 3:
            break
    return best


def _round_trip(there: Mapping[str, Iterable[str]], start: str, most: int) -> list[str]:
    """A cycle through a node, with fewer nodes than `most` unless that is 0; none if none is.

    A search meets the far end of a cycle twice, by ways that have only their start in common.
    """
    ways, queue, branch = {start: [start]}, [start], {start: start}
    for node in queue:
        way = ways[node]
        if most and 2 * len(way) > most:
            break
        for other in there[node]:
            if other not in ways:
                ways[other] = [*way, other]
                branch[other] = other if node == start else branch[node]
                queue.append(other)
            elif other != start and branch[other] != branch[node]:
                found = [*way, *reversed(ways[other][1:])]
                if not most or len(found) < most:
                    return found
    return []


def _core(graph: Graph, gone: Set[str]) -> dict[str, dict[str, None]]:
    """What is left without those that are gone and then without every node of one edge or none."""
    there = {
        a: dict.fromkeys(b for b in others if b not in gone)
        for a, others in _graph.beside(graph).items()
        if a not in gone
    }
    ends = [node for node, others in there.items() if len(others) < 2]
    for node in ends:
        for other in there.pop(node):
            del there[other][node]
            if len(there[other]) == 1:
                ends.append(other)
    return there


LADDER = (
    Knobs(9, 3.4, "random", "edge_list", "numbers"),
    Knobs(12, 3.4, "any", "any", "any"),
    Knobs(15, 3.4, "any", "any", "any"),
    Knobs(19, 3.4, "any", "any", "any"),
    Knobs(24, 3.4, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="nodes"),
    recheck=recheck,
    hardness=_graph.size,
    solver="SAT",
    guess_rate=0.1,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    version=3,
)
