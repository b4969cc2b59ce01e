"""Steiner tree: edges of the least total weight that join given nodes, by way of any others.

Several trees may weigh as little, so `verify` follows the answer's edges, adds up their weights and
compares with the least there is. A tree that joins k nodes forks at k - 2 others at most, so that
is the least spanning tree, over all choices of so many others, where any two nodes are as far apart
as the graph makes them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from heapq import heappop, heappush
from itertools import combinations, combinations_with_replacement
from random import Random
from typing import Any

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Sketch
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title

Edge = tuple[str, str]
# The weight of the least tree that joins some given nodes to a node; and the node from which that
# one is reached, or those of the given nodes that one of two trees joins that meet there, if any.
Branch = tuple[int, str | frozenset[str]]

TRIES = 12  # choices of given nodes in a graph, for one where joining the nearest falls short


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
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    weights = [rng.randint(1, knobs.heaviest) for _ in sketch.pairs]
    tries = TRIES if knobs.forked else 1
    choices = [rng.sample(range(sketch.nodes), knobs.given) for _ in range(tries)]
    given = _forked(sketch, weights, choices) if knobs.forked else choices[0]
    if given is None:
        return None
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs, weights, asked=given)


def solve(graph: Graph) -> tuple[Edge, ...]:
    """Dreyfus and Wagner's method."""
    *others, last = graph.asked
    return _tree(graph, frozenset(others), last)


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
        weight, _ = _branches(graph)[frozenset(others)][last]
        edges = _tree(graph, frozenset(others), last)
        shown = ", ".join(f"{title(graph, a)}-{title(graph, b)}" for a, b in edges)
        lines.append(f"join {_wording.listed(graph, graph.asked[:count])}: {shown}; {weight}")
    return lines


def _tree(graph: Graph, joined: frozenset[str], node: str) -> tuple[Edge, ...]:
    """The edges of the least tree that joins these given nodes to a node."""
    branches, edges, ends = _branches(graph), list[Edge](), [(joined, node)]
    for joined, node in ends:
        _, source = branches[joined][node]
        if isinstance(source, str):
            a, b = in_order((node, source))
            edges.append((a, b))
            ends.append((joined, source))
        elif source:
            ends += [(source, node), (joined - source, node)]
    return in_order(edges)


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
                    part = frozenset((first, *picked))
                    one, two = found[part], found[joined - part]
                    for node, (weight, _) in one.items():
                        weight += two[node][0]
                        if node not in start or weight < start[node][0]:
                            start[node] = weight, part
            found[joined] = _led_on(graph, start)
    return found


def _led_on(graph: Graph, start: dict[str, Branch]) -> dict[str, Branch]:
    """Each node's least branch, by Dijkstra's method."""
    there, found = _graph.beside(graph), dict(start)
    queue = sorted((weight, node) for node, (weight, _) in start.items())
    while queue:
        weight, node = heappop(queue)
        if weight > found[node][0]:
            continue  # a lesser one was found since
        for other, more in there[node].items():
            more += weight
            if other not in found or more < found[other][0]:
                found[other] = more, node
                heappush(queue, (more, other))
    return found


@lru_cache(maxsize=1024)
def _least(graph: Graph) -> int:
    """The least weight of a tree that joins the given nodes."""
    place = {node: at for at, node in enumerate(graph.nodes)}
    pairs = [(place[a], place[b]) for a, b in graph.edges]
    apart = _apart(len(place), pairs, graph.weights)
    given = [place[node] for node in graph.asked]
    rest = [at for at in range(len(graph.nodes)) if at not in given]
    # With a given node again, or another one twice, there are fewer forks.
    others = np.array([given[0], *rest])[_choices(len(rest) + 1, len(given) - 2)]
    corners = np.hstack([np.tile(given, (len(others), 1)), others])
    return int(_spanned(apart[corners[:, :, None], corners[:, None, :]]).min())


@lru_cache(maxsize=4)
def _choices(places: int, count: int) -> Any:
    """All choices of so many places, of which any may be chosen again."""
    chosen = list(combinations_with_replacement(range(places), count))
    return np.array(chosen, dtype=int).reshape(len(chosen), count)


def _forked(sketch: Sketch, weights: list[int], choices: list[list[int]]) -> list[int] | None:
    """The first choice of given nodes where joining the nearest falls short.

    That never takes more than a spanning tree of the given nodes alone, and mostly that is least.
    """
    apart, given = _apart(sketch.nodes, sketch.pairs, weights), np.array(choices)
    lightest = _lightest(apart, given)
    spanned = _spanned(apart[given[:, :, None], given[:, None, :]])
    there: list[dict[int, int]] = [{} for _ in range(sketch.nodes)]
    for (a, b), weight in zip(sketch.pairs, weights):
        there[a][b] = there[b][a] = weight
    for at in (spanned > lightest).nonzero()[0]:
        if _joined(there, choices[at]) > lightest[at]:
            return choices[at]
    return None


def _lightest(apart: Any, given: Any) -> Any:
    """The least weight of a tree for each of many choices of given nodes: by Dreyfus and Wagner's
    method, with what it takes to join given nodes, told as bits, to each node in an array."""
    *others, last = given.T
    joined = {1 << at: apart[nodes] for at, nodes in enumerate(others)}
    whole = (1 << len(others)) - 1
    for nodes in range(1, whole + 1):
        if nodes not in joined:
            parts = [part for part in range(1, nodes) if part & nodes == part and 2 * part < nodes]
            met = reduce(np.minimum, [joined[part] + joined[nodes ^ part] for part in parts])
            joined[nodes] = (met[:, None, :] + apart).min(axis=2)
    return joined[whole][np.arange(len(given)), last]


def _joined(there: list[dict[int, int]], given: list[int]) -> int:
    """What it comes to if the given node that is nearest to the tree is always joined to it next,
    by a shortest way, from the first given node on."""
    first, *others = given
    inside, missing, total = {first}, set(others), 0
    while missing:
        queue: list[tuple[int, int, tuple[int, ...]]] = [(0, node, ()) for node in sorted(inside)]
        done: set[int] = set()
        while True:
            weight, node, way = heappop(queue)
            if node in missing:
                break
            if node not in done:
                done.add(node)
                for other, more in there[node].items():
                    if other not in done:
                        heappush(queue, (weight + more, other, (*way, other)))
        total += weight
        inside.update(way)
        missing -= inside
    return total


def _apart(nodes: int, pairs: Sequence[Pair], weights: Sequence[int]) -> Any:
    """The least weight of a way from each node to each, by Floyd and Warshall's method."""
    apart = np.full((nodes, nodes), sum(weights) + 1)
    np.fill_diagonal(apart, 0)
    for (a, b), weight in zip(pairs, weights):
        apart[a, b] = apart[b, a] = weight
    for at in range(nodes):
        np.minimum(apart, np.add.outer(apart[at], apart[at]), out=apart)
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
    version=6,
)
