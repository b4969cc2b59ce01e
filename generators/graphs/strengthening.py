"""Strengthening: the fewest edges to add so that every node can be reached from every other.

By Eswaran and Tarjan: nodes that can reach one another make a part. Each part that no edge leads
out of needs one more, and so does each that no edge leads into; one new edge serves one of both.
"""

from collections.abc import Callable
from functools import partial
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair

TRIED = 4  # graphs


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Of a few graphs that whose answer is nearest to a drawn number, so that answers vary."""
    wanted = rng.randint(0, 2 + knobs.nodes // 4)
    tried = [_drawn(rng, knobs) for _ in range(TRIED)]
    _, graph = min(tried, key=lambda drawn: abs(_needed(*drawn[0]) - wanted))
    return graph()


def solve(graph: Graph) -> int:
    """By networkx's condensation."""
    import networkx

    parts = networkx.condensation(_graph.in_networkx(graph))
    if len(parts) == 1:
        return 0
    firsts = sum(not count for _, count in parts.in_degree())
    lasts = sum(not count for _, count in parts.out_degree())
    return int(max(firsts, lasts))


def verify(graph: Graph, count: int) -> float:
    """By what each node can reach."""
    return float(count == _needed(len(graph.nodes), _arcs(graph)))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "one integer",
        "What is the least number of edges that must be added so that every node can be reached"
        " from every other one along the edges? A new edge may lead from any node to any other.",
        "A directed graph is strongly connected if there is a path from each node to each other"
        " node. What is the least number of new edges that makes the graph below strongly"
        " connected? A new edge may lead from any node to any other.",
        "You may add edges from any node to any other. Afterwards a path must lead from every node"
        " to every other node. What is the smallest number of edges that is enough?",
    )


def steps(graph: Graph) -> list[str]:
    """The parts, those that nothing leads into, those that nothing leads out of."""
    parts, firsts, lasts = _parts(graph)
    lines = [f"part: {_wording.listed(graph, part)}" for part in parts]
    if len(parts) == 1:
        return lines
    for text, found in (("nothing leads into", firsts), ("nothing leads out of", lasts)):
        shown = "; ".join(_wording.listed(graph, part) for part in found)
        lines.append(f"{text} {len(found)}: {shown}")
    return [*lines, f"the greater of {len(firsts)} and {len(lasts)}"]


def _drawn(rng: Random, knobs: Knobs) -> tuple[tuple[int, list[Pair]], Callable[[], Graph]]:
    """How many nodes, and edges: a share leads downhill, a share leads both ways, and a few may be
    left out; and how the graph is made of them."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    down, both, lost = rng.uniform(0.5, 1), rng.choice((0, 0.1, 0.3, 0.5)), rng.choice((0, 0, 0.1))
    arcs: list[Pair] = []
    for high, low in _drawing.downhill(rng, sketch):
        if rng.random() >= lost:
            arc = (high, low) if rng.random() < down else (low, high)
            arcs += [arc, arc[::-1]] if rng.random() < both else [arc]
    dress = _drawing.dress_drawn(rng, knobs, sketch.nodes, len(arcs))
    graph = partial(_drawing.dressed, rng, knobs, sketch, arcs, directed=True, dress=dress)
    return (sketch.nodes, arcs), graph


def _parts(graph: Graph) -> tuple[list[list[str]], list[list[str]], list[list[str]]]:
    """The parts of nodes that reach one another, those that come first, those that come last."""
    count, arcs = len(graph.nodes), _arcs(graph)
    reach, reached = _closed(count, arcs), _closed(count, [arc[::-1] for arc in arcs])
    parts, firsts, lasts, done = [], [], [], 0
    for at, (onward, back) in enumerate(zip(reach, reached)):
        if not done >> at & 1:
            both = onward & back
            done |= both
            part = [node for place, node in enumerate(graph.nodes) if both >> place & 1]
            parts.append(part)
            firsts += [part] if back == both else []
            lasts += [part] if onward == both else []
    return parts, firsts, lasts


def _arcs(graph: Graph) -> list[Pair]:
    """The edges, their nodes counted from 0."""
    place = {node: at for at, node in enumerate(graph.nodes)}
    return [(place[a], place[b]) for a, b in graph.edges]


def _needed(nodes: int, arcs: list[Pair]) -> int:
    """The nodes of a part reach the same nodes, which are the part's name here."""
    reach = _closed(nodes, arcs)
    parts = set(reach)
    between = [(reach[a], reach[b]) for a, b in arcs if reach[a] != reach[b]]
    firsts = parts.difference(into for _, into in between)
    lasts = parts.difference(out for out, _ in between)
    return max(len(firsts), len(lasts)) if len(parts) > 1 else 0


def _closed(nodes: int, arcs: list[Pair]) -> list[int]:
    """What each node reaches, itself too: a bit for each node, until no edge adds any."""
    reach = [1 << at for at in range(nodes)]
    before = list[int]()
    while reach != before:
        before = reach[:]
        for a, b in arcs:
            reach[a] |= reach[b]
    return reach


LADDER = (
    Knobs(8, 2.6, "random", "edge_list", "numbers"),
    Knobs(14, 2.8, "any", "any", "any"),
    Knobs(22, 3.0, "any", "any", "any"),
    Knobs(34, 3.2, "any", "any", "any"),
    Knobs(50, 3.4, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.35,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "connectivity"),
    version=2,
)
