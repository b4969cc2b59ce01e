"""The k-core of a graph: what is left when nodes with too few edges are taken out again and again.

It is also the largest set of nodes in which each has at least k neighbours.
"""

from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """The k is that for which most rounds are needed to come to a core. Few graphs are kept where
    one is enough, or where either nothing or everything is left at any."""
    graph = _drawing.drawn(rng, knobs)
    tried = []
    for k in range(2, 2 + round(2 * knobs.degree)):
        rounds = _rounds(replace(graph, numbers=(k,)))
        left = len(graph.nodes) - sum(map(len, rounds))
        tried.append((left > 0 and bool(rounds), len(rounds), rng.random(), k))
    proper, needed, _, k = max(tried)
    if rng.random() > (0.2 if not proper else 0.3 if needed == 1 else 1):
        return None
    return replace(graph, numbers=(k,))


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx."""
    import networkx

    (k,) = graph.numbers
    return in_order(networkx.k_core(_graph.in_networkx(graph), k))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    """Nodes with too few edges are taken out in rounds."""
    out = {node for gone in _rounds(graph) for node in gone}
    return float(set(nodes) == set(graph.nodes) - out)


def render(graph: Graph, style: Style) -> Prompt:
    (k,) = graph.numbers
    return _wording.posed(
        graph,
        style,
        'those nodes separated by commas, or "none"',
        f"Take out every node with fewer than {k} edges, and its edges with it; then again every"
        f" node that has fewer than {k} edges left, and so on until nothing changes. Which nodes"
        " are left?",
        f"Find the largest set of nodes of the graph below in which each has at least {k}"
        " neighbours that are in the set too.",
        f"The {k}-core of a graph is the largest set of its nodes such that every node of the set"
        f" has edges with at least {k} others of the set. Which nodes are in it?",
    )


def steps(graph: Graph) -> list[str]:
    lines = [
        f"round {count}, out: {_wording.listed(graph, gone)}"
        for count, gone in enumerate(_rounds(graph), 1)
    ]
    return [*lines, f"left: {_wording.listed(graph, solve(graph)) or 'none'}"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, by=":", bags=True)


def _rounds(graph: Graph) -> list[list[str]]:
    """The nodes that are taken out in each round."""
    there, (k,) = _graph.beside(graph), graph.numbers
    left, rounds = set(graph.nodes), []
    while gone := [it for it in graph.nodes if it in left and len(left & there[it].keys()) < k]:
        left.difference_update(gone)
        rounds.append(gone)
    return rounds


LADDER = (
    Knobs(8, 3.4, "random", "edge_list", "numbers"),
    Knobs(14, 3.6, "any", "any", "any"),
    Knobs(22, 4.2, "any", "any", "any"),
    Knobs(34, 4.8, "any", "any", "any"),
    Knobs(50, 5.6, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="nodes", empty=True),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    version=2,
)
