"""Widest path: from one node to another so that the narrowest of its edges is as wide as can be.

Several paths may be equally wide, so `verify` looks at the answer's edges and compares the
narrowest with the best there is, which it finds by taking edges, the widest first, until they join
the two nodes.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heappop, heappush
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average; a real graph has as many as it has
    hops: int  # edges of a widest path, where the graph asks for so many
    widest: int  # width of an edge, at most
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Of some pairs of nodes the one whose widest path needs the most edges, up to the wish."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    widths = [rng.randint(1, knobs.widest) for _ in sketch.pairs]
    graph = _drawing.dressed(rng, knobs, sketch, sketch.pairs, widths)
    pairs = [tuple(rng.sample(graph.nodes, 2)) for _ in range(12)]
    return max(
        (replace(graph, asked=pair) for pair in pairs),
        key=lambda it: min(_fewest(it), knobs.hops),
    )


def solve(graph: Graph) -> tuple[str, ...]:
    """Dijkstra's method, where the narrowest edge stands for the length."""
    return _found(graph)[-1][1]


def verify(graph: Graph, path: tuple[str, ...]) -> float:
    if not path or (path[0], path[-1]) != graph.asked or len(set(path)) < len(path):
        return 0.0
    there, best = _graph.beside(graph), _best(graph)
    return float(all(there.get(a, {}).get(b, 0) >= best for a, b in pairwise(path)))


def recheck(graph: Graph, path: tuple[str, ...]) -> bool:
    """By networkx: a path of that graph, as wide as the path in a greatest spanning tree."""
    import networkx

    known, (start, target) = _graph.in_networkx(graph), graph.asked
    if not path or (path[0], path[-1]) != (start, target) or not set(path) <= set(known):
        return False
    if not networkx.is_simple_path(known, path):
        return False
    tree = networkx.maximum_spanning_tree(known)
    along = networkx.shortest_path(tree, start, target)
    width, best = (min(known[a][b]["weight"] for a, b in pairwise(it)) for it in (path, along))
    return bool(width == best)


def render(graph: Graph, style: Style) -> Prompt:
    start, target = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        f"the nodes of the path in order, from {title(graph, graph.asked[0])} to"
        f" {title(graph, graph.asked[1])}, separated by commas",
        f"Find a widest path from {start} to {target}. A path visits no node twice, and is as wide"
        " as the narrowest of its edges. If several paths are equally wide, any of them will do.",
        f"A load is to go from {start} to {target} along the edges of the graph below, and it can"
        " use an edge only if the edge is at least as wide as the load. Which path, visiting no"
        " node twice, lets the widest load through? Any one such path will do.",
        f"For a path from {start} to {target} that visits no node twice, take the least width of"
        " all its edges. Give a path for which this least width is as great as possible; any one"
        " if there are several.",
        number="width",
    )


def steps(graph: Graph) -> list[str]:
    """The nodes as they are reached, and how wide the way to each is."""
    return [
        f"width {width}: {' '.join(title(graph, node) for node in path)}"
        for width, path in _found(graph)
    ]


def canon(graph: Graph) -> object:
    """The way back is as good."""
    return _graph.canon_of_pair(graph)


def _found(graph: Graph) -> list[tuple[int, tuple[str, ...]]]:
    """A widest path to each node, the widest first, until the target is reached."""
    there, (start, target) = _graph.beside(graph), graph.asked
    found, done = list[tuple[int, tuple[str, ...]]](), {start}
    queue: list[tuple[int, int, tuple[str, ...]]] = []
    width = max(graph.weights)
    path: tuple[str, ...] = (start,)
    while path[-1] != target:
        for other, more in there[path[-1]].items():
            if other not in done:
                heappush(queue, (-min(width, more), len(path), (*path, other)))
        while queue[0][2][-1] in done:
            heappop(queue)
        narrow, _, path = heappop(queue)
        width = -narrow
        done.add(path[-1])
        found.append((width, path))
    return found


@lru_cache(maxsize=1024)
def _best(graph: Graph) -> int:
    """The width of the edge that first joins the two nodes, when the widest edges come first."""
    part = {node: {node} for node in graph.nodes}
    start, target = graph.asked
    weighed = [(width, *edge) for edge, width in zip(graph.edges, graph.weights)]
    for width, a, b in sorted(weighed, reverse=True):
        if part[a] is not part[b]:
            part[a] |= part[b]
            for node in part[b]:
                part[node] = part[a]
            if part[start] is part[target]:
                return width
    raise AssertionError("no edges join the two nodes")


def _fewest(graph: Graph) -> int:
    """How many edges a widest path has at least."""
    best, weighed = _best(graph), zip(graph.edges, graph.weights)
    wide = replace(graph, edges=tuple(edge for edge, width in weighed if width >= best), weights=())
    start, target = graph.asked
    return _graph.distances(wide, start)[target]


LADDER = (
    Knobs(8, 3.0, 3, 15, "random", "edge_list", "numbers"),
    Knobs(12, 3.2, 4, 30, "any", "any", "any"),
    Knobs(20, 3.5, 5, 60, "any", "any", "any"),
    Knobs(32, 3.8, 7, 99, "any", "any", "any"),
    Knobs(52, 4.2, 10, 99, "any", "any", "any"),
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
    solver="Dijkstra",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=True,
    skills=("graphs", "optimisation"),
    version=2,
)
