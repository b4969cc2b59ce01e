"""Counting spanning trees: in how many ways can edges be chosen that join all nodes, and no ring?

`solve` takes Kirchhoff's determinant; `verify` decides about edges one by one: the trees that lack
an edge are those of the graph without it, the trees that have it those of the graph where its two
ends are one node.
"""

from collections.abc import Iterator
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _alike, _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

MOST = 1_000_000  # trees


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """A real graph lends as many of its edges as are asked for, and the knobs leave some room."""
    edges = max(
        knobs.nodes + 1, _drawing.edge_count(knobs.nodes, knobs.degree) + rng.randint(-1, 1)
    )
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    graph = _drawing.dressed(rng, knobs, sketch, sketch.pairs[:edges])
    return graph if solve(graph) <= MOST else None


def solve(graph: Graph) -> int:
    """The determinant of the degrees less the edges, without one node."""
    return list(_minors(_kirchhoff(graph)))[-1]


def verify(graph: Graph, count: int) -> float:
    return float(count == _trees(graph))


def render(graph: Graph, style: Style) -> Prompt:
    edges = len(graph.nodes) - 1
    return _wording.posed(
        graph,
        style,
        "one integer",
        "A spanning tree of a graph is a choice of some of its edges by which one can get from"
        f" every node to every other, and which form no cycle; here, {edges} edges. How many"
        " different spanning trees does this graph have?",
        f"In how many ways can you choose {edges} edges of the graph below so that they connect"
        " all its nodes? Each such choice is called a spanning tree. Two are different if one has"
        " an edge that the other has not.",
        "Edges are to be taken away from this graph, any number of them, until no cycle is left;"
        " but from each node one must still be able to get to all others. How many different sets"
        " of edges can be left over in the end? (These are the spanning trees of the graph.)",
    )


def steps(graph: Graph) -> list[str]:
    """Kirchhoff's matrix without the last node, and its leading minors: the last is the answer."""
    matrix = _kirchhoff(graph)
    lines = [
        f"row {_wording.title(graph, node)}: {' '.join(map(str, row))}"
        for node, row in zip(graph.nodes, matrix)
    ]
    minors = ", ".join(map(str, _minors(matrix)))
    return [*lines, f"determinants of the first 1, 2, ... rows and columns: {minors}"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _kirchhoff(graph: Graph) -> list[list[int]]:
    there, kept = _graph.beside(graph), graph.nodes[:-1]
    return [
        [len(there[node]) if other == node else -(other in there[node]) for other in kept]
        for node in kept
    ]


def _minors(matrix: list[list[int]]) -> Iterator[int]:
    """The leading minors, by Bareiss' elimination in integers: all are above zero, as the graph
    hangs together."""
    rows, before = [row[:] for row in matrix], 1
    for at, row in enumerate(rows):
        yield row[at]
        for other in rows[at + 1 :]:
            factor = other[at]
            for place in range(at, len(rows)):
                other[place] = (other[place] * row[at] - row[place] * factor) // before
        before = row[at]


@lru_cache(maxsize=1024)
def _trees(graph: Graph) -> int:
    """Edge by edge, the graph without it or with its two ends in one part. What matters of the
    edges taken is which nodes they join, and of these only those that have edges still to come."""
    place = {node: at for at, node in enumerate(_graph.distances(graph, graph.nodes[0]))}
    edges = sorted(sorted((place[a], place[b]), reverse=True) for a, b in graph.edges)
    last = {node: at for at, edge in enumerate(edges) for node in edge}
    found = {"".join(map(_alike.name, range(len(place)))): 1}
    for at, (a, b) in enumerate(edges):
        decided = dict(found)
        for parts, ways in found.items():
            one, other = parts[a], parts[b]
            if one != other:
                low, high = (one, other) if one < other else (other, one)
                joined = parts.replace(high, low)
                decided[joined] = decided.get(joined, 0) + ways
        found = decided
        for node in (a, b):
            if last[node] == at:
                found = _done_with(found, node)
    return sum(found.values())


def _done_with(found: dict[str, int], node: int) -> dict[str, int]:
    """No edge of the node is left: it must be in one part with a node that has some, or be the last
    of all."""
    kept = dict[str, int]()
    for parts, ways in found.items():
        rest, with_others = _alike.without(parts, node)
        if with_others or rest == _alike.GONE * len(rest):
            kept[rest] = kept.get(rest, 0) + ways
    return kept


LADDER = (
    Knobs(8, 2.6, "random", "edge_list", "numbers"),
    Knobs(11, 3.0, "any", "any", "any"),
    Knobs(11, 3.2, "any", "any", "any"),
    Knobs(12, 3.3, "any", "any", "any"),
    Knobs(13, 3.4, "any", "any", "any"),
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
    solver="Kirchhoff's determinant",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "counting"),
    peers=("RLVE/minimum_spanning_tree_counting",),
    version=2,
)
