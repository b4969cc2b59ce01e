"""The length of the k-th shortest path: all paths between two nodes, put in order of length.

`solve` finds paths one by one, the shortest first; `verify` goes all paths and sorts their lengths.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heappop, heappush
from itertools import islice
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title

TRIES = 12  # pairs of nodes looked at, of a graph


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average; of a real graph some are left out
    place: int  # of the path in the order of length, at most; two at least
    longest: int  # length of an edge, at most
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Two nodes with so many paths between them, or with the most of some pairs."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pairs = sketch.pairs[:edges]
    lengths = [rng.randint(1, knobs.longest) for _ in pairs]
    graph = _drawing.dressed(rng, knobs, sketch, pairs, lengths)
    wanted = rng.randint((knobs.place + 2) // 2, knobs.place)
    most = (0, graph)
    for _ in range(TRIES):
        graph = replace(graph, asked=tuple(rng.sample(graph.nodes, 2)))
        paths = sum(1 for _ in islice(_in_order(graph), wanted))
        most = max(most, (paths, graph), key=lambda it: it[0])
        if paths == wanted:
            break
    paths, graph = most
    graph = replace(graph, numbers=(paths,))
    # The length of one edge would be paid to whoever copies that edge.
    return graph if paths > 1 and solve(graph) not in lengths else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(graph: Graph) -> int:
    return _first(graph)[-1][0]


def verify(graph: Graph, length: int) -> float:
    return float(length == _lengths(graph)[graph.numbers[0] - 1])


def render(graph: Graph, style: Style) -> Prompt:
    start, target = (_wording.node(graph, each) for each in graph.asked)
    (place,) = graph.numbers
    return _wording.posed(
        graph,
        style,
        "one integer",
        f"List all paths from {start} to {target} that visit no node twice, in order of length,"
        " the shortest first. The length of a path is the sum of the lengths of its edges. Paths"
        " of the same length stand one after another, and each counts as one. How long is path"
        f" number {place} of the list?",
        f"Consider every path from {start} to {target} in the graph below on which no node comes"
        " twice; the lengths of its edges add up to the length of the path. If the lengths of all"
        " these paths are sorted from the least to the greatest, equal ones repeated as often as"
        f" there are paths of that length, which number stands in place {place} (the least stands"
        " in place 1)?",
        f"The shortest path from {start} to {target} has rank 1, the next shortest rank 2, and so"
        " on. Different paths of equal length have different ranks, one after another. Only paths"
        " that visit no node twice are ranked, and a path is as long as all its edges together."
        f" What is the length of the path of rank {place}?",
        number="length",
    )


def steps(graph: Graph) -> list[str]:
    return [
        f"path {place}: {' '.join(title(graph, node) for node in path)}, length {length}"
        for place, (length, path) in enumerate(_first(graph), 1)
    ]


def canon(graph: Graph) -> object:
    """The ways back are as long."""
    return _graph.canon_of_pair(graph)


def _first(graph: Graph) -> list[tuple[int, tuple[str, ...]]]:
    return list(islice(_in_order(graph), graph.numbers[0]))


def _in_order(graph: Graph) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Paths and their lengths, the shortest first.

    Of all beginnings of paths, the one that can be finished in the shortest way goes on first.
    """
    there, (start, target) = _graph.beside(graph), graph.asked
    rest = _away(graph, target)
    queue: list[tuple[int, int, tuple[str, ...]]] = [(rest[start], 0, (start,))]
    while queue:
        _, length, path = heappop(queue)
        if path[-1] == target:
            yield length, path
            continue
        for other, more in there[path[-1]].items():
            if other not in path:
                longer = length + more
                heappush(queue, (longer + rest[other], longer, (*path, other)))


def _away(graph: Graph, target: str) -> dict[str, int]:
    """The length of a shortest way from each node to one: all edges, until nothing changes."""
    away = {target: 0}
    changed = True
    while changed:
        changed = False
        for (a, b), length in zip(graph.edges, graph.weights):
            for here, there in ((a, b), (b, a)):
                if there in away and (here not in away or away[here] > away[there] + length):
                    away[here] = away[there] + length
                    changed = True
    return away


@lru_cache(maxsize=1024)
def _lengths(graph: Graph) -> list[int]:
    """The lengths of all paths, sorted."""
    there, (start, target) = _graph.beside(graph), graph.asked
    found, visited = list[int](), {start}

    def go_on(node: str, length: int) -> None:
        if node == target:
            found.append(length)
            return
        for other, more in there[node].items():
            if other not in visited:
                visited.add(other)
                go_on(other, length + more)
                visited.remove(other)

    go_on(start, 0)
    return sorted(found)


LADDER = (
    Knobs(7, 2.7, 3, 9, "random", "edge_list", "numbers"),
    Knobs(9, 3.0, 4, 20, "any", "any", "any"),
    Knobs(11, 3.2, 6, 30, "any", "any", "any"),
    Knobs(14, 3.3, 9, 50, "any", "any", "any"),
    Knobs(18, 3.3, 14, 99, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=_graph.size,
    proof="unique",
    solver="best-first search",
    guess_rate=0.1,
    version=2,
    steps=steps,
    canon=canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=True,
    skills=("graphs", "shortest paths"),
)
