"""Where graphs come from: shapes that are drawn, graphs of the real world, and a user's own.

A shape lists the possible edges of a graph in the order in which it would like to have them. A real
graph gives a connected piece, grown from a node by neighbours of what is there, with all its edges.
A new shape or real graph is one function, and is listed below it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from math import isqrt
from random import Random
from typing import Annotated, Any, TypeAlias

from puzzlemill.core.knobs import Open
from puzzlemill.core.storage import edge_list

Pair = tuple[int, int]
Shape: TypeAlias = Callable[[Random, int], Iterable[Pair]]


def _shuffled(rng: Random, pairs: Iterable[Pair]) -> list[Pair]:
    order = list(pairs)
    rng.shuffle(order)
    return order


def _random(rng: Random, nodes: int) -> list[Pair]:
    """Erdős and Rényi's: all pairs alike."""
    return _shuffled(rng, _pairs(nodes))


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
    yield from _shuffled(rng, sides)


def _ring(rng: Random, nodes: int) -> Iterator[Pair]:
    """A ring, then chords that skip a node or two."""
    for skips in ((1,), (2, 3)):
        chords = [(node, (node + skip) % nodes) for node in range(nodes) for skip in skips]
        yield from _shuffled(rng, chords)


def _map(rng: Random, nodes: int) -> list[Pair]:
    """Places in the plane, the nearest pairs first."""
    places = [(rng.randrange(1000), rng.randrange(1000)) for _ in range(nodes)]

    apart = [(x - u) ** 2 + (y - v) ** 2 for (x, y), (u, v) in combinations(places, 2)]
    pairs = _pairs(nodes)
    return [pairs[at] for at in sorted(range(len(pairs)), key=apart.__getitem__)]


def _scale_free(rng: Random, nodes: int) -> Iterator[Pair]:
    """Barabási and Albert's: each node joins two that came before, often those with many edges."""
    ends = [0]
    for node in range(1, nodes):
        others = {rng.choice(ends) for _ in range(2)}
        yield from ((other, node) for other in sorted(others))
        ends += [*sorted(others), *[node] * len(others)]


def _small_world(rng: Random, nodes: int) -> Iterator[Pair]:
    """Watts and Strogatz's: a ring of near neighbours, and one edge in six led elsewhere."""
    for skip in (1, 2):
        for node in range(nodes):
            other = rng.randrange(nodes) if rng.random() < 1 / 6 else (node + skip) % nodes
            yield node, other


def _blocks(rng: Random, nodes: int) -> Iterator[Pair]:
    """A stochastic block model: three groups, one edge in seven between two of them."""
    group = [node % 3 for node in range(nodes)]
    pairs = _pairs(nodes)
    within = _shuffled(rng, [pair for pair in pairs if group[pair[0]] == group[pair[1]]])
    between = _shuffled(rng, [pair for pair in pairs if group[pair[0]] != group[pair[1]]])
    while within or between:
        chosen = between if between and (not within or rng.random() < 1 / 7) else within
        yield chosen.pop()


def _planar(rng: Random, nodes: int) -> Iterator[Pair]:
    """Triangles of a disc: each node is joined to the corners of the triangle it is put into."""
    triangles = [(0, 1, 2)]
    found = [(0, 1), (1, 2), (0, 2)]
    for node in range(3, nodes):
        a, b, c = triangles.pop(rng.randrange(len(triangles)))
        triangles += [(a, b, node), (b, c, node), (a, c, node)]
        found += [(a, node), (b, node), (c, node)]
    yield from (pair for pair in _shuffled(rng, found) if max(pair) < nodes)


def _bipartite(rng: Random, nodes: int) -> Iterator[Pair]:
    """Edges between the even and the odd nodes only."""
    yield from (pair for pair in _random(rng, nodes) if (pair[0] + pair[1]) % 2)


SHAPES: dict[str, Shape] = {
    "random": _random,
    "tree": _tree,
    "grid": _grid,
    "ring": _ring,
    "map": _map,
    "scale_free": _scale_free,
    "small_world": _small_world,
    "blocks": _blocks,
    "planar": _planar,
    "bipartite": _bipartite,
}
STRICT = frozenset({"planar", "bipartite"})  # which no other edge is added to
REAL = {
    "karate": "karate_club_graph",  # Zachary's karate club: 34 members
    "florentine": "florentine_families_graph",  # marriages of 15 families of the Renaissance
    "davis": "davis_southern_women_graph",  # 18 women and the 14 events that they went to
    "les_miserables": "les_miserables_graph",  # 77 persons of the novel who meet
}


@cache
def _pairs(nodes: int) -> tuple[Pair, ...]:
    return tuple(combinations(range(nodes), 2))


def _read(source: str) -> str:
    """A user's own graph: the path of its edge list, and a digest that tells when it changes."""
    return edge_list.sealed(source, (*SHAPES, *REAL, "any", "real"))


# Where its edges come from: "any" is one of the shapes, "real" one of the real graphs, and a path a
# file of edges.
Source: TypeAlias = Annotated[str, Open(("any", "real", *SHAPES, *REAL), _read)]


def chosen(rng: Random, source: str, nodes: int) -> str:
    """One source: where it may be any, one of those that can be."""
    if source == "any":
        return rng.choice(list(SHAPES))
    if source == "real":
        room = {name: _room(name) for name in REAL}
        return rng.choice([name for name in REAL if room[name] >= min(nodes, max(room.values()))])
    return source


def piece(rng: Random, source: str, nodes: int) -> tuple[int, list[Pair]]:
    """A connected piece of a real graph, how many nodes and which edges.

    It has the nodes that are wanted, or as many as there is room for.
    """
    links = _links(source)
    nodes = min(nodes, _room(source))
    places = {(start := rng.randrange(len(links))): 0}
    border = set(links[start])
    while border and len(places) < nodes:
        node = rng.choice(sorted(border))
        places[node] = len(places)
        border = (border | links[node]) - places.keys()
    pairs = [
        (places[node], places[other])
        for node in places
        for other in sorted(links[node])
        if node < other and other in places
    ]
    return len(places), pairs


def _room(source: str) -> int:
    """How many nodes a piece may have, so that there are many different ones."""
    return len(_links(source)) * 3 // 4


@cache
def _links(source: str) -> Sequence[frozenset[int]]:
    """The neighbours of each node of a real graph's largest connected part."""
    import networkx

    graph: Any = networkx.Graph()
    if source in REAL:
        graph.add_edges_from(getattr(networkx, REAL[source])().edges)
    else:
        graph.add_edges_from(edge_list.edges(source))
    largest = max(networkx.connected_components(graph), key=len)
    order = {node: place for place, node in enumerate(sorted(largest, key=str))}
    return [frozenset(order[other] for other in graph[node] if other != node) for node in order]
