"""Graphs of several parts: parts that no edge joins, and parts that no way leads back to."""

from collections.abc import Sequence
from random import Random

from puzzlemill.generators.graphs import _drawing, _graph
from puzzlemill.generators.graphs._drawing import Sketch, Wishes
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair


def scattered(rng: Random, knobs: Wishes, parts: int) -> Sketch:
    """A graph of so many parts. From a source that cannot do without the edges between them there
    may come a few more."""
    part = cut(rng, knobs.nodes, parts)
    return _drawing.sketched(
        rng,
        knobs.source,
        knobs.nodes,
        _drawing.edge_count(knobs.nodes, knobs.degree),
        allowed=lambda a, b: part[a] == part[b],
    )


def number(rng: Random, nodes: int) -> int:
    """Of parts: from one to many."""
    return rng.randint(1, min(nodes // 3 + 1, 12))


def cut(rng: Random, nodes: int, parts: int) -> list[int]:
    """The part of each node. Parts are runs of nodes, as neighbours have near numbers."""
    starts = set(rng.sample(range(1, nodes), parts - 1))
    part = [0]
    for node in range(1, nodes):
        part.append(part[-1] + (node in starts))
    return part


def wound(rng: Random, sketch: Sketch, part: Sequence[int]) -> list[Pair]:
    """Directions by which one can go round in each part as far as its edges allow, and never back
    from one part to another. Some edges that lie on no ring go both ways."""
    rank = rng.sample(range(max(part) + 1), max(part) + 1)
    inner = [pair for pair in sketch.pairs if part[pair[0]] == part[pair[1]]]
    outer = [(a, b) for a, b in sketch.pairs if part[a] != part[b]]
    found = [(a, b) if rank[part[a]] > rank[part[b]] else (b, a) for a, b in outer]
    for here, there, kept in _searched(sketch.nodes, inner):
        found.append((here, there))
        if kept and rng.random() < 0.25:
            found.append((there, here))
    return found


def merged(graph: Graph) -> list[list[str]]:
    """The parts of a graph, whatever the direction of its edges: each edge makes one of two."""
    part = {node: [node] for node in graph.nodes}
    for a, b in graph.edges:
        if part[a] is not part[b]:
            part[a] += part[b]
            for node in part[b]:
                part[node] = part[a]
    return list({id(nodes): nodes for nodes in part.values()}.values())


def mutual(graph: Graph) -> list[set[str]]:
    """The nodes that can be reached from one another, by what can be reached from each node."""
    reached = {node: _graph.distances(graph, node).keys() for node in graph.nodes}
    left, found = set(graph.nodes), []
    for node in graph.nodes:
        if node in left:
            found.append({other for other in reached[node] if node in reached[other]})
            left -= found[-1]
    return found


def _searched(nodes: int, pairs: Sequence[Pair]) -> list[tuple[int, int, bool]]:
    """A depth-first search: each edge in the direction away from the start if it first led to a
    node, and else back; and whether it led to one."""
    beside: list[list[int]] = [[] for _ in range(nodes)]
    for a, b in pairs:
        beside[a].append(b)
        beside[b].append(a)
    found: list[tuple[int, int, bool]] = []
    done: set[frozenset[int]] = set()
    seen: set[int] = set()
    for start in range(nodes):
        stack = [] if start in seen else [start]
        seen.add(start)
        while stack:
            here = stack[-1]
            other = next((it for it in beside[here] if frozenset((here, it)) not in done), None)
            if other is None:
                stack.pop()
                continue
            done.add(frozenset((here, other)))
            found.append((here, other, other not in seen))
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return found
