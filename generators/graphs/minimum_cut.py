"""Minimum cut: the edges of the least total weight without which no way leads between two nodes.

Several cuts may be equally light, so `verify` looks whether a way is left without the answer's
edges and compares their weight with that of a greatest flow, which no cut can undercut.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _flow, _graph, _wording
from puzzlemill.generators.graphs._drawing import Sketch
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title

Answer: TypeAlias = tuple[tuple[str, str], ...]

HEAVIEST = 30  # weight of an edge, at most


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average, before some are left out
    bridges: int  # edges between the two halves, or a few more where they would not hang together
    weighted: bool  # whether edges have weights
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Two halves with few edges between them, and in each half one of the nodes with most edges.

    Where all edges at one of the two nodes are a minimum cut, nothing need be looked for: three of
    four such draws are refused.
    """
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    half = _half(rng, sketch)
    pairs = _parted(sketch, half, knobs.bridges)
    weights = [rng.randint(1, HEAVIEST) if knobs.weighted else 1 for _ in pairs]
    ends = [_busiest(rng, side, pairs, weights) for side in _sides(sketch, half)]
    graph = _drawing.dressed(
        rng, knobs, sketch, pairs, weights if knobs.weighted else (), asked=ends
    )
    there = _graph.beside(graph)
    plain = _least(graph) in [sum(there[node].values()) for node in graph.asked]
    return None if plain and rng.random() < 0.75 else graph


def solve(graph: Graph) -> Answer:
    """Push-relabel, by networkx."""
    import networkx

    known = _graph.in_networkx(graph)
    if not graph.weights:
        networkx.set_edge_attributes(known, 1, "weight")
    # From the far end, so that of several cuts it is the nearest to the first node, as in steps.
    _, (_, side) = networkx.minimum_cut(known, *reversed(graph.asked), capacity="weight")
    return in_order((a, b) for a, b in map(in_order, _flow.crossing(graph, side)))


def verify(graph: Graph, cut: Answer) -> float:
    there, (start, target) = _graph.beside(graph), graph.asked
    if any(b not in there.get(a, {}) for a, b in cut):
        return 0.0
    without, reached = {frozenset(edge) for edge in cut}, [start]
    for node in reached:
        reached += [
            other
            for other in there[node]
            if other not in reached and frozenset((node, other)) not in without
        ]
    weight = sum(there[a][b] for a, b in cut)
    return float(target not in reached and weight == _least(graph))


def recheck(graph: Graph, cut: Answer) -> bool:
    """By networkx: the graph without the edges, and the greatest flow by Dinitz's method."""
    import networkx
    from networkx.algorithms.flow import dinitz

    known = _graph.in_networkx(graph)
    networkx.set_edge_attributes(known, dict(zip(graph.edges, _weights(graph))), "weight")
    if not all(known.has_edge(*edge) for edge in cut):
        return False
    least = networkx.maximum_flow_value(known, *graph.asked, capacity="weight", flow_func=dinitz)
    weight = sum(known.edges[edge]["weight"] for edge in cut)
    known.remove_edges_from(cut)
    return bool(weight == least and not networkx.has_path(known, *graph.asked))


def render(graph: Graph, style: Style) -> Prompt:
    one, two = (_wording.node(graph, each) for each in graph.asked)
    few = "whose total weight is as small as possible" if graph.weights else "as few as possible"
    least = "least total weight" if graph.weights else "fewest edges"
    return _wording.posed(
        graph,
        style,
        "the edges of the cut, each written (a, b), separated by commas",
        f"Which edges, {few}, must be taken away so that no path leads from {one} to {two} any"
        " more? If there are several such sets of edges, any of them will do.",
        f"A cut between {one} and {two} is a set of edges of which every path from {one} to {two}"
        f" has at least one. Find a cut with the {least} in the graph below. Any one such cut will"
        " do.",
        f"Find a minimum cut that separates {one} from {two}: a set of edges, {few}, without which"
        " the two are no longer connected. If several sets are equally good, give any one.",
    )


def steps(graph: Graph) -> list[str]:
    """Ways that take up what the edges carry, and the edges that are full then."""
    (pushes, side), there = _flow.augmented(graph), _graph.beside(graph)
    lines, total = [], 0
    for path, amount in pushes:
        total += amount
        way = " ".join(title(graph, node) for node in path)
        lines.append(f"{amount} along {way}; {total} in all")
    cut = _flow.crossing(graph, side)
    full = [f"{title(graph, a)}-{title(graph, b)} ({there[a][b]})" for a, b in cut]
    here = [node for node in graph.nodes if node in side]
    return [
        *lines,
        f"then can be reached: {_wording.listed(graph, here)}",
        f"edges out of these: {', '.join(full)}; sum {total}",
    ]


def _half(rng: Random, sketch: Sketch) -> set[int]:
    """Half of the nodes: one of them and those nearest to it."""
    near: list[list[int]] = [[] for _ in range(sketch.nodes)]
    for a, b in sketch.pairs:
        near[a].append(b)
        near[b].append(a)
    reached = [rng.randrange(sketch.nodes)]
    for node in reached:
        reached += [it for it in near[node] if it not in reached]
    return set(reached[: sketch.nodes // 2])


def _sides(sketch: Sketch, half: set[int]) -> tuple[list[int], list[int]]:
    return sorted(half), [node for node in range(sketch.nodes) if node not in half]


def _parted(sketch: Sketch, half: set[int], bridges: int) -> list[Pair]:
    """The edges within the halves, and of those between them no more than need be."""
    within = [(a, b) for a, b in sketch.pairs if (a in half) == (b in half)]
    between = [(a, b) for a, b in sketch.pairs if (a in half) != (b in half)]
    tree = _drawing.spanning(sketch.nodes, [*within, *between])
    needed = [pair for pair in between if pair in tree]
    spare = [pair for pair in between if pair not in tree]
    return [*within, *needed, *spare[: max(bridges - len(needed), 0)]]


def _busiest(rng: Random, side: list[int], pairs: list[Pair], weights: list[int]) -> int:
    """A node with as much weight at it as any other of its side."""
    load = dict.fromkeys(side, 0)
    for pair, weight in zip(pairs, weights):
        for node in pair:
            if node in load:
                load[node] += weight
    return max(side, key=lambda node: (load[node], rng.random()))


def _weights(graph: Graph) -> Sequence[int]:
    return graph.weights or [1] * len(graph.edges)


@lru_cache(maxsize=1024)
def _least(graph: Graph) -> int:
    """The value of a greatest flow, by augmenting paths."""
    return sum(amount for _, amount in _flow.augmented(graph)[0])


LADDER = (
    Knobs(9, 3.6, 3, False, "random", "edge_list", "numbers"),
    Knobs(12, 4.0, 4, False, "any", "any", "any"),
    Knobs(16, 4.4, 5, True, "any", "any", "any"),
    Knobs(24, 5.0, 7, True, "any", "any", "any"),
    Knobs(36, 6.0, 10, True, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Edges(nodes="nodes"),
    recheck=recheck,
    hardness=_graph.size,
    solver="push-relabel (networkx)",
    guess_rate=0.08,
    steps=steps,
    canon=_graph.canon_of_pair,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    version=2,
)
