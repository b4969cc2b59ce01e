"""Feedback nodes: fewest nodes of a graph without which it has no cycle.

Several sets may be as small, so `verify` takes the answer's nodes away and counts what is left: a
graph without cycles has a part for each node that is not made up for by an edge. By branching over
cycles it knows whether one node less could do.
"""

from collections.abc import Sequence, Set
from functools import cache, lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _cycles, _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._wording import title

Near = Sequence[tuple[Sequence[int], int]]  # see _near


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    graph = _drawing.drawn(rng, knobs)
    return graph if len(graph.edges) >= len(graph.nodes) else None


@lru_cache(maxsize=1024)
def solve(graph: Graph) -> tuple[str, ...]:
    """By SAT: one node less cannot meet all cycles."""
    near = _near(graph)
    chosen = _cycles.by_sat(range(len(near)), lambda gone: _cycle(near, _core(near, gone)[0]))
    return in_order(graph.nodes[at] for at in chosen)


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    gone = set(nodes)
    if not gone <= set(graph.nodes):
        return 0.0
    left = {frozenset(edge) for edge in graph.edges if gone.isdisjoint(edge)}
    ends = [node for edge in left for node in edge]
    while leaves := {node for node in ends if ends.count(node) == 1}:
        left = {edge for edge in left if edge.isdisjoint(leaves)}
        ends = [node for edge in left for node in edge]
    return float(not left and not _enough(graph, len(gone) - 1))


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
    gone, lines, chosen = set[int](), list[str](), solve(graph)
    names, near = [title(graph, node) for node in graph.nodes], _near(graph)
    while found := _cycle(near, _core(near, gone)[0]):
        node = next(it for it in found if graph.nodes[it] in chosen)
        gone.add(node)
        nodes = " ".join(names[it] for it in [*found, found[0]])
        lines.append(f"cycle {nodes}: remove {names[node]}")
    return [*lines, f"{len(gone)} nodes, and no cycle is left"]


@lru_cache(maxsize=1024)
def _enough(graph: Graph, count: int) -> bool:
    """Whether so many nodes meet every cycle."""
    near = _near(graph)
    core = cache(lambda gone: _core(near, gone))  # of the same nodes it is asked for twice
    return _cycles.enough_by_branching(
        lambda gone: _cycle(near, core(gone)[0]), count, lambda gone: _least(core(gone)[1])
    )


def _near(graph: Graph) -> Near:
    """The neighbours of each node, all counted from 0; and as bits."""
    place = {node: at for at, node in enumerate(graph.nodes)}
    near = [[place[other] for other in others] for others in _graph.beside(graph).values()]
    return [(others, sum([1 << other for other in others])) for others in near]


def _least(counts: list[int]) -> int:
    """So many nodes must go, by the edges of each: a forest has fewer edges than nodes, and who
    takes away a node of d edges takes d - 1 of what there is too much."""
    many = sorted(counts)
    left, count = sum(many) // 2 - len(many), 0
    while many and left >= 0:
        left -= many.pop() - 1
        count += 1
    return count


def _cycle(near: Near, left: int) -> list[int]:
    """The nodes of a short cycle among those that are left, as bits; none if there is no cycle."""
    best = list[int]()
    for start, (others, beside) in enumerate(near):
        if left >> start & 1:
            beside &= left
            corners = (near[node][1] & beside for node in others if beside >> node & 1)
            if len(best) == 4 and not any(corners):
                continue  # no triangle
            best = _round_trip(near, left, start, len(best)) or best
            if len(best) == 3:
                break
    return best


def _round_trip(near: Near, left: int, start: int, most: int) -> list[int]:
    """A cycle through a node, with fewer nodes than `most` unless that is 0; none if none is.

    A search meets the far end of a cycle twice, by ways that have only their start in common.
    """
    ways, queue, branch = {start: [start]}, [start], {start: start}
    for node in queue:
        way = ways[node]
        if most and 2 * len(way) > most:
            break
        for other in near[node][0]:
            if not left >> other & 1:
                continue
            if other not in ways:
                ways[other] = [*way, other]
                branch[other] = other if node == start else branch[node]
                queue.append(other)
            elif other != start and branch[other] != branch[node]:
                found = [*way, *reversed(ways[other][1:])]
                if not most or len(found) < most:
                    return found
    return []


def _core(near: Near, gone: Set[int]) -> tuple[int, list[int]]:
    """What is left without those that are gone and then without every node of one edge or none, a
    bit for each; and how many edges each of these has."""
    left = (1 << len(near)) - 1
    for node in gone:
        left ^= 1 << node
    counts = [(others & left).bit_count() for _, others in near]
    ends = [node for node, count in enumerate(counts) if count < 2 and left >> node & 1]
    for end in ends:
        left ^= 1 << end
        for other in near[end][0]:
            if left >> other & 1:
                counts[other] -= 1
                if counts[other] == 1:
                    ends.append(other)
    return left, [count for node, count in enumerate(counts) if left >> node & 1]


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
