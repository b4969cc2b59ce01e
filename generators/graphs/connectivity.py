"""Connectivity: is there a path from one node to another?"""

from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _parts, _wording
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """From a node that could be asked about either way: yes with a node at some distance, no with
    one to which edges lead, the more the likelier, but none from here."""
    graph = _drawn(rng, knobs)
    behind, connected = _graph.behind(graph), rng.random() < 0.5
    for start in rng.sample(graph.nodes, len(graph.nodes)):
        away = _graph.distances(graph, start)
        far = [node for node in graph.nodes if away.get(node, 0) > 1]
        apart = [node for node in graph.nodes if node not in away for _ in behind[node]]
        if far and apart:
            return replace(graph, asked=(start, rng.choice(far if connected else apart)))
    return None


def solve(graph: Graph) -> bool:
    """By networkx."""
    import networkx

    return bool(networkx.has_path(_graph.in_networkx(graph), *graph.asked))


def verify(graph: Graph, connected: bool) -> float:
    """The list of edges is gone through again and again, until no edge leads anywhere new."""
    start, target = graph.asked
    arcs = [*graph.edges, *([] if graph.directed else [(b, a) for a, b in graph.edges])]
    reached, count = {start}, 0
    while count < len(reached):
        count = len(reached)
        for a, b in arcs:
            if a in reached:
                reached.add(b)
    return float(connected == (target in reached))


def render(graph: Graph, style: Style) -> Prompt:
    start, target = (_wording.node(graph, each) for each in graph.asked)
    along = "edges in their directions" if graph.directed else "edges"
    return _wording.posed(
        graph,
        style,
        "yes or no",
        f"Is there a path from {start} to {target}, that is, can one get from the first to the"
        f" second by following {along}, over other nodes if need be?",
        f"Can {target} be reached from {start} in the graph below, if one may follow {along} as"
        " often as one likes?",
        f"You stand at {start}, and may go from node to node by {along} only. Can you get to"
        f" {target}?",
    )


def steps(graph: Graph) -> list[str]:
    """The nodes that are reached, step by step."""
    start, target = graph.asked
    away = _graph.distances(graph, start)
    last = away.get(target, max(away.values()))
    lines = [
        f"step {step}: "
        + _wording.listed(graph, [it for it in graph.nodes if away.get(it) == step])
        for step in range(last + 1)
    ]
    found = f"{_wording.title(graph, target)} is reached"
    return [
        *lines,
        found if target in away else f"nothing new, and {found.replace('is', 'is not')}",
    ]


def canon(graph: Graph) -> object:
    """In an undirected graph the way back is as good."""
    return _graph.canon(graph) if graph.directed else _graph.canon_of_pair(graph)


def _drawn(rng: Random, knobs: Knobs) -> Graph:
    """An undirected graph of a few parts, or a directed one in which few nodes reach all."""
    if knobs.directed:
        edges = _drawing.edge_count(knobs.nodes, knobs.degree)
        sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
        pairs = _drawing.arcs(rng, sketch.pairs, both=0)
    else:
        parts = rng.randint(2, min(max(knobs.nodes // 4, 2), 4))
        sketch = _parts.scattered(rng, knobs, parts)
        pairs = sketch.pairs
    return _drawing.dressed(rng, knobs, sketch, pairs, directed=knobs.directed)


LADDER = (
    Knobs(10, 2.6, False, "random", "edge_list", "numbers"),
    Knobs(15, 2.3, False, "any", "any", "any"),
    Knobs(22, 2.6, True, "any", "any", "any"),
    Knobs(36, 2.4, False, "any", "any", "any"),
    Knobs(50, 2.8, True, "any", "any", "any"),
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
    skills=("graphs", "connectivity"),
)
