"""Drawing graphs: the shapes of graph that this folder asks about.

A source lists the possible edges of a graph in the order in which it would like to have them, and
`draw` takes as many as are wanted, first those that connect the graph. A new shape is one function,
its line in SOURCES and its name in Source.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from math import isqrt
from random import Random
from typing import Literal

Source = Literal["random", "tree", "grid", "ring", "map"]
AnySource = Literal[Source, "any"]

WHOLE = 0.65  # of a shape's edges; the gaps, filled at random, keep small graphs from repeating

Pair = tuple[int, int]
Edges = tuple[tuple[int, ...], ...]  # (a, b), or (a, b, number); from a to b where directed


def _random(rng: Random, nodes: int) -> Iterator[Pair]:
    pairs = list(combinations(range(nodes), 2))
    rng.shuffle(pairs)
    yield from pairs


def _tree(rng: Random, nodes: int) -> Iterator[Pair]:
    """Every node hangs on one that came before it."""
    yield from ((rng.randrange(node), node) for node in range(1, nodes))


def _grid(rng: Random, nodes: int) -> Iterator[Pair]:
    """A nearly square grid, numbered to and fro, so that neighbouring numbers are neighbours."""
    columns = isqrt(nodes - 1) + 1
    at = {}
    for node in range(nodes):
        row, step = divmod(node, columns)
        at[row, step if row % 2 == 0 else columns - 1 - step] = node
    sides = [
        (node, at[beside])
        for (row, column), node in at.items()
        for beside in ((row, column + 1), (row + 1, column))
        if beside in at
    ]
    rng.shuffle(sides)
    yield from sides


def _ring(rng: Random, nodes: int) -> Iterator[Pair]:
    """A ring, then chords that skip a node or two."""
    for skips in ((1,), (2, 3)):
        chords = [(node, (node + skip) % nodes) for node in range(nodes) for skip in skips]
        rng.shuffle(chords)
        yield from chords


def _map(rng: Random, nodes: int) -> Iterator[Pair]:
    """Places in the plane, the nearest pairs first."""
    places = [(rng.randrange(1000), rng.randrange(1000)) for _ in range(nodes)]

    def apart(pair: Pair) -> int:
        (x, y), (u, v) = places[pair[0]], places[pair[1]]
        return (x - u) ** 2 + (y - v) ** 2

    yield from sorted(combinations(range(nodes), 2), key=apart)


SOURCES: dict[Source, Callable[[Random, int], Iterable[Pair]]] = {
    "random": _random,
    "tree": _tree,
    "grid": _grid,
    "ring": _ring,
    "map": _map,
}


def draw(
    rng: Random,
    source: AnySource,
    nodes: int,
    edges: int,
    planted: Iterable[Pair] = (),
    allowed: Callable[[int, int], bool] = lambda a, b: True,
) -> list[Pair]:
    """A connected graph's edges, those of a spanning tree first.

    There are `edges` of them, or as near as the rest lets it come: the planted edges and the tree
    are always in, and an edge that is not allowed never is.
    """
    shape = rng.choice(list(SOURCES)) if source == "any" else source
    shaped = (pair for pair in SOURCES[shape](rng, nodes) if rng.random() < WHOLE)
    planted = list(planted)
    wishes = [*planted, *shaped, *_random(rng, nodes)]
    wishes = [(min(pair), max(pair)) for pair in wishes if pair[0] != pair[1] and allowed(*pair)]
    tree = spanning(nodes, wishes)
    least = dict.fromkeys([*tree, *((min(pair), max(pair)) for pair in planted)])
    return list(dict.fromkeys([*least, *wishes]))[: max(edges, len(least))]


def spanning(nodes: int, pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs that join what was not joined before."""
    part = list(range(nodes))
    tree = []
    for a, b in pairs:
        if part[a] != part[b]:
            tree.append((a, b))
            part = [part[a] if name == part[b] else name for name in part]
            if len(tree) == nodes - 1:
                break
    return tree


def scrambled(rng: Random, nodes: int, pairs: Iterable[Pair]) -> list[Pair]:
    """The same undirected graph with its nodes renamed and its edges in any order.

    The ends of an edge are put in order: in the order drawn they would tell of the construction.
    """
    names = rng.sample(range(nodes), nodes)
    renamed = [(min(names[a], names[b]), max(names[a], names[b])) for a, b in pairs]
    rng.shuffle(renamed)
    return renamed


def edge_count(nodes: int, degree: float) -> int:
    """How many edges give this many ends to each node on average."""
    return round(nodes * degree / 2)


def neighbours(nodes: int, edges: Iterable[tuple[int, ...]]) -> list[list[int]]:
    """Each node's neighbours in an undirected graph, in order."""
    beside: list[list[int]] = [[] for _ in range(nodes)]
    for a, b, *_ in edges:
        beside[a].append(b)
        beside[b].append(a)
    return [sorted(others) for others in beside]


def distances(beside: list[list[int]], start: int) -> dict[int, int]:
    """The fewest edges from a node to each that can be reached."""
    away, queue = {start: 0}, [start]
    for node in queue:
        for other in beside[node]:
            if other not in away:
                away[other] = away[node] + 1
                queue.append(other)
    return away
