"""Eccentricities: how far the farthest node is from each node, and graphs in which that varies."""

from functools import lru_cache
from random import Random

from puzzlemill.generators.graphs import _drawing, _graph, _parts, _sources, _wording
from puzzlemill.generators.graphs._drawing import Knobs, Sketch
from puzzlemill.generators.graphs._graph import Graph

LAYERS = 14  # at most; a longer graph is only more work
TOLD = (  # what every question here rests on, in three wordings
    "The distance between two nodes is the least number of edges on a path from one to the other."
    " The eccentricity of a node is its distance from the node that is farthest from it.",
    "The distance between two nodes is the length of a shortest path, counted in edges."
    " The eccentricity of a node is the greatest of its distances from the other nodes.",
    "The distance between two nodes is the least number of edges that you must follow to get from"
    " one to the other. The eccentricity of a node is its greatest distance from any node.",
)


def drawn(rng: Random, knobs: Knobs, length: float = 0.5) -> Graph:
    """A connected graph, long or compact: its layers are at most this share of the nodes."""
    sketch = layered(rng, knobs, 2, min(int(knobs.nodes * length), LAYERS))
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs)


def layered(rng: Random, knobs: Knobs, least: int, most: int) -> Sketch:
    """A connected graph in layers, so many at least and at most, whose edges join no others than
    neighbouring layers. The more layers, the greater the distances. With two layers, and from a
    source that would fall apart, the edges are free."""
    source = _sources.chosen(rng, knobs.source, knobs.nodes)
    layers = rng.randint(least, most)
    if source == "planar" or source not in _sources.SHAPES:
        layers = 2
    layer = _parts.cut(rng, knobs.nodes, layers)
    return _drawing.sketched(
        rng,
        source,
        knobs.nodes,
        _drawing.edge_count(knobs.nodes, knobs.degree),
        allowed=lambda a, b: abs(layer[a] - layer[b]) <= 1,
    )


def radius(sketch: Sketch) -> int:
    """How often the ball around each node must take in those around its neighbours until one holds
    all nodes."""
    there: list[list[int]] = [[] for _ in range(sketch.nodes)]
    for a, b in sketch.pairs:
        there[a].append(b)
        there[b].append(a)
    balls, grown = [1 << at for at in range(sketch.nodes)], 0
    whole = (1 << sketch.nodes) - 1
    while whole not in balls:
        wider = balls[:]
        for at, others in enumerate(there):
            for other in others:
                wider[at] |= balls[other]
        assert wider != balls, "the graph falls into parts"
        balls, grown = wider, grown + 1
    return grown


def eccentricities(graph: Graph) -> dict[str, int]:
    """How often the ball around each node, at first itself, must take in the balls around its
    neighbours until it holds all nodes."""
    return dict(zip(graph.nodes, _eccentricities(graph)))


@lru_cache(maxsize=64)
def _eccentricities(graph: Graph) -> tuple[int, ...]:
    place = {node: at for at, node in enumerate(graph.nodes)}
    there: list[list[int]] = [[] for _ in place]
    for a, b in graph.edges:
        there[place[a]].append(place[b])
        there[place[b]].append(place[a])
    balls = [1 << at for at in range(len(there))]
    whole = (1 << len(balls)) - 1
    grown, growing = [0] * len(balls), [at for at, ball in enumerate(balls) if ball != whole]
    while growing:
        wider = balls[:]
        for at in growing:
            ball = balls[at]
            for other in there[at]:
                ball |= balls[other]
            wider[at] = ball
            grown[at] += 1
        assert wider != balls, "the graph falls into parts"
        balls, growing = wider, [at for at in growing if wider[at] != whole]
    return tuple(grown)


def told(graph: Graph) -> list[str]:
    """The steps of all families here: each node's eccentricity, and the nodes that are so far."""
    lines = []
    for node in graph.nodes:
        away = _graph.distances(graph, node)
        most = max(away.values())
        far = _wording.listed(graph, [it for it in graph.nodes if away[it] == most])
        lines.append(f"{_wording.title(graph, node)}: {most}, to {far}")
    return lines
