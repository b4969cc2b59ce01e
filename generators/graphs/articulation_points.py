"""Articulation points: the nodes without which a connected graph falls apart."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _sources, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Some nodes are made points: what lies beyond one, by a spanning tree, keeps no edge past it.
    Of the graphs without a point few are kept."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    tree = _drawing.spanning(sketch.nodes, sketch.pairs)
    pairs, free = list(sketch.pairs), sketch.source in _sources.SHAPES.keys() - _sources.STRICT
    for _ in range(rng.randint(0, 1 + sketch.nodes // 10)):
        point, first = rng.choice([turned for a, b in tree for turned in ((a, b), (b, a))])
        pairs = _parted(pairs, point, _beyond(tree, point, first), free)
    graph = _drawing.dressed(rng, knobs, sketch, pairs)
    return graph if solve(graph) or rng.random() < 0.2 else None


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx."""
    import networkx

    return in_order(set(networkx.articulation_points(_graph.in_networkx(graph))))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    """Each node is taken out in turn."""
    return float(set(nodes) == {node for node in graph.nodes if len(_pieces(graph, node)) > 1})


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        'those nodes separated by commas, or "none"',
        "A node is an articulation point if the graph falls into two or more pieces, with no edge"
        " between them, once the node and its edges are taken away. Which nodes of this graph are"
        " articulation points?",
        "Find every node of the graph below that some two other nodes need: each path between"
        " those two goes through it.",
        "One node fails, and its edges with it. For which nodes can the others then no longer all"
        " reach one another? List all of them.",
    )


def steps(graph: Graph) -> list[str]:
    """Each point, and the pieces that are left without it but the largest."""
    lines = []
    for point in solve(graph):
        *small, _ = sorted(_pieces(graph, point), key=len)
        cut = "; ".join(_wording.listed(graph, piece) for piece in small)
        lines.append(f"without {_wording.title(graph, point)}, cut off: {cut}")
    return lines or ["no node cuts off any other"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _pieces(graph: Graph, gone: str) -> list[list[str]]:
    """The connected pieces of the graph without a node."""
    there, seen, pieces = _graph.beside(graph), {gone}, []
    for start in graph.nodes:
        if start not in seen:
            piece = [start]
            seen.add(start)
            for node in piece:
                fresh = there[node].keys() - seen
                seen |= fresh
                piece += fresh
            pieces.append([node for node in graph.nodes if node in piece])
    return pieces


def _parted(pairs: list[Pair], point: int, beyond: set[int], free: bool) -> list[Pair]:
    """The pairs without those that go past a point; where the shape leaves it free, they end at
    the point."""
    kept = []
    for a, b in pairs:
        inner = a if a in beyond else b
        if point in (a, b) or (a in beyond) == (b in beyond):
            kept.append((a, b))
        elif free:
            kept.append((min(inner, point), max(inner, point)))
    return list(dict.fromkeys(kept))


def _beyond(tree: list[Pair], point: int, first: int) -> set[int]:
    """The nodes of a tree that are reached from a point by its edge to the first of them."""
    beyond, before = {first}, 0
    while len(beyond) > before:
        before = len(beyond)
        for pair in tree:
            if set(pair) != {point, first} and beyond.intersection(pair):
                beyond.update(pair)
    return beyond


LADDER = (
    Knobs(8, 3.0, "random", "edge_list", "numbers"),
    Knobs(14, 3.2, "any", "any", "any"),
    Knobs(22, 3.4, "any", "any", "any"),
    Knobs(34, 3.6, "any", "any", "any"),
    Knobs(50, 3.8, "any", "any", "any"),
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
    guess_rate=0.15,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "connectivity"),
    peers=("CLRS-Text/articulation_points",),
    version=2,
)
