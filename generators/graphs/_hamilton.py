"""Paths and rings through all nodes of a graph: planted, found, and shown not to be there."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from random import Random

from puzzlemill.generators import _sat
from puzzlemill.generators._bits import members
from puzzlemill.generators.graphs._graph import Graph, beside
from puzzlemill.generators.graphs._sources import Pair

INSIDE, OUTSIDE = -1, -2  # see _covers
BEYOND = ""  # a node outside the graph; no node is called so

Edges = Sequence[tuple[str, str]]


def islands(rng: Random, nodes: int, bridges: int, extra: int) -> tuple[list[Pair], list[int]]:
    """Edges to plant in a graph that can, or just cannot, be toured; and each node's group.

    The few nodes of group 0, the bridges, are all that joins the other groups, so a tour crosses a
    bridge between any two groups. As many groups as bridges lie in a ring with them, and the extra
    ones each hang on two bridges. A ring has none to spare for an extra group, a path for one. Each
    group hangs by the ends of a path through it.
    """
    groups, inner = bridges + extra, range(bridges, nodes)
    cuts = sorted(rng.sample(inner[1:], groups - 1))
    group = [0] * bridges + [1 + sum(cut <= node for cut in cuts) for node in inner]
    planted = []
    for number in range(groups):
        members = [node for node in inner if group[node] == number + 1]
        first, last = number, (number + 1) % bridges
        if number >= bridges:
            first, last = rng.sample(range(bridges), 2) if bridges > 1 else (0, 0)
        planted += [(first, members[0]), *pairwise(members), (last, members[-1])]
    return planted, group


def path(graph: Graph) -> tuple[str, ...] | None:
    """A path through all nodes: a ring, with a node outside that is joined to all of them."""
    edges = [*graph.edges, *((node, BEYOND) for node in graph.nodes)]
    found = _ring((BEYOND, *graph.nodes), edges)
    return found and found[1:]


def ring(graph: Graph) -> tuple[str, ...] | None:
    """The nodes in an order in which each has an edge to the next, and the last to the first."""
    return _ring(graph.nodes, graph.edges)


def opened(nodes: tuple[str, ...]) -> tuple[str, ...]:
    """A ring without its first node at the end, for those who come back in writing."""
    return nodes[:-1] if len(nodes) > 1 and nodes[0] == nodes[-1] else nodes


def has_path(graph: Graph) -> bool:
    return _covers(graph, closed=False)


def has_ring(graph: Graph) -> bool:
    return _covers(graph, closed=True)


def _ring(nodes: tuple[str, ...], edges: Edges) -> tuple[str, ...] | None:
    """SAT: choose edges so that each node has two, then forbid the small rings that come of it."""
    with _sat.loaded(_two_each(nodes, edges), "cadical153") as solver:
        while solver.solve():
            chosen = [edges[literal - 1] for literal in solver.get_model() if literal > 0]
            first, *others = _rings(nodes, chosen)
            if not others:
                return first
            for small in (first, *others):
                solver.add_clause(
                    [at for at, (a, b) in enumerate(edges, 1) if (a in small) != (b in small)]
                )
    return None


def _two_each(nodes: tuple[str, ...], edges: Edges) -> list[Sequence[int]]:
    """Clauses: of the edges at each node, exactly two. Edge i of the list is the variable i + 1."""
    at: dict[str, list[int]] = {node: [] for node in nodes}
    for place, edge in enumerate(edges, 1):
        for node in edge:
            at[node].append(place)
    clauses: list[Sequence[int]] = []
    for mine in at.values():
        clauses += [[other for other in mine if other != place] for place in mine]
        clauses += combinations([-place for place in mine], 3)
    return clauses


def _rings(nodes: tuple[str, ...], chosen: Edges) -> list[tuple[str, ...]]:
    """The rings of edges that meet two and two, the first node's first and from there."""
    there: dict[str, list[str]] = {node: [] for node in nodes}
    for a, b in chosen:
        there[a].append(b)
        there[b].append(a)
    left, rings = dict.fromkeys(nodes), []
    while left:
        found = [next(iter(left))]
        while onward := [node for node in there[found[-1]] if node not in found]:
            found.append(onward[0])
        rings.append(tuple(found))
        left = {node: None for node in left if node not in found}
    return rings


@lru_cache(maxsize=1024)
def _covers(graph: Graph, closed: bool) -> bool:
    """Whether some path, or ring, visits all nodes: exact, over all choices of edges, node by node.

    Choices are told apart only by what is still open. A state says of each node where the other
    end of its piece of path is: at itself while it is alone, OUTSIDE where that end is an end of
    the whole path for good; and INSIDE of a node that has its two edges.
    """
    there = _numbered(graph)
    nodes = len(there)
    if nodes == 1:
        return not closed
    order = _narrow_order(there)
    place = {node: step for step, node in enumerate(order)}
    last = {node: max(place[it] for it in (node, *there[node])) for node in order}
    states: set[tuple[int, ...]] = {tuple(range(nodes))}
    for step, node in enumerate(order):
        for other in there[node]:
            if place[other] < step:
                joined = [_joined(state, node, other, closed) for state in states]
                states.update(state for state in joined if state)
        for done in order[: step + 1]:
            if last[done] == step:
                settled = [_settled(state, done, closed) for state in states]
                states = {state for state in settled if state}
        if (INSIDE,) * nodes in states:
            return True
    return False


def _joined(state: tuple[int, ...], a: int, b: int, closed: bool) -> tuple[int, ...] | None:
    """The state with the edge a-b taken."""
    one, two = state[a], state[b]
    if INSIDE in (one, two) or (one == b and not closed):
        return None
    ends = list(state)
    ends[a] = ends[b] = INSIDE
    if one == b or one == two == OUTSIDE:  # the ring, or the path, is whole: nothing may be left
        return tuple(ends) if set(ends) == {INSIDE} else None
    if one != OUTSIDE:
        ends[one] = two
    if two != OUTSIDE:
        ends[two] = one
    return tuple(ends)


def _settled(state: tuple[int, ...], node: int, closed: bool) -> tuple[int, ...] | None:
    """The state after a node whose edges have all been looked at."""
    other = state[node]
    if other == INSIDE:
        return state
    if closed or other == node:  # a ring has no ends, and no node of a path is alone
        return None
    ends = list(state)
    ends[node] = INSIDE
    if other == OUTSIDE:
        return tuple(ends) if set(ends) == {INSIDE} else None
    ends[other] = OUTSIDE
    return tuple(ends) if ends.count(OUTSIDE) <= 2 else None


def _numbered(graph: Graph) -> Mapping[int, list[int]]:
    """The neighbours of each node, all counted from 0."""
    place = {node: at for at, node in enumerate(graph.nodes)}
    return {
        place[node]: sorted(place[other] for other in others)
        for node, others in beside(graph).items()
    }


def _narrow_order(there: Mapping[int, list[int]]) -> list[int]:
    """An order that keeps few nodes open at a time: the best of a greedy one from each node."""
    near = {node: sum([1 << other for other in others]) for node, others in there.items()}
    fewest, best = 3 ** len(there) * len(there), list(there)
    for start in there:
        order, widths = [start], 0
        left = (1 << len(there)) - 1 & ~(1 << start)
        rim, opened = near[start] & left, [near[start] & left]  # what open nodes have left
        while left and widths <= fewest:
            width, node = min(
                [
                    (len(opened) - opened.count(1 << node) + (near[node] & left > 0), node)
                    for node in members(rim or left)
                ]
            )
            order.append(node)
            left &= ~(1 << node)
            rim = (rim | near[node]) & left
            opened = [beyond for others in (*opened, near[node]) if (beyond := others & left)]
            widths += 3**width
        if (widths, order) < (fewest, best) and not left:
            fewest, best = widths, order
    return best
