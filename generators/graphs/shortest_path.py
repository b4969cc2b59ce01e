"""Shortest path: the way from one node to another whose edges have the least total length.

Several paths may be equally short, so `verify` walks the answer's edges and compares its length
with the least there is, which it finds by Dijkstra's method.
"""

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from itertools import pairwise
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._graph import AnySource, Edges, draw, edge_count, scrambled
from puzzlemill.generators.graphs._wording import AnyEncoding, Encoding, describe, pick_encoding


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int
    degree: float  # edges at a node, on average
    hops: int  # edges of the shortest path, where the graph has one that long
    longest: int  # length of an edge, at most
    directed: bool
    source: AnySource
    encoding: AnyEncoding


@dataclass(frozen=True, slots=True)
class Roads:
    nodes: int
    edges: Edges  # (a, b, length)
    directed: bool
    start: int
    target: int
    encoding: Encoding


def generate(rng: Random, knobs: Knobs) -> Roads | None:
    drawn = draw(rng, knobs.source, knobs.nodes, edge_count(knobs.nodes, knobs.degree))
    edges = tuple(
        (*(pair[::-1] if knobs.directed and rng.random() < 0.5 else pair), length)
        for pair in scrambled(rng, knobs.nodes, drawn)
        for length in [rng.randint(1, knobs.longest)]
    )
    encoding = pick_encoding(rng, knobs.encoding, knobs.nodes)
    farthest: tuple[int, int, int] = (0, 0, 0)  # edges, start, target
    for start in rng.sample(range(knobs.nodes), knobs.nodes):
        reached = _reached(knobs.nodes, edges, knobs.directed, start)
        ends = [(min(hops, knobs.hops), rng.random(), node) for node, (_, hops) in reached.items()]
        hops, _, target = max(ends)
        farthest = max(farthest, (hops, start, target))
        if hops == knobs.hops:
            break
    hops, start, target = farthest
    return Roads(knobs.nodes, edges, knobs.directed, start, target, encoding) if hops > 1 else None


def solve(roads: Roads) -> tuple[int, ...] | None:
    """Bellman-Ford: relax all edges, round after round, until nothing gets shorter."""
    before = {node: came for found in _rounds(roads) for node, _, came in found}
    path = [roads.target]
    while path[-1] != roads.start:
        if path[-1] not in before:
            return None
        path.append(before[path[-1]])
    return tuple(reversed(path))


def verify(roads: Roads, path: tuple[int, ...]) -> float:
    if not path or path[0] != roads.start or path[-1] != roads.target:
        return 0.0
    arcs = {(a, b): length for a, b, length in _arcs(roads.edges, roads.directed)}
    if not all(step in arcs for step in pairwise(path)):
        return 0.0
    return float(sum(arcs[step] for step in pairwise(path)) == _least(roads))


def recheck(roads: Roads, path: tuple[int, ...]) -> bool:
    """By networkx: a path of that graph, as long as Dijkstra's."""
    import networkx

    graph = networkx.DiGraph() if roads.directed else networkx.Graph()
    graph.add_weighted_edges_from(roads.edges)
    if not path or (path[0], path[-1]) != (roads.start, roads.target):
        return False
    if not set(path) <= set(graph) or not networkx.is_path(graph, path):
        return False
    least = networkx.dijkstra_path_length(graph, roads.start, roads.target)
    return bool(networkx.path_weight(graph, path, "weight") == least)


def render(roads: Roads, style: Style) -> Prompt:
    start, target = roads.start, roads.target
    text = describe(roads.nodes, roads.edges, roads.encoding, roads.directed, "length")
    return Prompt(
        style.pick(
            f"{text}\n\nFind a shortest path from node {start} to node {target}: a path whose edges"
            " have the least total length. If several are equally short, any of them will do.",
            f"Go from node {start} to node {target} of the graph below by a path of the least total"
            " length, which is the sum of the lengths of its edges. Any one such path will do."
            f"\n\n{text}",
            f"{text}\n\nThe length of a path is the sum of the lengths of its edges. Which path"
            f" from node {start} to node {target} is the shortest? If several are, give any one.",
        ),
        form=f"the nodes of the path in order, from {start} to {target}, separated by commas",
    )


def steps(roads: Roads) -> list[str]:
    """What each round of Bellman-Ford makes shorter: each node, its distance, where from."""
    lines = [
        f"round {count}: "
        + ", ".join(f"{node} at {away} from {came}" for node, away, came in found)
        for count, found in enumerate(_rounds(roads), 1)
    ]
    path = solve(roads)
    return lines if path is None else [*lines, "back: " + " ".join(map(str, reversed(path)))]


def canon(roads: Roads) -> Any:
    marks = [0] * roads.nodes
    marks[roads.start] = 1
    marks[roads.target] = 2 if roads.directed else 1  # else the way back is as good
    return [roads.directed, canonical(roads.nodes, roads.edges, roads.directed, marks)]


def _rounds(roads: Roads) -> list[list[tuple[int, int, int]]]:
    """Round by round, what got shorter: (node, distance, the node before it)."""
    arcs = _arcs(roads.edges, roads.directed)
    away = {roads.start: 0}
    rounds: list[list[tuple[int, int, int]]] = []
    while True:
        better: dict[int, tuple[int, int]] = {}
        for a, b, length in arcs:
            if a in away:
                known = better[b][0] if b in better else away.get(b)
                if known is None or away[a] + length < known:
                    better[b] = (away[a] + length, a)
        if not better:
            return rounds
        away |= {node: distance for node, (distance, _) in better.items()}
        rounds.append([(node, *better[node]) for node in sorted(better)])


@lru_cache(maxsize=1024)
def _least(roads: Roads) -> int | None:
    """The length of a shortest path."""
    reached = _reached(roads.nodes, roads.edges, roads.directed, roads.start)
    return reached[roads.target][0] if roads.target in reached else None


def _reached(nodes: int, edges: Edges, directed: bool, start: int) -> dict[int, tuple[int, int]]:
    """Dijkstra: each node's (distance, fewest edges at that distance), the nearest node first."""
    leading: list[list[tuple[int, int]]] = [[] for _ in range(nodes)]
    for a, b, length in _arcs(edges, directed):
        leading[a].append((b, length))
    done: dict[int, tuple[int, int]] = {}
    queue = [(0, 0, start)]
    while queue:
        away, hops, node = heappop(queue)
        if node not in done:
            done[node] = (away, hops)
            for other, length in leading[node]:
                heappush(queue, (away + length, hops + 1, other))
    return done


def _arcs(edges: Edges, directed: bool) -> list[tuple[int, int, int]]:
    there = [(a, b, length) for a, b, length in edges]
    return there if directed else there + [(b, a, length) for a, b, length in there]


LADDER = (
    Knobs(5, 2.8, 2, 9, False, "random", "edge_list"),
    Knobs(9, 3.0, 3, 20, False, "any", "any"),
    Knobs(16, 3.5, 5, 50, True, "any", "any"),
    Knobs(30, 4.0, 6, 99, False, "any", "any"),
    Knobs(60, 5.0, 8, 99, True, "any", "any"),
)
FAMILY = Family(
    Roads,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Path(between=", "),
    recheck=recheck,
    hardness=lambda roads: roads.nodes * len(roads.edges),
    solver="Bellman-Ford",
    guess_rate=0.17,
    steps=steps,
    canon=canon,
    skills=("graphs", "optimisation"),
    peers=("G1/shortest_path", "RLVE/shortest_path", "CLRS-Text/dijkstra", "KORGym/20-city_path"),
)
