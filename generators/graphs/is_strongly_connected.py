"""Strong connectivity test: can every node be reached from every other along directed edges?

`solve` asks networkx; `verify` walks from one node forwards and backwards: where that reaches all
nodes, every node leads to every other by way of it.
"""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _parts, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

Node = TypeVar("Node", int, str)


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """A strongly connected graph less one edge, which it can spare or cannot."""
    wanted = rng.random() < 0.5
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pairs = _parts.wound(rng, sketch, [0] * sketch.nodes)
    # What lies on no ring goes both ways.
    rng.shuffle(pairs)
    for a, b in list(pairs):
        if (b, a) not in pairs and a not in _reached(pairs, b):
            pairs.append((b, a))
    for lost in rng.sample(pairs, len(pairs)):
        rest = [pair for pair in pairs if pair != lost]
        if (lost[1] in _reached(rest, lost[0])) == wanted:
            return _drawing.dressed(rng, knobs, sketch, rest, directed=True)
    return None


def solve(graph: Graph) -> bool:
    """By networkx."""
    import networkx

    return bool(networkx.is_strongly_connected(_graph.in_networkx(graph)))


def verify(graph: Graph, strong: bool) -> float:
    start = graph.nodes[0]
    both_ways = (graph.edges, [(b, a) for a, b in graph.edges])
    reached = [len(_reached(edges, start)) for edges in both_ways]
    return float(strong == (min(reached) == len(graph.nodes)))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "yes or no",
        "Is the graph strongly connected, that is, can every node be reached from every other node"
        " by following edges in their directions?",
        "In the directed graph below, does a way along the edges, in their directions, lead from"
        " each node to each of the others?",
        "A directed graph is strongly connected if for any two nodes there are directed paths both"
        " ways between them. Say whether this graph is.",
    )


def steps(graph: Graph) -> list[str]:
    start = graph.nodes[0]
    away = _graph.distances(graph, start)
    lines = []
    back = next(part for part in _parts.mutual(graph) if start in part)
    for name, nodes in ((f"reached from {_wording.title(graph, start)}", away), ("led back", back)):
        missing = [node for node in graph.nodes if node not in nodes]
        rest = f"all but {_wording.listed(graph, missing)}" if missing else "all"
        lines.append(f"{name}: {rest}")
    return lines


def _reached(edges: Sequence[tuple[Node, Node]], start: Node) -> set[Node]:
    there: dict[Node, list[Node]] = {}
    for a, b in edges:
        there.setdefault(a, []).append(b)
    seen, border = {start}, {start}
    while border:
        border = {b for a in border for b in there.get(a, ())} - seen
        seen |= border
    return seen


LADDER = (
    Knobs(8, 2.8, "random", "edge_list", "numbers"),
    Knobs(12, 3.0, "any", "any", "any"),
    Knobs(18, 3.2, "any", "any", "any"),
    Knobs(26, 3.4, "any", "any", "any"),
    Knobs(36, 3.6, "any", "any", "any"),
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
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "connectivity"),
    peers=("G1/is_strongly_connected",),
)
