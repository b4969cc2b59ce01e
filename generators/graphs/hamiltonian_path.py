"""Hamiltonian path: visit every node exactly once.

Any such path is right, so `verify` walks the answer. The answer "impossible" is right only where
there is no path, and that it decides itself, by carrying all that matters of every partial path
cover across the graph, node by node.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._graph import (
    AnySource,
    Edges,
    Pair,
    draw,
    edge_count,
    neighbours,
    scrambled,
)
from puzzlemill.generators.graphs._wording import AnyEncoding, Encoding, describe, pick_encoding

Answer: TypeAlias = tuple[int, ...] | Impossible

INSIDE, OUTSIDE = -1, -2  # see _has_path


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int
    degree: float  # edges at a node, on average
    infeasible: float  # share of graphs that have no such path
    source: AnySource
    encoding: AnyEncoding


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: int
    edges: Edges
    encoding: Encoding


def generate(rng: Random, knobs: Knobs) -> Graph:
    nodes, edges = knobs.nodes, edge_count(knobs.nodes, knobs.degree)
    feasible = rng.random() >= knobs.infeasible
    if feasible and rng.random() < 0.5:
        drawn = draw(rng, knobs.source, nodes, edges, planted=pairwise(range(nodes)))
    else:
        planted, group = _islands(rng, nodes, feasible)
        drawn = draw(
            rng, knobs.source, nodes, edges, planted,
            allowed=lambda a, b: group[a] == group[b] or 0 in (group[a], group[b]),
        )  # fmt: skip
    encoding = pick_encoding(rng, knobs.encoding, nodes)
    return Graph(nodes, tuple(scrambled(rng, nodes, drawn)), encoding)


def solve(graph: Graph) -> Answer:
    """SAT: choose edges so that each node has two, then forbid the loops that come of it.

    A node outside, joined to all others, closes the path to a ring.
    """
    from pysat.solvers import Solver

    outside = graph.nodes
    pairs = [(a, b) for a, b in graph.edges] + [(node, outside) for node in range(graph.nodes)]
    if graph.nodes == 1:
        return (0,)
    with Solver("cadical153", bootstrap_with=_two_each(pairs)) as solver:
        while solver.solve():
            chosen = [pairs[literal - 1] for literal in solver.get_model() if literal > 0]
            ring, *loops = _loops(chosen, outside)
            if not loops:
                return tuple(ring[1:])
            for loop in loops:
                inside = set(loop)
                solver.add_clause(
                    [
                        place
                        for place, (a, b) in enumerate(pairs, 1)
                        if (a in inside) != (b in inside)
                    ]
                )
    return IMPOSSIBLE


def verify(graph: Graph, path: Answer) -> float:
    if isinstance(path, Impossible):
        return float(not _has_path(graph.nodes, graph.edges))
    if sorted(path) != list(range(graph.nodes)):
        return 0.0
    sides = {frozenset(edge) for edge in graph.edges}
    return float(all(frozenset(step) in sides for step in pairwise(path)))


def recheck(graph: Graph, path: Answer) -> bool:
    """By networkx: a simple path as long as the graph; that there is none, by `solve`."""
    import networkx

    if isinstance(path, Impossible):
        return solve(graph) is IMPOSSIBLE
    drawn = networkx.empty_graph(graph.nodes)
    drawn.add_edges_from(graph.edges)
    return len(path) == graph.nodes and bool(networkx.is_simple_path(drawn, path))


def render(graph: Graph, style: Style) -> Prompt:
    text = describe(graph.nodes, graph.edges, graph.encoding)
    return Prompt(
        style.pick(
            f"{text}\n\nFind a path along edges that visits every node exactly once. It may start"
            " and end at any node. There may be no such path.",
            "Is there a Hamiltonian path in the graph below, a path along its edges that visits"
            " each node exactly once, wherever it starts and ends? If so, give one; any will do."
            f"\n\n{text}",
            f"{text}\n\nPut all the nodes into an order, each of them once, in which every two"
            " consecutive nodes are joined by an edge, or find that this cannot be done.",
        ),
        form='the nodes of the path in order, separated by commas, or the word "impossible" if'
        " there is no such path",
    )


def canon(graph: Graph) -> Any:
    return canonical(graph.nodes, graph.edges)


def _islands(rng: Random, nodes: int, feasible: bool) -> tuple[list[Pair], list[int]]:
    """Edges to plant in a graph that can, or just cannot, be toured; and each node's group.

    The few nodes of group 0, the bridges, are all that joins the other groups, and a path crosses
    a bridge between any two groups. With one group more than bridges, it takes them in turn; with
    two more, it runs out. The two kinds look alike: every group hangs on two bridges, by the ends
    of a path through it, and as many edges are planted.
    """
    bridges = rng.randint(1, max(1, nodes // 6))
    groups = bridges + (1 if feasible else 2)
    inner = range(bridges, nodes)
    cuts = sorted(rng.sample(inner[1:], groups - 1))
    group = [0] * bridges + [1 + sum(cut <= node for cut in cuts) for node in inner]
    planted = []
    for number in range(1, groups + 1):
        members = [node for node in inner if group[node] == number]
        first, last = rng.sample(range(bridges), 2) if bridges > 1 else (0, 0)
        if feasible:  # after group 1 comes bridge 0, then group 2, bridge 1 ...
            first = number - 2 if number > 1 else first
            last = number - 1 if number < groups else last
        planted += [(first, members[0]), *pairwise(members), (last, members[-1])]
    if feasible:
        planted += [(rng.randrange(bridges), rng.choice(inner)) for _ in range(2)]
    return planted, group


def _two_each(pairs: list[Pair]) -> list[list[int]]:
    """Clauses: of the edges at each node, exactly two. Edge i of the list is the variable i + 1."""
    at: dict[int, list[int]] = {}
    for place, pair in enumerate(pairs, 1):
        for node in pair:
            at.setdefault(node, []).append(place)
    clauses = []
    for mine in at.values():
        clauses += [[other for other in mine if other != place] for place in mine]
        clauses += [[-place for place in three] for three in combinations(mine, 3)]
    return clauses


def _loops(chosen: list[Pair], start: int) -> list[list[int]]:
    """The closed loops of edges that meet two and two, that of `start` first and from there."""
    beside = neighbours(start + 1, chosen)
    left, loops = list(range(start, -1, -1)), []
    while left:
        loop = [left[0]]
        while onward := [node for node in beside[loop[-1]] if node not in loop]:
            loop.append(onward[0])
        loops.append(loop)
        left = [node for node in left if node not in loop]
    return loops


@lru_cache(maxsize=1024)
def _has_path(nodes: int, edges: Edges) -> bool:
    """Whether some path visits all nodes: exact, over all choices of edges, node by node.

    Choices are told apart only by what is still open. A state says of each node where the other
    end of its piece of path is: at itself while it is alone, OUTSIDE where that end is an end of
    the whole path for good; and INSIDE of a node that has its two edges.
    """
    if nodes == 1:
        return True
    beside = neighbours(nodes, edges)
    order = _narrow_order(beside)
    place = {node: step for step, node in enumerate(order)}
    last = {node: max(place[it] for it in (node, *beside[node])) for node in order}
    states: set[tuple[int, ...]] = {tuple(range(nodes))}
    for step, node in enumerate(order):
        for other in beside[node]:
            if place[other] < step:
                joined = [_joined(state, node, other) for state in states]
                states.update(state for state in joined if state)
        for done in order[: step + 1]:
            if last[done] == step:
                closed = [_closed(state, done) for state in states]
                states = {state for state in closed if state}
        if (INSIDE,) * nodes in states:
            return True
    return False


def _joined(state: tuple[int, ...], a: int, b: int) -> tuple[int, ...] | None:
    """The state with the edge a-b taken."""
    one, two = state[a], state[b]
    if INSIDE in (one, two) or one == b:  # the last would close a loop
        return None
    ends = list(state)
    ends[a] = ends[b] = INSIDE
    if one == two == OUTSIDE:  # the path has both its ends: there must be nothing left
        return tuple(ends) if set(ends) == {INSIDE} else None
    if one != OUTSIDE:
        ends[one] = two
    if two != OUTSIDE:
        ends[two] = one
    return tuple(ends)


def _closed(state: tuple[int, ...], node: int) -> tuple[int, ...] | None:
    """The state after a node whose edges have all been looked at."""
    other = state[node]
    if other == INSIDE:
        return state
    if other == node:
        return None  # it would be left alone
    ends = list(state)
    ends[node] = INSIDE
    if other == OUTSIDE:
        return tuple(ends) if set(ends) == {INSIDE} else None
    ends[other] = OUTSIDE
    return tuple(ends) if ends.count(OUTSIDE) <= 2 else None


def _narrow_order(beside: list[list[int]]) -> list[int]:
    """An order that keeps few nodes open at a time: the best of a greedy one from each node."""
    found = []
    for start in range(len(beside)):
        order, seen, widths = [start], {start}, []
        while len(order) < len(beside):
            rim = {it for node in order for it in beside[node]} - seen or set(
                range(len(beside))
            ) - seen
            width, node = min((_open(beside, seen | {node}), node) for node in rim)
            order.append(node)
            seen.add(node)
            widths.append(3**width)
        found.append((sum(widths), order))
    return min(found)[1]


def _open(beside: list[list[int]], seen: set[int]) -> int:
    """How many of these nodes have a neighbour that is not one of them."""
    return sum(not seen.issuperset(beside[node]) for node in seen)


LADDER = (
    Knobs(6, 2.8, 0.0, "random", "edge_list"),
    Knobs(12, 3.0, 0.1, "random", "any"),
    Knobs(18, 3.0, 0.15, "any", "any"),
    Knobs(24, 3.0, 0.2, "any", "any"),
    Knobs(36, 3.0, 0.2, "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Path(between=", ")),
    recheck=recheck,
    hardness=lambda graph: graph.nodes * len(graph.edges),
    solver="SAT with loops forbidden as they appear (cadical)",
    guess_rate=0.2,
    canon=canon,
    skills=("graphs", "search"),
    peers=("G1/hamiltonian_path", "Enigmata/hamiltonian_path", "RLVE/hamiltonian_path"),
)
