"""Edge cover: fewest edges that together touch every node.

Many covers may be as small, so `verify` looks at what the answer touches and counts its edges. By
Gallai's theorem the fewest edges of a cover and the most of a matching add up to the nodes, and it
finds the latter node by node.
"""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _matching, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

Edge = tuple[str, str]


def generate(rng: Random, knobs: Knobs) -> Graph:
    return _drawing.drawn(rng, knobs)


def solve(graph: Graph) -> tuple[Edge, ...]:
    """By networkx: a largest matching, and an edge for each node that it leaves out."""
    import networkx

    edges = networkx.min_edge_cover(_graph.in_networkx(graph))
    return in_order({in_order(edge) for edge in edges})


def verify(graph: Graph, edges: tuple[Edge, ...]) -> float:
    joined = {frozenset(edge) for edge in graph.edges}
    if any(frozenset(edge) not in joined for edge in edges):
        return 0.0
    if {node for edge in edges for node in edge} != set(graph.nodes):
        return 0.0
    fewest = len(graph.nodes) - _matching.greatest(graph)
    return float(len({frozenset(edge) for edge in edges}) == fewest)


def recheck(graph: Graph, edges: tuple[Edge, ...]) -> bool:
    """By networkx: a cover of that graph, with as many edges as the one that `solve` found."""
    import networkx

    known = _graph.in_networkx(graph)
    if not all(known.has_edge(*edge) for edge in edges):
        return False
    fewest = len(solve(graph))
    return bool(networkx.is_edge_cover(known, set(edges)) and len(edges) == fewest)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the edges of the cover, each written (a, b), separated by commas",
        "An edge cover is a set of edges such that every node is an end of at least one of them."
        " Find an edge cover with as few edges as possible; if several are equally small, any one"
        " will do.",
        "Choose edges of the graph below so that each of its nodes is touched by at least one"
        " chosen edge, and choose as few as possible. Any one of the smallest choices will do.",
        "Which edges make a minimum edge cover: a smallest set of edges that has every node of the"
        " graph at an end of one of its edges? If there are several, give any one.",
    )


def steps(graph: Graph) -> list[str]:
    """Edges of the cover that share no node with one before, then those for the nodes left."""
    pairs, rest, met = list[Edge](), list[Edge](), set[str]()
    for edge in solve(graph):
        (rest if met & {*edge} else pairs).append(edge)
        met |= {*edge}
    lines = [f"two new nodes each: {_named(graph, pairs)}"]
    lines += [f"one new node each: {_named(graph, rest)}"] if rest else []
    return [*lines, f"{len(pairs)} + {len(rest)} = {len(pairs) + len(rest)} edges"]


def _named(graph: Graph, edges: list[Edge]) -> str:
    return ", ".join("-".join(_wording.title(graph, node) for node in edge) for edge in edges)


LADDER = (
    Knobs(8, 2.4, "random", "edge_list", "numbers"),
    Knobs(12, 2.3, "any", "any", "any"),
    Knobs(18, 2.4, "any", "any", "any"),
    Knobs(26, 2.5, "any", "any", "any"),
    Knobs(38, 2.6, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Edges(nodes="nodes"),
    recheck=recheck,
    hardness=_graph.size,
    solver="networkx",
    guess_rate=0.03,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=("G1/min_edge_covering",),
    version=3,
)
