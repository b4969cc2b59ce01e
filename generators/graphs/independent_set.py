"""Independent set: most nodes of which no two are joined by an edge.

Many sets may be as large, so `verify` looks for edges within the answer and counts its nodes; by
branching it knows how many there can be.
"""

from functools import lru_cache
from itertools import combinations
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
    """By SAT: there is no set of one node more."""
    return in_order(_independence.by_sat(graph.nodes, graph.edges))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    chosen = set(nodes)
    if not chosen <= set(graph.nodes) or any(chosen.issuperset(edge) for edge in graph.edges):
        return 0.0
    return float(len(chosen) == _most(graph))


def recheck(graph: Graph, nodes: tuple[str, ...]) -> bool:
    """No two nodes are neighbours in networkx's graph, and `solve` found as many."""
    known = _graph.in_networkx(graph)
    if not set(nodes) <= set(known) or len(set(nodes)) != len(solve(graph)):
        return False
    return not any(known.has_edge(*pair) for pair in combinations(nodes, 2))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the nodes of the set, separated by commas",
        "An independent set is a set of nodes of which no two are joined by an edge. Find an"
        " independent set with as many nodes as possible; if several are equally large, any one"
        " will do.",
        "Choose as many nodes of the graph below as you can so that no edge has a chosen node at"
        " both ends. Any one of the largest choices will do.",
        "What is the largest set of nodes of this graph in which no node is a neighbour of another"
        " one? If there are several of the largest size, give any one.",
    )


def steps(graph: Graph) -> list[str]:
    """Each chosen node, and which others it rules out."""
    there, chosen, out, lines = _graph.beside(graph), solve(graph), set[str](), []
    for node in sorted(chosen, key=lambda it: len(there[it])):
        others = [it for it in graph.nodes if it in there[node] and it not in out]
        out |= {*others}
        ruled = f"rules out {_wording.listed(graph, others)}" if others else "rules out no more"
        lines.append(f"{_wording.title(graph, node)} {ruled}")
    return [*lines, f"{len(chosen)} nodes; the other {len(out)} are ruled out"]


@lru_cache(maxsize=1024)
def _most(graph: Graph) -> int:
    return _independence.by_branching(_graph.beside(graph))


LADDER = (
    Knobs(8, 2.8, "random", "edge_list", "numbers"),
    Knobs(12, 3.4, "any", "any", "any"),
    Knobs(17, 4.0, "any", "any", "any"),
    Knobs(24, 4.6, "any", "any", "any"),
    Knobs(34, 5.2, "any", "any", "any"),
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
    guess_rate=0.07,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    version=3,
)
