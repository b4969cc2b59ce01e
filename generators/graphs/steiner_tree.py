"""Steiner tree: edges of the least total weight that join given nodes, by way of any others.

Several trees may weigh as little, so `verify` follows the answer's edges, adds up their weights and
compares with the least there is. A tree that joins k nodes forks at k - 2 others at most, so that
is the least spanning tree, over all choices of so many others, where any two nodes are as far apart
as the graph makes them.
"""

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from itertools import combinations
from random import Random
from typing import Any

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title

Edge = tuple[str, str]
Branch = tuple[int, frozenset[Edge]]  # its weight, its edges

TRIES = 4  # for a graph where joining the nearest falls short


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average
    given: int  # nodes to join
    heaviest: int  # weight of an edge, at most
    forked: bool  # whether joining the nearest given node next, the shortest way, falls short
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    for _ in range(TRIES):
        sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
        weights = [rng.randint(1, knobs.heaviest) for _ in sketch.pairs]
        given = rng.sample(range(sketch.nodes), knobs.given)
        graph = _drawing.dressed(rng, knobs, sketch, sketch.pairs, weights, asked=given)
        if not knobs.forked or _joined(graph) > _lightest(graph):
            return graph
    return None


def solve(graph: Graph) -> tuple[Edge, ...]:
    """Dreyfus and Wagner's method."""
    *others, last = graph.asked
    _, edges = _branches(graph)[frozenset(others)][last]
    return in_order(edges)


def verify(graph: Graph, edges: tuple[Edge, ...]) -> float:
    weight = {frozenset(edge): w for edge, w in zip(graph.edges, graph.weights)}
    chosen = {frozenset(edge) for edge in edges}
    if not chosen <= weight.keys() or sum(weight[edge] for edge in chosen) != _least(graph):
        return 0.0
    reached = {graph.asked[0]}
    left = list(chosen)
    while touched := [edge for edge in left if edge & reached]:
        reached = reached.union(*touched)
        left = [edge for edge in left if not edge <= reached]
    return float(not left and reached.issuperset(graph.asked))


def recheck(graph: Graph, edges: tuple[Edge, ...]) -> bool:
    """By networkx: a tree with all the given nodes, that weighs as much as the one of `solve`."""
    import networkx

    known = _graph.in_networkx(graph)
    if not edges or not all(known.has_edge(*edge) for edge in edges):
        return False
    tree = known.edge_subgraph(edges)
    least = known.edge_subgraph(solve(graph)).size("weight")
    joins = set(graph.asked) <= set(tree) and networkx.is_tree(tree)
    return bool(joins and tree.size("weight") == least)


def render(graph: Graph, style: Style) -> Prompt:
    given = _wording.listed(graph, graph.asked)
    return _wording.posed(
        graph,
        style,
        "the edges of the tree, each written (a, b), separated by commas",
        f"Choose edges that join the nodes {given}, so that there is a way along chosen edges from"
        " each of them to each other one. The ways may lead through any other nodes. The sum of the"
        " weights of the chosen edges should be as small as possible; if several choices are"
        " equally light, any one will do.",
        f"In the graph below, find a minimum Steiner tree for the nodes {given}: a tree of edges"
        " that contains all of these nodes, and other ones where that helps, and has the least"
        " total weight. Any one of the lightest trees will do.",
        f"Cables are laid along edges, and a cable costs the weight of its edge. The nodes {given}"
        " are to be connected to one another, directly or by way of other nodes, at the least total"
        " cost. Which edges get a cable? If there are several cheapest plans, give any one.",
    )


def steps(graph: Graph) -> list[str]:
    """The least tree of the first two nodes, three, and so on."""
    lines = []
    for count in range(2, len(graph.asked) + 1):
        *others, last = graph.asked[:count]
        weight, edges = _branches(graph)[frozenset(others)][last]
        shown = ", ".join(f"{title(graph, a)}-{title(graph, b)}" for a, b in in_order(edges))
        lines.append(f"join {_wording.listed(graph, graph.asked[:count])}: {shown}; {weight}")
    return lines


@lru_cache(maxsize=64)
def _branches(graph: Graph) -> dict[frozenset[str], dict[str, Branch]]:
    """For each set of given nodes, all but the last, the least tree that joins them to each node:
    two trees of fewer of them meet somewhere, and a path leads on from there."""
    *others, _ = graph.asked
    found: dict[frozenset[str], dict[str, Branch]] = {}
    for count in range(1, len(others) + 1):
        for joined in map(frozenset, combinations(others, count)):
            start: dict[str, Branch] = {}
            if count == 1:
                start = {node: (0, frozenset()) for node in joined}
            first, *rest = sorted(joined)
            for size in range(len(rest)):
                for picked in combinations(rest, size):
                    one = frozenset((first, *picked))
                    for node, branch in _met(found[one], found[joined - one]).items():
                        if node not in start or branch[0] < start[node][0]:
                            start[node] = branch
            found[joined] = _led_on(graph, start)
    return found


def _met(one: dict[str, Branch], two: dict[str, Branch]) -> dict[str, Branch]:
    return {node: (one[node][0] + two[node][0], one[node][1] | two[node][1]) for node in one}


def _led_on(graph: Graph, start: dict[str, Branch]) -> dict[str, Branch]:
    """Each node's least branch, by Dijkstra's method."""
    there = _graph.beside(graph)
    done: dict[str, Branch] = {}
    queue = [(weight, node, edges) for node, (weight, edges) in start.items()]
    queue.sort(key=lambda branch: branch[:2])
    while queue:
        weight, node, edges = heappop(queue)
        if node not in done:
            done[node] = (weight, edges)
            for other, more in there[node].items():
                if other not in done:
                    a, b = in_order((node, other))
                    heappush(queue, (weight + more, other, edges | {(a, b)}))
    return done


@lru_cache(maxsize=1024)
def _least(graph: Graph) -> int:
    """The least weight of a tree that joins the given nodes."""
    apart = _apart(graph)
    given = [graph.nodes.index(node) for node in graph.asked]
    rest = [at for at in range(len(graph.nodes)) if at not in given]
    best = []
    for forks in range(len(given) - 1):
        chosen = list(combinations(rest, forks))
        if chosen:
            added = np.array(chosen, dtype=int).reshape(len(chosen), forks)
            corners = np.hstack([np.tile(given, (len(chosen), 1)), added])
            best.append(int(_spanned(apart[corners[:, :, None], corners[:, None, :]]).min()))
    return min(best)


def _lightest(graph: Graph) -> int:
    """The same for many graphs, of which few are kept: by Dreyfus and Wagner's method, with what it
    takes to join given nodes, told as bits, to each node in an array."""
    apart = _apart(graph)
    *others, last = map(graph.nodes.index, graph.asked)
    joined = {1 << at: apart[node] for at, node in enumerate(others)}
    whole = (1 << len(others)) - 1
    for nodes in range(1, whole + 1):
        if nodes not in joined:
            parts = [part for part in range(1, nodes) if part & nodes == part and 2 * part < nodes]
            met = np.min([joined[part] + joined[nodes ^ part] for part in parts], axis=0)
            joined[nodes] = (met[:, None] + apart).min(axis=0)
    return int(joined[whole][last])


def _joined(graph: Graph) -> int:
    """What it comes to if the given node that is nearest to the tree is always joined to it next,
    by a shortest way, from the first given node on.

    Equal ways are told apart by the names of their nodes: no set's order has a part in it.
    """
    there, (first, *others) = _graph.beside(graph), graph.asked
    inside, missing, total = {first}, set(others), 0
    while missing:
        queue: list[tuple[int, str, tuple[str, ...]]] = [(0, node, ()) for node in sorted(inside)]
        done: set[str] = set()
        while True:
            weight, node, way = heappop(queue)
            if node in missing:
                break
            if node not in done:
                done.add(node)
                for other, more in there[node].items():
                    heappush(queue, (weight + more, other, (*way, other)))
        total += weight
        inside.update(way)
        missing -= inside
    return total


def _apart(graph: Graph) -> Any:
    """The least weight of a way from each node to each, by Floyd and Warshall's method."""
    place = {node: at for at, node in enumerate(graph.nodes)}
    apart = np.full((len(place), len(place)), sum(graph.weights) + 1)
    np.fill_diagonal(apart, 0)
    for (a, b), weight in zip(graph.edges, graph.weights):
        apart[place[a], place[b]] = apart[place[b], place[a]] = weight
    for at in range(len(place)):
        apart = np.minimum(apart, apart[:, at, None] + apart[at])
    return apart


def _spanned(apart: Any) -> Any:
    """The weight of the least spanning tree of each of many tables of distances, by Prim's."""
    many, corners, _ = apart.shape
    tables, total = np.arange(many), np.zeros(many, dtype=int)
    far = int(apart.max()) + 1
    near = apart[:, 0].copy()
    inside = np.zeros((many, corners), dtype=bool)
    inside[:, 0] = True
    for _ in range(corners - 1):
        nearest = np.where(inside, far, near).argmin(axis=1)
        total += near[tables, nearest]
        inside[tables, nearest] = True
        near = np.minimum(near, apart[tables, nearest])
    return total


LADDER = (
    Knobs(8, 2.6, 3, 9, False, "random", "edge_list", "numbers"),
    Knobs(11, 2.8, 3, 12, False, "any", "any", "any"),
    Knobs(16, 3.2, 4, 15, True, "any", "any", "any"),
    Knobs(24, 3.4, 4, 20, True, "any", "any", "any"),
    Knobs(34, 3.6, 5, 20, True, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Edges(nodes="nodes"),
    recheck=recheck,
    hardness=_graph.size,
    solver="Dreyfus-Wagner",
    guess_rate=0.01,
    steps=steps,
    canon=_graph.canon_of_pair,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=("RLVE/minimum_steiner_tree",),
    version=5,
)
