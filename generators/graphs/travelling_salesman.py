"""Travelling salesman: the shortest round trip through all cities, any two of them being joined.

Several tours may be equally short, and one may begin anywhere and run either way, so `verify` adds
up the answer's lengths and looks for a shorter tour by branching from city to city, bounded by
spanning trees. The answer may name its first city again at the end.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, pairwise
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _hamilton, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title

ROUNDS = 25  # of changing tolls, see _tolled
DEGREE = 3.0  # of the network that the lengths are taken from


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # cities
    longest: int  # length of a road in the network that the lengths are taken from, at most
    source: Source  # of that network
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Each length is that of the shortest way through a network, and some detour."""
    edges = _drawing.edge_count(knobs.nodes, DEGREE)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    nodes = range(sketch.nodes)
    away = [[0 if a == b else knobs.longest * sketch.nodes for a in nodes] for b in nodes]
    for a, b in sketch.pairs:
        away[a][b] = away[b][a] = rng.randint(1, knobs.longest)
    for middle in nodes:
        onward = away[middle]
        for a in nodes:
            here = away[a][middle]
            away[a] = [min(far, here + more) for far, more in zip(away[a], onward)]
    pairs = list(combinations(nodes, 2))
    lengths = [away[a][b] + rng.randint(0, knobs.longest // 2) for a, b in pairs]
    return _drawing.dressed(rng, knobs, sketch, pairs, lengths)


def solve(graph: Graph) -> tuple[str, ...]:
    """Held and Karp: for each set of cities and each of them, the shortest way through the set that
    ends there. The first city is the start, and in no set."""
    import numpy

    lengths = _matrix(graph)
    others = len(graph.nodes) - 1
    length = numpy.array(lengths)[1:, 1:]
    least = numpy.full((1 << others, others), sum(map(sum, lengths)), dtype=numpy.int64)
    for city in range(others):
        least[1 << city, city] = lengths[0][city + 1]
    for without, city in _stages(others):
        least[without | 1 << city, city] = (least[without] + length[city]).min(axis=1)
    tour, left, row = [], (1 << others) - 1, numpy.array(lengths[0][1:])
    while left:  # back from the start
        ends = [(int(least[left, it] + row[it]), it) for it in range(others) if left >> it & 1]
        city = min(ends)[1]
        tour.append(city)
        left, row = left & ~(1 << city), length[city]
    return (graph.nodes[0], *(graph.nodes[city + 1] for city in reversed(tour)))


@lru_cache(maxsize=4)
def _stages(cities: int) -> list[tuple[Any, Any]]:
    """Sets of so many cities, the smallest first, and cities to go on to that are not in them."""
    import numpy

    sets, stages = numpy.arange(1 << cities), []
    size = sum((sets >> city) & 1 for city in range(cities))
    for count in range(1, cities):
        at, city = numpy.nonzero((sets[size == count, None] >> numpy.arange(cities)) & 1 == 0)
        stages.append((sets[size == count][at], city))
    return stages


def verify(graph: Graph, tour: tuple[str, ...]) -> float:
    tour = _hamilton.opened(tour)
    if in_order(tour) != in_order(graph.nodes):
        return 0.0
    there = _graph.beside(graph)
    return float(not _shorter(graph, sum(there[a][b] for a, b in _legs(tour))))


def recheck(graph: Graph, tour: tuple[str, ...]) -> bool:
    """By networkx: a ring of all cities, and as long as that of `solve`."""
    import networkx

    known = _graph.in_networkx(graph)
    closed = tour if len(tour) == len(known) + 1 else (*tour, *tour[:1])
    if set(closed) != set(known) or len(closed) != len(known) + 1 or closed[0] != closed[-1]:
        return False
    best = solve(graph)
    lengths = [networkx.path_weight(known, it, "weight") for it in (closed, (*best, best[0]))]
    return bool(lengths[0] == lengths[1])


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the nodes in the order of the tour, each of them once, separated by commas",
        "Find a shortest round trip that visits every node exactly once and then returns to where"
        " it began. Its length is the sum of the lengths of its edges, the one back to the first"
        " node included. It may begin at any node; if several trips are equally short, give any.",
        "Solve the travelling salesman problem for the graph below: put all its nodes into an order"
        " so that the sum of the lengths from each node to the next, and from the last back to the"
        " first, is as small as it can be. Any one such order will do.",
        "A tour is an order of all nodes, each of them once; its length is the sum of the lengths"
        " of the edges from each node to the next and of the edge from the last to the first. Which"
        " tour is the shortest? If several are, give any one.",
        number="length",
    )


def steps(graph: Graph) -> list[str]:
    """A trip that always goes on to the nearest city, and the best one for comparison."""
    near, there = [graph.nodes[0]], _graph.beside(graph)
    while len(near) < len(graph.nodes):
        away = there[near[-1]]
        near.append(min((it for it in graph.nodes if it not in near), key=away.__getitem__))
    return [
        f"always to the nearest: {_told(graph, near)}",
        f"least of all: {_told(graph, solve(graph))}",
    ]


def _told(graph: Graph, tour: Iterable[str]) -> str:
    """A tour and its lengths."""
    tour, there = tuple(tour), _graph.beside(graph)
    lengths = [there[a][b] for a, b in _legs(tour)]
    way = " ".join(title(graph, node) for node in (*tour, tour[0]))
    return f"{way}: {' + '.join(map(str, lengths))} = {sum(lengths)}"


def _legs(tour: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    return pairwise((*tour, tour[0]))


def _matrix(graph: Graph) -> list[list[int]]:
    there = _graph.beside(graph)
    return [[there[a].get(b, 0) for b in graph.nodes] for a in graph.nodes]


@lru_cache(maxsize=1024)
def _shorter(graph: Graph, than: int) -> bool:
    """Whether a tour is shorter than so much.

    From the first city on, the nearest next one first. What is left takes at least the edges of a
    least spanning tree of it and one edge into it and one out of it, to the first city. Tolls, paid
    at both ends of an edge, make all tours longer by the same and such trees more like tours.
    """
    length, tolls, least = _tolled(_matrix(graph), than)
    if least >= than:
        return False
    limit = than + 2 * tolls
    trees: dict[frozenset[int], int] = {}
    shortest: dict[tuple[int, frozenset[int]], int] = {}

    def leads_home(here: int, left: frozenset[int], gone: int) -> bool:
        if not left:
            return gone + length[here][0] < limit
        if shortest.get((here, left), gone + 1) <= gone:
            return False
        shortest[here, left] = gone
        if left not in trees:
            back = min(length[city][0] for city in left)
            trees[left] = back + sum(length[a][b] for a, b in _tree(length, left))
        row = length[here]
        return gone + trees[left] + min(row[city] for city in left) < limit and any(
            leads_home(city, left - {city}, gone + row[city])
            for city in sorted(left, key=row.__getitem__)
        )

    return leads_home(0, frozenset(range(1, len(length))), 0)


def _tolled(length: list[list[int]], than: int) -> tuple[list[list[int]], int, int]:
    """The lengths with a toll at each city, the sum of the tolls, and a bound without tolls that no
    tour is below: a least spanning tree of the other cities, and two edges to the first.

    Where these are one edge at a city, it becomes cheaper, and with three or more dearer. The bound
    often shows that no tour is shorter than so much.
    """
    cities = range(len(length))
    toll = [0] * len(cities)
    step = max(map(max, length)) // 4
    for _ in range(ROUNDS):
        dear = _dearer(length, toll)
        edges = _tree(dear, frozenset(cities[1:]))
        edges += [(0, city) for city in sorted(cities[1:], key=dear[0].__getitem__)[:2]]
        least = sum(dear[a][b] for a, b in edges) - 2 * sum(toll)
        if least >= than:
            break
        ends = Counter(chain.from_iterable(edges))
        if set(ends.values()) == {2}:  # the tree is a tour
            break
        for city in cities:
            toll[city] += step * (ends[city] - 2) // 2
        step = max(step * 7 // 8, 2)
    return _dearer(length, toll), sum(toll), least


def _dearer(length: list[list[int]], toll: list[int]) -> list[list[int]]:
    return [
        [far + here + there for far, there in zip(row, toll)] for row, here in zip(length, toll)
    ]


def _tree(length: list[list[int]], cities: frozenset[int]) -> list[tuple[int, int]]:
    """A least spanning tree: the nearest city is added again and again."""
    city, *left = cities
    near, nearest = dict(zip(left, map(length[city].__getitem__, left))), dict.fromkeys(left, city)
    edges = []
    while near:
        city = min(near, key=near.__getitem__)
        del near[city]
        edges.append((city, nearest[city]))
        row = length[city]
        for other, link in near.items():
            if row[other] < link:
                near[other], nearest[other] = row[other], city
    return edges


LADDER = (
    Knobs(7, 20, "random", "adjacency_matrix", "numbers"),
    Knobs(8, 30, "any", "any", "any"),
    Knobs(9, 50, "any", "any", "any"),
    Knobs(10, 70, "any", "any", "any"),
    Knobs(12, 99, "any", "any", "any"),
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
    solver="dynamic programming over sets of cities (Held and Karp)",
    guess_rate=0.03,
    steps=steps,
    canon=_graph.canon,
    known=_graph.known,
    redraws=True,
    skills=("graphs", "optimisation"),
    peers=("G1/traveling_salesman_problem",),
    version=2,
)
