"""Vertex cover: fewest nodes that together touch every edge.

Many covers may be as small, so `verify` looks at what the answer touches and counts its nodes. No
edge joins two nodes that a cover leaves out, so it takes the most nodes of which no two are joined,
found by branching.
"""

from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _independence, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    return _drawing.drawn(rng, knobs)


@lru_cache(maxsize=1024)
def solve(graph: Graph) -> tuple[str, ...]:
    """By SAT: a set of one node less cannot touch all edges."""
    return in_order({*graph.nodes} - _independence.by_sat(graph.nodes, graph.edges))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    chosen = set(nodes)
    if not chosen <= set(graph.nodes) or any(chosen.isdisjoint(edge) for edge in graph.edges):
        return 0.0
    return float(len(chosen) == _fewest(graph))


def recheck(graph: Graph, nodes: tuple[str, ...]) -> bool:
    """Without these nodes networkx finds no edge, and `solve` found as many."""
    known = _graph.in_networkx(graph)
    if not set(nodes) <= set(known) or len(set(nodes)) != len(solve(graph)):
        return False
    known.remove_nodes_from(nodes)
    return bool(known.number_of_edges() == 0)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the nodes of the cover, separated by commas",
        "A vertex cover is a set of nodes such that every edge has at least one of its two ends in"
        " it. Find a vertex cover with as few nodes as possible; if several are equally small, any"
        " one will do.",
        "Choose nodes of the graph below so that each of its edges has a chosen node at one end at"
        " least, and choose as few as possible. Any one of the smallest choices will do.",
        "Guards stand on nodes and watch all edges there. On which nodes must they stand so that"
        " every edge is watched by a guard at one end or both, and there are as few guards as"
        " possible? If there are several such sets of nodes, give any one.",
    )


def steps(graph: Graph) -> list[str]:
    """Each node of the cover, those of most edges first, and what it touches that is new."""
    there, left, lines = _graph.beside(graph), set(map(frozenset, graph.edges)), []
    cover = sorted(solve(graph), key=lambda it: -len(there[it]))
    for node in cover:
        others = [it for it in graph.nodes if frozenset((node, it)) in left and it != node]
        left -= {frozenset((node, it)) for it in others}
        lines.append(
            f"{_wording.title(graph, node)} touches the edges to {_wording.listed(graph, others)}"
        )
    return [*lines, f"{len(cover)} nodes, and all {len(graph.edges)} edges are touched"]


@lru_cache(maxsize=1024)
def _fewest(graph: Graph) -> int:
    return len(graph.nodes) - _independence.by_branching(_graph.beside(graph))


LADDER = (
    Knobs(8, 2.8, "random", "edge_list", "numbers"),
    Knobs(12, 3.2, "any", "any", "any"),
    Knobs(17, 3.6, "any", "any", "any"),
    Knobs(24, 4.0, "any", "any", "any"),
    Knobs(34, 4.5, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="nodes"),
    recheck=recheck,
    hardness=_graph.size,
    solver="SAT",
    guess_rate=0.05,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=("G1/min_vertex_cover",),
    version=3,
)
