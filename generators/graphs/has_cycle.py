"""Cycles: does a graph have one? Directed or not.

A graph with a cycle and one without have as many edges, and it is one edge that makes the
difference.
"""

from collections import Counter
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Sketch
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding

DEGREE = 3.0  # of the graphs that are drawn; of an undirected one a tree is left
TRIED = 3  # edges, of which the one is taken that closes the longest cycle


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    directed: bool  # whether edges have a direction
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    edges = _drawing.edge_count(knobs.nodes, DEGREE)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pairs = (_directed if knobs.directed else _undirected)(rng, sketch)
    return _drawing.dressed(rng, knobs, sketch, pairs, directed=knobs.directed) if pairs else None


def solve(graph: Graph) -> bool:
    """By networkx."""
    import networkx

    known = _graph.in_networkx(graph)
    if graph.directed:
        return not networkx.is_directed_acyclic_graph(known)
    return not networkx.is_forest(known)


def verify(graph: Graph, cyclic: bool) -> float:
    """A node on a cycle is never peeled off, and without cycles all nodes are."""
    return float(cyclic == (sum(map(len, _peeled(graph))) < len(graph.nodes)))


def render(graph: Graph, style: Style) -> Prompt:
    along = "edges in their directions" if graph.directed else "edges"
    return _wording.posed(
        graph,
        style,
        "yes or no",
        f"A cycle is a walk along {along} that ends at the node where it began and uses no edge"
        " twice. Does this graph have a cycle?",
        f"Is there a node in the graph below from which one can walk along {along}, at least one"
        " and none of them twice, and come back to it?",
        f"You walk from node to node by {along}, and must never use an edge again. Can you, from"
        " some node that you may choose, leave it and come back to it?",
    )


def steps(graph: Graph) -> list[str]:
    """What is peeled off in each round, and what stays."""
    rounds = _peeled(graph)
    ends = "without an edge to them" if graph.directed else "with at most one edge"
    lines = [f"{ends}, taken away: {_wording.listed(graph, nodes)}" for nodes in rounds]
    gone = {node for nodes in rounds for node in nodes}
    left = _wording.listed(graph, [node for node in graph.nodes if node not in gone])
    return [*lines, f"left, so there is a cycle: {left}" if left else "none left, so no cycle"]


def _peeled(graph: Graph) -> list[list[str]]:
    """Round by round the nodes to which no edge leads from those that are left or, where edges have
    no direction, at most one."""
    come, left = _graph.behind(graph), set(graph.nodes)
    spare = 0 if graph.directed else 1
    rounds: list[list[str]] = []
    while True:
        gone = [it for it in graph.nodes if it in left and len(come[it].keys() & left) <= spare]
        if not gone:
            return rounds
        rounds.append(gone)
        left -= set(gone)


def _undirected(rng: Random, sketch: Sketch) -> list[Pair]:
    """A tree without some of its edges; for a cycle, one more of them makes room for an edge that
    closes one."""
    tree = _drawing.spanning(sketch.nodes, sketch.pairs)
    missing = rng.randint(0, sketch.nodes // 6)
    if rng.random() < 0.5:
        return _thinned(rng, tree, tree, missing)
    others = [pair for pair in sketch.pairs if pair not in tree]
    both_ways = [*tree, *((b, a) for a, b in tree)]
    found = [
        (pair, _path(both_ways, *pair)) for pair in rng.sample(others, min(len(others), TRIED))
    ]
    # The edges that go away are none of the cycle's.
    found = [(pair, path) for pair, path in found if len(tree) - len(path) > missing]
    if not found:
        return []
    pair, path = max(found, key=lambda it: len(it[1]))
    free = [edge for edge in tree if edge not in path and edge[::-1] not in path]
    return [pair, *_thinned(rng, free, tree, missing + 1), *path]


def _thinned(rng: Random, free: list[Pair], tree: list[Pair], missing: int) -> list[Pair]:
    """Some edges less, at nodes that have another if there are such: nodes without any would tell
    that a tree has fallen apart often."""
    ends = Counter(node for edge in tree for node in edge)
    shuffled = rng.sample(free, len(free))
    shuffled.sort(key=lambda edge: ends[edge[0]] > 1 < ends[edge[1]])
    return shuffled[: len(free) - missing]


def _directed(rng: Random, sketch: Sketch) -> list[Pair]:
    """All edges downhill; for a cycle, one is turned that has a way around it."""
    pairs = _drawing.downhill(rng, sketch)
    if rng.random() < 0.5:
        return pairs
    ways = [
        (pair, _path([other for other in pairs if other != pair], *pair))
        for pair in rng.sample(pairs, len(pairs))
    ]
    found = [(pair, way) for pair, way in ways if way]
    # To turn an edge at a node that no edge leads to, or none from, would leave fewer such nodes.
    firsts, lasts = {a for a, _ in pairs}, {b for _, b in pairs}
    inner = [(pair, way) for pair, way in found if pair[0] in lasts and pair[1] in firsts]
    found = (inner or found)[:TRIED]
    if not found:
        return []
    turned, _ = max(found, key=lambda it: len(it[1]))
    return [(b, a) if (a, b) == turned else (a, b) for a, b in pairs]


def _path(pairs: list[Pair], start: int, target: int) -> list[Pair]:
    """The edges of a shortest path; none where there is no path."""
    there: dict[int, list[int]] = {}
    for a, b in pairs:
        there.setdefault(a, []).append(b)
    came, queue = {start: start}, [start]
    for node in queue:
        for other in there.get(node, ()):
            if other not in came:
                came[other] = node
                queue.append(other)
    path = []
    while target in came and target != start:
        path.append((came[target], target))
        target = came[target]
    return path


LADDER = (
    Knobs(8, True, "random", "edge_list", "numbers"),
    Knobs(20, False, "any", "any", "any"),
    Knobs(22, True, "any", "any", "any"),
    Knobs(34, False, "any", "any", "any"),
    Knobs(44, True, "any", "any", "any"),
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
    skills=("graphs", "cycles"),
    peers=("G1/has_cycle",),
)
