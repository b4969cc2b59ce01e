"""Trails that use every edge of a graph once: making graphs that have one, and finding one."""

from collections.abc import Sequence
from random import Random

from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair


def evened(rng: Random, pairs: Sequence[Pair], part: Sequence[int]) -> list[Pair]:
    """The pairs and a few more, so that every node is in an even number of them. They join nodes of
    the same part only, as the first ones do.

    Two odd nodes are joined, or where that is done already, both to a third. An odd node that is
    joined to all others loses one of them.
    """
    kept = dict.fromkeys(pairs)
    while odd := _odd(kept):
        one = odd.pop(rng.randrange(len(odd)))
        others = [node for node in odd if part[node] == part[one]]
        free = [node for node in others if _pair(one, node) not in kept]
        two = rng.choice(free or others)
        thirds = [
            node
            for node in range(len(part))
            if part[node] == part[one] and not {_pair(one, node), _pair(two, node)} & kept.keys()
        ]
        if free:
            kept[_pair(one, two)] = None
        elif set(thirds) - {one, two}:
            third = rng.choice([node for node in thirds if node not in (one, two)])
            kept |= dict.fromkeys((_pair(one, third), _pair(two, third)))
        else:
            del kept[_pair(one, two)]
    return list(kept)


def trail(graph: Graph, start: str) -> list[str]:
    """Hierholzer's: walk on until there is no unused edge at a node, then go back to the last node
    with one and walk a loop from there."""
    edges: dict[str, list[tuple[int, str]]] = {node: [] for node in graph.nodes}
    for number, (a, b) in enumerate(graph.edges):
        edges[a].append((number, b))
        if not graph.directed:
            edges[b].append((number, a))
    used: set[int] = set()
    open_walk, done = [start], []
    while open_walk:
        left = edges[open_walk[-1]]
        while left and left[-1][0] in used:
            left.pop()
        if left:
            number, node = left.pop()
            used.add(number)
            open_walk.append(node)
        else:
            done.append(open_walk.pop())
    return done[::-1]


def _odd(pairs: dict[Pair, None]) -> list[int]:
    odd: set[int] = set()
    for a, b in pairs:
        odd ^= {a}
        odd ^= {b}
    return sorted(odd)


def _pair(a: int, b: int) -> Pair:
    return min(a, b), max(a, b)
