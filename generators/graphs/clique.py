"""Clique: most nodes of which every two are joined by an edge.

Several cliques may be as large, so `verify` looks up every pair of the answer's nodes and counts
them. A clique is a set of which no two are joined in the complement; how many there can be is found
there by branching.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _independence, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average
    together: int  # nodes of a clique that is put in, where the graph is no real one
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    """With a clique put in, and another one that lacks an edge."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)

    def planted(nodes: int) -> list[tuple[int, int]]:
        whole = rng.sample(range(nodes), min(knobs.together, nodes))
        lacking = rng.sample(range(nodes), min(knobs.together, nodes))
        return [*combinations(whole, 2), *list(combinations(lacking, 2))[1:]]

    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges, planted)
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs)


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx, which goes through all maximal cliques; the first in order of the largest."""
    import networkx

    cliques = map(in_order, networkx.find_cliques(_graph.in_networkx(graph)))
    return min(cliques, key=lambda clique: (-len(clique), clique))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    there, chosen = _graph.beside(graph), set(nodes)
    if not chosen <= there.keys() or any(b not in there[a] for a, b in combinations(chosen, 2)):
        return 0.0
    return float(len(chosen) == _most(graph))


def recheck(graph: Graph, nodes: tuple[str, ...]) -> bool:
    """By SAT, as many nodes; by the list of edges, each pair."""
    joined = {frozenset(edge) for edge in graph.edges}
    pairs = {frozenset(pair) for pair in combinations(nodes, 2)}
    return set(nodes) <= set(graph.nodes) and pairs <= joined and len(nodes) == _most_by_sat(graph)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the nodes of the clique, separated by commas",
        "A clique is a set of nodes of which every two are joined by an edge. Find a clique with as"
        " many nodes as possible; if several are equally large, any one will do.",
        "Choose as many nodes of the graph below as you can so that an edge joins each chosen node"
        " to each other one. Any one of the largest choices will do.",
        "What is the largest set of nodes of this graph that are all neighbours of one another? If"
        " there are several of the largest size, give any one.",
    )


def steps(graph: Graph) -> list[str]:
    """Each node of the clique, and who is still beside all of them."""
    there, left, lines = _graph.beside(graph), set(graph.nodes), []
    clique = solve(graph)
    for node in clique[:-1]:
        left &= there[node].keys()
        others = [it for it in graph.nodes if it in left]
        lines.append(
            f"{_wording.title(graph, node)}: beside all so far are {_wording.listed(graph, others)}"
        )
    return [*lines, f"a clique of {len(clique)}: {_wording.listed(graph, clique)}"]


@lru_cache(maxsize=1024)
def _most(graph: Graph) -> int:
    there = _graph.beside(graph)
    apart = {a: [b for b in there if b != a and b not in there[a]] for a in there}
    return _independence.by_branching(apart)


@lru_cache(maxsize=1024)
def _most_by_sat(graph: Graph) -> int:
    joined = {frozenset(edge) for edge in graph.edges}
    apart = [pair for pair in combinations(graph.nodes, 2) if frozenset(pair) not in joined]
    return len(_independence.by_sat(graph.nodes, apart))


LADDER = (
    Knobs(9, 3.4, 3, "random", "edge_list", "numbers"),
    Knobs(13, 4.4, 4, "any", "any", "any"),
    Knobs(19, 5.6, 4, "any", "any", "any"),
    Knobs(28, 7.0, 5, "any", "any", "any"),
    Knobs(40, 9.0, 6, "any", "any", "any"),
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
    solver="networkx",
    guess_rate=0.08,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=("RLVE/maximum_clique",),
    version=3,
)
