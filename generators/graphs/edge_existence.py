"""Edge existence: whether an edge joins two nodes; in a directed graph, whether it leads that way.

Half of the answers are no, and then the edge leads the other way or it takes two steps, where the
graph has such a pair.
"""

from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _either_way, _graph, _wording
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    graph = _either_way.drawn(rng, knobs)
    there = _graph.beside(graph)
    start = rng.choice([node for node in graph.nodes if there[node]])
    targets = list(there[start]) if rng.random() < 0.5 else _near_misses(rng, graph, start)
    return replace(graph, asked=(start, rng.choice(targets))) if targets else None


def solve(graph: Graph) -> bool:
    """By networkx."""
    return bool(_graph.in_networkx(graph).has_edge(*graph.asked))


def verify(graph: Graph, joined: bool) -> float:
    """The edge is looked for in the list, as one would by hand."""
    start, target = graph.asked
    found = graph.asked in graph.edges
    if not graph.directed:
        found = found or (target, start) in graph.edges
    return float(joined == found)


def render(graph: Graph, style: Style) -> Prompt:
    start, target = (_wording.node(graph, each) for each in graph.asked)
    if graph.directed:
        questions = (
            f"Is there an edge from {start} to {target}?",
            f"Say whether an edge of the graph below leads from {start} straight to {target}. One"
            f" from {target} to {start} does not count.",
            f"Can one go from {start} to {target} along a single edge, the way it goes?",
        )
    else:
        questions = (
            f"Is there an edge between {start} and {target}?",
            f"Say whether an edge of the graph below joins {start} and {target} directly.",
            f"Can one go from {start} to {target} along a single edge?",
        )
    return _wording.posed(graph, style, "yes or no", *questions)


def steps(graph: Graph) -> list[str]:
    start, target = graph.asked
    others = [node for node in graph.nodes if node in _graph.beside(graph)[start]]
    side = "to" if graph.directed else "with"
    is_there = "is" if target in others else "is not"
    return [
        f"{_wording.title(graph, start)} has edges {side}: {_wording.listed(graph, others)}",
        f"{_wording.title(graph, target)} {is_there} among them",
    ]


def canon(graph: Graph) -> object:
    """In an undirected graph the order of the two does not matter."""
    return _graph.canon(graph) if graph.directed else _graph.canon_of_pair(graph)


def _near_misses(rng: Random, graph: Graph, start: str) -> list[str]:
    """Nodes that no edge leads to from the start: those with one to it, or two steps away, or, if
    there are none, all others."""
    there = _graph.beside(graph)
    others = [node for node in graph.nodes if node != start and node not in there[start]]
    turned = [node for node in others if start in there[node]]
    two_steps = [node for node in others if any(node in there[step] for step in there[start])]
    kinds = [kind for kind in (turned, two_steps) if kind]
    return rng.choice(kinds) if kinds else others


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
    answer=answers.YesNo(),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.5,
    steps=steps,
    canon=canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/edge_existence",),
)
