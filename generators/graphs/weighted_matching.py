"""Weighted matching: edges that share no node, of the greatest total weight.

Several matchings may weigh as much, so `verify` adds up the answer's edges and compares with the
greatest weight there is, which it finds node by node.
"""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _matching, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

HEAVIEST = 20

Edge = tuple[str, str]


def generate(rng: Random, knobs: Knobs) -> Graph:
    return _drawing.drawn(rng, knobs, heaviest=HEAVIEST)


def solve(graph: Graph) -> tuple[Edge, ...]:
    """By networkx, with Edmonds' blossoms."""
    import networkx

    edges = networkx.max_weight_matching(_graph.in_networkx(graph))
    return in_order(in_order(edge) for edge in edges)


def verify(graph: Graph, edges: tuple[Edge, ...]) -> float:
    weight = {frozenset(edge): w for edge, w in zip(graph.edges, graph.weights)}
    ends = [node for edge in edges for node in edge]
    if len(set(ends)) < len(ends) or any(frozenset(edge) not in weight for edge in edges):
        return 0.0
    return float(sum(weight[frozenset(edge)] for edge in edges) == _matching.greatest(graph))


def recheck(graph: Graph, edges: tuple[Edge, ...]) -> bool:
    """By networkx: a matching of that graph, as heavy as the one that `solve` found."""
    import networkx

    known = _graph.in_networkx(graph)
    if not all(known.has_edge(*edge) for edge in edges):
        return False
    chosen = known.edge_subgraph(edges).size("weight")
    greatest = known.edge_subgraph(solve(graph)).size("weight")
    return bool(networkx.is_matching(known, set(edges)) and chosen == greatest)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the edges of the matching, each written (a, b), separated by commas",
        "A matching is a set of edges in which no two share a node. Find a matching whose edges"
        " have the greatest total weight. It need not have the most edges; if several weigh the"
        " same, any one will do.",
        "Choose edges of the graph below so that every node is an end of at most one chosen edge,"
        " and the sum of their weights is as great as possible. Any one of the best choices will"
        " do.",
        "Find a maximum-weight matching: of all sets of edges that have no node in common, one with"
        " the greatest sum of weights, however many edges it has. If there are several, give any"
        " one.",
    )


def steps(graph: Graph) -> list[str]:
    """The heaviest edges first, and then what is better."""
    there = _graph.beside(graph)

    def weighed(edges: list[Edge]) -> str:
        terms = (
            f"{_wording.title(graph, a)}-{_wording.title(graph, b)} ({there[a][b]})"
            for a, b in edges
        )
        return f"{', '.join(terms)}: {sum(there[a][b] for a, b in edges)} in all"

    best, taken = list(solve(graph)), set[str]()
    heavy = list[Edge]()
    for a, b in sorted(graph.edges, key=lambda edge: -there[edge[0]][edge[1]]):
        if not taken & {a, b}:
            heavy.append((a, b))
            taken |= {a, b}
    return [f"always the heaviest: {weighed(heavy)}", f"the best: {weighed(best)}"]


LADDER = (
    Knobs(8, 2.8, "random", "edge_list", "numbers"),
    Knobs(11, 3.0, "any", "any", "any"),
    Knobs(16, 3.2, "any", "any", "any"),
    Knobs(22, 3.4, "any", "any", "any"),
    Knobs(30, 3.6, "any", "any", "any"),
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
    solver="Edmonds' blossoms, by networkx",
    guess_rate=0.02,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=("G1/max_weight_matching",),
    version=3,
)
