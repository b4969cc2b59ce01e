"""Neighbours of a node: whom its edges join it to; in a directed graph, where they lead or come
from.

In a directed graph `numbers` tells the place of the node in the edges that count: 1 where it is
their first node, 2 where it is their second.
"""

from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _either_way, _graph, _wording
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Few nodes that are asked about have no neighbour."""
    graph = _either_way.drawn(rng, knobs)
    place = rng.choice((1, 2)) if graph.directed else 0
    there = _graph.behind(graph) if place == 2 else _graph.beside(graph)
    least = 0 if rng.random() < 0.2 else 1
    count = {each: len(there[each]) for each in graph.nodes if len(there[each]) >= least}
    node = _either_way.evenly(rng, count)
    return replace(graph, asked=(node,), numbers=(place,) if place else ())


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx."""
    known, (node,) = _graph.in_networkx(graph), graph.asked
    return in_order(known.predecessors(node) if graph.numbers == (2,) else known.neighbors(node))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    """Every edge is looked at in the list, as one would by hand."""
    others = set()
    for edge in graph.edges:
        for place in graph.numbers or (1, 2):
            if edge[place - 1] == graph.asked[0]:
                others.add(edge[2 - place])
    return float(set(nodes) == others)


def render(graph: Graph, style: Style) -> Prompt:
    node = _wording.node(graph, graph.asked[0])
    match graph.numbers:
        case (1,):
            questions = (
                f"Which nodes do the edges that start at {node} lead to?",
                f"List all successors of {node} in the graph below: the nodes to which an edge"
                f" leads from {node}.",
                f"A node is a successor of {node} if there is an edge from {node} to it. Find all"
                " of them.",
            )
        case (2,):
            questions = (
                f"From which nodes does an edge lead to {node}?",
                f"List all predecessors of {node} in the graph below: the nodes from which an edge"
                f" leads to {node}.",
                f"A node is a predecessor of {node} if there is an edge from it to {node}. Find"
                " all of them.",
            )
        case _:
            questions = (
                f"Which nodes are joined to {node} by an edge?",
                f"List all neighbours of {node} in the graph below: the nodes that share an"
                " edge with this node.",
                f"A node is a neighbour of {node} if an edge joins the two. Find all of them.",
            )
    form = 'those nodes separated by commas, or "none"'
    return _wording.posed(graph, style, form, *questions)


def steps(graph: Graph) -> list[str]:
    """The edges that count, and the nodes at their other ends."""
    (node,), link = graph.asked, "->" if graph.directed else "-"
    edges = [
        link.join(_wording.title(graph, end) for end in edge)
        for edge in graph.edges
        if any(edge[place - 1] == node for place in graph.numbers or (1, 2))
    ]
    others = _wording.listed(graph, solve(graph))
    return [f"edges: {', '.join(edges) or 'none'}", f"other ends: {others or 'none'}"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(8, 3.0, False, "random", "edge_list", "numbers"),
    Knobs(12, 4.0, False, "any", "any", "any"),
    Knobs(20, 5.0, True, "any", "any", "any"),
    Knobs(32, 7.0, False, "any", "any", "any"),
    Knobs(48, 8.0, True, "any", "any", "any"),
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
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/neighbor",),
    version=3,
)
