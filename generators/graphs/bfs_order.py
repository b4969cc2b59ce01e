"""Breadth-first order: nodes in an order in which a breadth-first search can visit them.

The search may take a node's neighbours in any order, so `verify` keeps the queue that the answer
would have led to, and sees whether the answer goes on as that queue allows.
"""

from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _graph, _visits, _wording
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    return _visits.drawn(rng, knobs)


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx."""
    import networkx

    start = graph.asked[0]
    edges = networkx.bfs_edges(_graph.in_networkx(graph), start)
    return (start, *(node for _, node in edges))


def verify(graph: Graph, order: tuple[str, ...]) -> float:
    """Behind what was found before must stand, in any order, what the next node finds."""
    if not _visits.whole(graph, order):
        return 0.0
    there, found = _graph.beside(graph), 1
    for node in order:
        new = there[node].keys() - set(order[:found])
        if set(order[found : found + len(new)]) != new:
            return 0.0
        found += len(new)
    return 1.0


def recheck(graph: Graph, order: tuple[str, ...]) -> bool:
    """Each node but the first is found by the first node of the order with an edge to it: these
    must come before it, and the finders of later nodes must not come earlier."""
    if not _visits.whole_in_networkx(graph, order):
        return False
    known = _graph.in_networkx(graph)
    finders = [
        next(at for at, node in enumerate(order) if known.has_edge(node, found))
        for found in order[1:]
    ]
    first = all(finder <= place for place, finder in enumerate(finders))
    return first and all(one <= two for one, two in pairwise(finders))


def render(graph: Graph, style: Style) -> Prompt:
    start = _wording.node(graph, graph.asked[0])
    new = "nodes to which an edge leads from it" if graph.directed else "neighbours of it"
    only = " Nodes that it never finds are left out." if graph.directed else ""
    return _wording.posed(
        graph,
        style,
        "the nodes in the order of their visits, separated by commas",
        f"A breadth-first search keeps a queue of nodes, which holds {start} at first. Again and"
        " again it takes the node at the head of the queue, visits it, and appends to the queue"
        f" all {new} that were never in the queue, in any order. It ends when the queue is empty."
        f" Give an order in which it can visit the nodes; any possible one will do.{only}",
        f"Visit the nodes of the graph below breadth first. Begin with {start}. Then take the"
        " visited nodes in the order in which they were visited, and from each of them visit all"
        f" unvisited {new}, in any order, before you turn to the next. Give an order in which all"
        " nodes that can be reached are visited; any that can come about in this way is"
        f" right.{only}",
        f"Write down {start}. Then go through the list that you are writing, from its beginning:"
        f" for each node in it, append all {new} that are not in the list yet, in any order. Which"
        " list do you get in the end? It is an order of breadth-first search; any that can come"
        f" about in this way is right.{only}",
    )


def steps(graph: Graph) -> list[str]:
    """What each node finds, in the order of solve."""
    there, order = _graph.beside(graph), solve(graph)
    seen, lines = {order[0]}, []
    for node in order:
        new = [other for other in order if other in there[node] and other not in seen]
        seen |= set(new)
        if new:
            lines.append(f"from {_wording.title(graph, node)}: {_wording.listed(graph, new)}")
    return lines


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, by=":", bags=True)


LADDER = (
    Knobs(8, 3.0, False, "random", "edge_list", "numbers"),
    Knobs(12, 3.6, True, "any", "any", "any"),
    Knobs(18, 3.6, False, "any", "any", "any"),
    Knobs(28, 4.0, True, "any", "any", "any"),
    Knobs(40, 4.4, False, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(items="nodes", reorders=True),
    recheck=recheck,
    hardness=_graph.size,
    solver="networkx",
    guess_rate=0.01,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "search"),
    peers=("G1/bfs", "CLRS-Text/bfs"),
    version=4,
)
