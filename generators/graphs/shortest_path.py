"""Shortest path: the way from one node to another whose edges have the least total length.

Several paths may be equally short, so `verify` walks the answer's edges and compares its length
with the least there is, which it finds by Dijkstra's method.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heappop, heappush
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.partial.ways import path_begun
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average
    hops: int  # edges of the shortest path, where the graph has one that long
    longest: int  # length of an edge, at most
    directed: bool  # whether edges have a direction
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pairs = _drawing.arcs(rng, sketch.pairs, both=0) if knobs.directed else sketch.pairs
    lengths = [rng.randint(1, knobs.longest) for _ in pairs]
    graph = _drawing.dressed(rng, knobs, sketch, pairs, lengths, knobs.directed)
    farthest = (0, "", "")  # edges, start, target
    for start in rng.sample(graph.nodes, len(graph.nodes)):
        reached = _reached(graph, start)
        ends = [(min(hops, knobs.hops), rng.random(), node) for node, (_, hops) in reached.items()]
        hops, _, target = max(ends)
        farthest = max(farthest, (hops, start, target))
        if hops == knobs.hops:
            break
    hops, *asked = farthest
    return replace(graph, asked=tuple(asked)) if hops > 1 else None


def solve(graph: Graph) -> tuple[str, ...] | None:
    """Bellman-Ford: relax all edges, round after round, until nothing gets shorter."""
    before = {node: came for found in _rounds(graph) for node, _, came in found}
    start, target = graph.asked
    path = [target]
    while path[-1] != start:
        if path[-1] not in before:
            return None
        path.append(before[path[-1]])
    return tuple(reversed(path))


def verify(graph: Graph, path: tuple[str, ...]) -> float:
    if not path or (path[0], path[-1]) != graph.asked:
        return 0.0
    there, length = _graph.beside(graph), 0
    for here, beyond in pairwise(path):
        if beyond not in there.get(here, {}):
            return 0.0
        length += there[here][beyond]
    return float(length == _least(graph))


def recheck(graph: Graph, path: tuple[str, ...]) -> bool:
    """By networkx: a path of that graph, as long as Dijkstra's."""
    import networkx

    known, (start, target) = _graph.in_networkx(graph), graph.asked
    if not path or (path[0], path[-1]) != (start, target):
        return False
    if not set(path) <= set(known) or not networkx.is_path(known, path):
        return False
    least = networkx.dijkstra_path_length(known, start, target)
    return bool(networkx.path_weight(known, path, "weight") == least)


def render(graph: Graph, style: Style) -> Prompt:
    start, target = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        f"the nodes of the path in order, from {title(graph, graph.asked[0])} to"
        f" {title(graph, graph.asked[1])}, separated by commas",
        f"Find a shortest path from {start} to {target}: a path whose edges have the least total"
        " length. If several are equally short, any of them will do.",
        f"Go from {start} to {target} of the graph below by a path of the least total length, which"
        " is the sum of the lengths of its edges. Any one such path will do.",
        f"The length of a path is the sum of the lengths of its edges. Which path from {start} to"
        f" {target} is the shortest? If several are, give any one.",
        number="length",
    )


def steps(graph: Graph) -> list[str]:
    """What each round of Bellman-Ford makes shorter: each node, its distance, where from."""
    name = {node: title(graph, node) for node in graph.nodes}
    lines = [
        f"round {count}: "
        + ", ".join(f"{name[node]} at {away} from {name[came]}" for node, away, came in found)
        for count, found in enumerate(_rounds(graph), 1)
    ]
    path = solve(graph)
    return lines if path is None else [*lines, "back: " + " ".join(name[it] for it in path[::-1])]


def progress(graph: Graph, lines: Lines) -> float:
    return max(
        results_derived(FAMILY, graph, lines, ":", bags=True),
        path_begun(FAMILY, graph, lines, _covered),
    )


def _covered(graph: Graph, path: Sequence[str]) -> float | None:
    """The share of the least length that the beginning of a shortest path has."""
    start, target = graph.asked
    there, least = _graph.beside(graph), _least(graph)
    if path[0] != start or any(b not in there.get(a, {}) for a, b in pairwise(path)):
        return None
    length = sum(there[a][b] for a, b in pairwise(path))
    left = _reached(graph, path[-1]).get(target)
    return length / least if least and left and length + left[0] == least else None


def canon(graph: Graph) -> object:
    """In an undirected graph the way back is as good."""
    return _graph.canon(graph) if graph.directed else _graph.canon_of_pair(graph)


def _rounds(graph: Graph) -> list[list[tuple[str, int, str]]]:
    """Round by round, what got shorter: (node, distance, the node before it)."""
    start, _ = graph.asked
    arcs = [*zip(graph.edges, graph.weights)]
    if not graph.directed:
        arcs += [((b, a), length) for (a, b), length in arcs]
    away = {start: 0}
    rounds: list[list[tuple[str, int, str]]] = []
    while True:
        better: dict[str, tuple[int, str]] = {}
        for (a, b), length in arcs:
            if a in away:
                known = better[b][0] if b in better else away.get(b)
                if known is None or away[a] + length < known:
                    better[b] = (away[a] + length, a)
        if not better:
            return rounds
        away |= {node: distance for node, (distance, _) in better.items()}
        rounds.append([(node, *better[node]) for node in graph.nodes if node in better])


@lru_cache(maxsize=1024)
def _least(graph: Graph) -> int | None:
    """The length of a shortest path."""
    start, target = graph.asked
    return _reached(graph, start).get(target, (None, 0))[0]


def _reached(graph: Graph, start: str) -> dict[str, tuple[int, int]]:
    """Dijkstra: each node's (distance, fewest edges at that distance), the nearest node first."""
    there = _graph.beside(graph)
    done: dict[str, tuple[int, int]] = {}
    queue = [(0, 0, start)]
    while queue:
        away, hops, node = heappop(queue)
        if node not in done:
            done[node] = (away, hops)
            for other, length in there[node].items():
                heappush(queue, (away + length, hops + 1, other))
    return done


LADDER = (
    Knobs(7, 2.8, 2, 9, False, "random", "edge_list", "numbers"),
    Knobs(9, 3.0, 3, 20, False, "any", "any", "any"),
    Knobs(16, 3.5, 5, 50, True, "any", "any", "any"),
    Knobs(30, 4.0, 6, 99, False, "any", "any", "any"),
    Knobs(60, 5.0, 8, 99, True, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Path(nodes="nodes", between=", "),
    recheck=recheck,
    hardness=_graph.size,
    solver="Bellman-Ford",
    guess_rate=0.17,
    steps=steps,
    progress=progress,
    canon=canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=(
        "G1/shortest_path",
        "G1/weighted_shortest_path",
        "RLVE/shortest_path",
        "CLRS-Text/dijkstra",
        "KORGym/20-city_path",
    ),
    version=3,
)
