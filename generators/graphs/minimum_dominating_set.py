"""Minimum dominating set: as few nodes as possible, so that every other node is next to one.

Several sets may be equally small, so `verify` looks at every node and compares the size of the
answer with the least, which it finds by branching on who covers the node that few can cover.
"""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _sat
from puzzlemill.generators.graphs import _domination, _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """One node never does."""
    graph = _drawing.drawn(rng, knobs)
    return graph if _domination.least(graph) > 1 else None


def solve(graph: Graph) -> tuple[str, ...]:
    """SAT: a set with fewer nodes than the last, until there is none."""
    from pysat.card import ITotalizer

    count = len(graph.nodes)
    best = list(range(1, count + 1))
    with ITotalizer(best, ubound=count, top_id=count) as fewer:
        known = _domination.clauses(graph) + fewer.cnf.clauses
        with _sat.loaded(known) as solver:
            while best and solver.solve(assumptions=[-fewer.rhs[len(best) - 1]]):
                best = [it for it in solver.get_model() if 0 < it <= count]
    return in_order(graph.nodes[it - 1] for it in best)


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    right = _domination.dominates(graph, nodes)
    return float(right and len(set(nodes)) == _domination.least(graph))


def recheck(graph: Graph, nodes: tuple[str, ...]) -> bool:
    """By networkx, and no more nodes than `solve` takes."""
    import networkx

    known = _graph.in_networkx(graph)
    if not set(nodes) <= set(known) or len(set(nodes)) > len(solve(graph)):
        return False
    return bool(networkx.is_dominating_set(known, set(nodes)))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the nodes of the set, separated by commas",
        "Find a minimum dominating set: as few nodes as possible, so that every node is one of them"
        " or has an edge to at least one of them. If several sets are equally small, any of them"
        " will do.",
        "A guard at a node of the graph below watches that node and all nodes that an edge joins to"
        " it. At which nodes must guards stand so that every node is watched by at least one, with"
        " as few guards as possible? Any one solution will do.",
        "A set of nodes dominates the graph if every node outside the set is a neighbour of some"
        " node in it. Which nodes make up a dominating set of the least size? If there are several"
        " such sets, give any one.",
    )


def steps(graph: Graph) -> list[str]:
    """Whom each node of the set covers first, and that it cannot be done with fewer."""
    chosen = solve(graph)
    lines = _domination.covered(graph, chosen)
    return [*lines, f"{len(chosen)} nodes cover all; {len(chosen) - 1} cannot"]


LADDER = (
    Knobs(10, 2.6, "random", "edge_list", "numbers"),
    Knobs(13, 2.9, "any", "any", "any"),
    Knobs(19, 3.2, "any", "any", "any"),
    Knobs(27, 3.5, "any", "any", "any"),
    Knobs(38, 3.8, "any", "any", "any"),
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
    solver="SAT, a set smaller each time (minisat)",
    guess_rate=0.12,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=("RLVE/minimum_dominating_set",),
    theme="dominating_sets",
    version=2,
)
