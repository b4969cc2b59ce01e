"""Dominating set: at most k nodes, so that every other node is next to one of them.

Many sets may do, so `verify` looks at every node.
"""

from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _sat
from puzzlemill.generators.graphs import _domination, _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

TRIED = 24  # sets of k nodes, at random
LUCKY = 2  # of these that may dominate: a set that is easy to hit upon is no question


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """As many nodes as are needed, or one more where that leaves something to be found."""
    graph = _drawing.drawn(rng, knobs)
    least = _domination.least(graph)
    most = least + rng.randint(0, 1)
    if _lucky(rng, graph, most) > LUCKY:
        most = least
    if least == 1 or _lucky(rng, graph, most) > LUCKY:
        return None
    return replace(graph, numbers=(most,))


def solve(graph: Graph) -> tuple[str, ...]:
    """SAT: of each node and its neighbours one is taken, and no more than k of all."""
    count = len(graph.nodes)
    few = _sat.at_most(graph.numbers[0], count)
    with _sat.loaded([*_domination.clauses(graph), *few]) as solver:
        found = solver.solve()
        assert found, f"not dominated by {graph.numbers[0]} nodes: {graph}"
        return in_order(graph.nodes[it - 1] for it in solver.get_model() if 0 < it <= count)


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    few = len(set(nodes)) <= graph.numbers[0]
    return float(few and _domination.dominates(graph, nodes))


def recheck(graph: Graph, nodes: tuple[str, ...]) -> bool:
    """By networkx."""
    import networkx

    known = _graph.in_networkx(graph)
    if not set(nodes) <= set(known) or len(set(nodes)) > graph.numbers[0]:
        return False
    return bool(networkx.is_dominating_set(known, set(nodes)))


def render(graph: Graph, style: Style) -> Prompt:
    most = graph.numbers[0]
    return _wording.posed(
        graph,
        style,
        "the nodes of the set, separated by commas",
        f"Choose at most {most} nodes so that every node that is not chosen is joined by an edge to"
        " at least one that is. Any such choice will do.",
        f"There are {most} fire stations to be put at different nodes of the graph below. A node is"
        " safe if there is a station at it or at a node that an edge joins to it. Where can they"
        " stand so that all nodes are safe? Fewer stations are as good, and any one solution will"
        " do.",
        "A set of nodes dominates the graph if every node is in the set or is a neighbour of some"
        f" node in it. Find a dominating set of no more than {most} nodes. Any one will do.",
    )


def steps(graph: Graph) -> list[str]:
    """Whom each node of the set covers first."""
    return _domination.covered(graph, solve(graph))


def _lucky(rng: Random, graph: Graph, most: int) -> int:
    """How many of some sets of so many nodes dominate."""
    reach, lucky = dict(zip(graph.nodes, _domination.reach(graph))), 0
    whole = (1 << len(reach)) - 1
    for _ in range(TRIED):
        covered = 0
        for node in rng.sample(graph.nodes, most):
            covered |= reach[node]
        lucky += covered == whole
    return lucky


LADDER = (
    Knobs(10, 2.6, "random", "edge_list", "numbers"),
    Knobs(13, 2.9, "any", "any", "any"),
    Knobs(19, 3.2, "any", "any", "any"),
    Knobs(28, 3.5, "any", "any", "any"),
    Knobs(40, 3.8, "any", "any", "any"),
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
    solver="SAT (minisat)",
    guess_rate=0.12,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=("G1/dominating_set",),
    theme="dominating_sets",
    version=2,
)
