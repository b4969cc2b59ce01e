"""Maximum flow: how much can run from a source to a sink through edges of limited capacity.

`verify` finds augmenting paths until none is left and then holds the flow against the cut that is
full: where they are equal, no flow is greater.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _flow, _graph, _wording
from puzzlemill.generators.graphs._drawing import Sketch
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average, in and out
    capacity: int  # of an edge inside the network, at most
    inner: bool  # the bottleneck lies inside: neither all out of the source nor all into the sink
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    joined = _joined(sketch)
    source, sink = _ends(rng, joined)
    arcs = _downstream(rng, sketch.pairs, joined, source, sink)
    capacities = []
    for a, b in arcs:
        spare = knobs.capacity if knobs.inner and (a == source or b == sink) else 0
        capacities.append(rng.randint(1, knobs.capacity) + spare)
    graph = _drawing.dressed(rng, knobs, sketch, arcs, capacities, True, (source, sink))
    most = _greatest(graph)
    outer = {
        sum(c for (a, _), c in zip(arcs, capacities) if a == source),
        sum(c for (_, b), c in zip(arcs, capacities) if b == sink),
    }
    return None if most == 0 or (knobs.inner and most in outer) else graph


def solve(graph: Graph) -> int:
    """Push-relabel, by networkx."""
    import networkx

    known = _graph.in_networkx(graph)
    return int(networkx.maximum_flow_value(known, *graph.asked, capacity="weight"))


def verify(graph: Graph, most: int) -> float:
    return float(most == _greatest(graph))


def render(graph: Graph, style: Style) -> Prompt:
    source, sink = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        "the value of the maximum flow, one integer",
        "The flow along an edge is at most the edge's capacity, and at every node but"
        f" {source} and {sink} as much flows out as flows in. What is the greatest total flow from"
        f" {source} to {sink}?",
        f"Water is pumped in at {source} of the network below and taken out at {sink}. Every edge"
        " is a pipe that carries at most its capacity, in the direction of the edge. Water is"
        " neither lost nor stored on the way. What is the most that can be pumped through?",
        f"Find the value of a maximum flow from the source, {source}, to the sink, {sink}: no edge"
        " carries more than its capacity, and at every other node the inflow equals the outflow.",
        number="capacity",
    )


def steps(graph: Graph) -> list[str]:
    """The augmenting paths, and the cut that none can pass."""
    (pushes, side), there = _flow.augmented(graph), _graph.beside(graph)
    lines, total = [], 0
    for path, amount in pushes:
        total += amount
        way = " ".join(title(graph, node) for node in path)
        lines.append(f"push {amount} along {way}; {total} in all")
    full = [
        f"{title(graph, a)}->{title(graph, b)} = {there[a][b]}"
        for a, b in _flow.crossing(graph, side)
    ]
    return [*lines, f"full: {', '.join(full)}; sum {total}"]


def _joined(sketch: Sketch) -> list[list[int]]:
    joined: list[list[int]] = [[] for _ in range(sketch.nodes)]
    for a, b in sketch.pairs:
        joined[a].append(b)
        joined[b].append(a)
    return joined


def _ends(rng: Random, joined: list[list[int]]) -> Pair:
    """Two nodes with as many edges as there are, not joined to each other where that can be."""
    first, *others = sorted(
        rng.sample(range(len(joined)), len(joined)), key=lambda it: -len(joined[it])
    )
    apart = [node for node in others if node not in joined[first]]
    return first, (apart or others)[0]


def _downstream(
    rng: Random, pairs: list[Pair], joined: list[list[int]], source: int, sink: int
) -> list[Pair]:
    """Each edge directed away from the source and towards the sink, but for a few inside."""
    near, far = _away(joined, sink), _away(joined, source)
    height = {node: (near[node] - far[node], rng.random()) for node in near}
    height[source], height[sink] = (len(joined), 0.0), (-len(joined), 0.0)
    arcs = []
    for a, b in pairs:
        uphill = height[a] < height[b]
        if not {a, b} & {source, sink} and rng.random() < 0.15:
            uphill = not uphill
        arcs.append((b, a) if uphill else (a, b))
    return arcs


def _away(joined: list[list[int]], start: int) -> dict[int, int]:
    """The fewest edges from a node to each."""
    away, queue = {start: 0}, [start]
    for node in queue:
        for other in joined[node]:
            if other not in away:
                away[other] = away[node] + 1
                queue.append(other)
    return away


@lru_cache(maxsize=1024)
def _greatest(graph: Graph) -> int:
    pushes, side = _flow.augmented(graph)
    there = _graph.beside(graph)
    flow = sum(amount for _, amount in pushes)
    cut = sum(there[a][b] for a, b in _flow.crossing(graph, side))
    assert flow == cut, f"a flow of {flow} beside a cut of {cut}"
    return flow


LADDER = (
    Knobs(7, 2.8, 14, False, "random", "edge_list", "numbers"),
    Knobs(9, 3.2, 17, False, "any", "any", "any"),
    Knobs(12, 3.6, 20, True, "any", "any", "any"),
    Knobs(20, 4.0, 50, True, "any", "any", "any"),
    Knobs(36, 4.5, 99, True, "any", "any", "any"),
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
    solver="push-relabel (networkx)",
    guess_rate=0.15,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=("G1/maximum_flow",),
    version=3,
)
