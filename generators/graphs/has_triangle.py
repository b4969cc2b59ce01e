"""Triangle test: are there three nodes of which any two are joined by an edge?

A graph with a triangle and one without have as many edges, and it is one edge that makes the
difference. `solve` asks networkx; `verify` looks at all sets of three nodes.
"""

from itertools import combinations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Edges that close no triangle, and one more: it closes one, or does not."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    there: list[set[int]] = [set() for _ in range(sketch.nodes)]
    pairs: list[Pair] = []

    def put(a: int, b: int) -> None:
        pairs.append((a, b))
        there[a].add(b)
        there[b].add(a)

    drawn = [*sketch.pairs]
    rest = list(combinations(range(sketch.nodes), 2))
    rng.shuffle(rest)
    for a, b in [*drawn, *rest]:
        if len(pairs) < len(drawn) - 1 and b not in there[a] and not there[a] & there[b]:
            put(a, b)
    wanted = rng.random() < 0.5
    for a, b in rest:
        if b not in there[a] and bool(there[a] & there[b]) == wanted:
            put(a, b)
            return _drawing.dressed(rng, knobs, sketch, pairs)
    return None


def solve(graph: Graph) -> bool:
    """By networkx."""
    import networkx

    return any(networkx.triangles(_graph.in_networkx(graph)).values())


def verify(graph: Graph, triangle: bool) -> float:
    joined = {*graph.edges, *(edge[::-1] for edge in graph.edges)}
    found = any(
        (a, b) in joined and (b, c) in joined and (a, c) in joined
        for a, b, c in combinations(graph.nodes, 3)
    )
    return float(triangle == found)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "yes or no",
        "Does the graph have a triangle, that is, three nodes of which any two are joined by an"
        " edge?",
        "Are there two nodes in the graph below that have an edge between them and a neighbour in"
        " common?",
        "Three nodes that are all joined to one another form a triangle. Say whether this graph"
        " contains a triangle.",
    )


def steps(graph: Graph) -> list[str]:
    """For each edge, what its ends have in common, up to the first triangle."""
    there = _graph.beside(graph)
    lines = []
    for a, b in graph.edges:
        both = [node for node in graph.nodes if node in there[a] and node in there[b]]
        ends = f"{_wording.title(graph, a)}-{_wording.title(graph, b)}"
        lines.append(f"{ends}: in common {_wording.listed(graph, both) or 'nothing'}")
        if both:
            break
    return lines


LADDER = (
    Knobs(8, 2.6, "random", "edge_list", "numbers"),
    Knobs(12, 3.0, "any", "any", "any"),
    Knobs(18, 3.4, "any", "any", "any"),
    Knobs(26, 3.8, "any", "any", "any"),
    Knobs(36, 4.4, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.YesNo(),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.5,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/triangle_detection",),
    theme="triangles_at_nodes",
)
