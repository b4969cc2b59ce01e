"""Lowest common ancestor: where the ways from two nodes of a tree up to its root meet.

`solve` climbs from both nodes; `verify` knows no way up, but that the node asked for is the only
one that lies between each two of the three nodes that are named.
"""

from itertools import combinations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair


def generate(rng: Random, knobs: Knobs) -> Graph:
    """The spanning tree of a graph. The ancestor is chosen first, so that it is seldom the root."""
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, knobs.nodes - 1)
    pairs = _drawing.spanning(sketch.nodes, sketch.pairs)
    root = rng.randrange(sketch.nodes)
    above = _above(sketch.nodes, pairs, root)
    alike: dict[int, list[Pair]] = {}
    for a, b in combinations([node for node in range(sketch.nodes) if node != root], 2):
        meeting = next(node for node in above[a] if node in above[b])
        alike.setdefault(meeting, []).append((a, b))
    clear = [node for node, ends in alike.items() if any(node not in pair for pair in ends)]
    chosen = alike[rng.choice(clear or list(alike))]
    two = rng.sample(rng.choice(chosen), 2)
    return _drawing.dressed(rng, knobs, sketch, pairs, asked=[root, *two])


def solve(graph: Graph) -> str:
    one, two = _ways_up(graph)
    return next(node for node in one if node in two)


def verify(graph: Graph, node: str) -> float:
    away = {each: _graph.distances(graph, each) for each in graph.asked}
    return float(
        node in graph.nodes
        and all(away[a][node] + away[b][node] == away[a][b] for a, b in combinations(away, 2))
    )


def render(graph: Graph, style: Style) -> Prompt:
    root, one, two = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        "the name of one node",
        f"This graph is a tree, and {root} is its root. The ancestors of a node are the nodes on"
        " its path to the root, the node itself and the root among them. Which node is the lowest"
        f" common ancestor of {one} and {two}: the one farthest from the root of all that are"
        " ancestors of both?",
        f"The tree below has {root} as its root. Go from {one} up to the root, and from {two} up"
        " to the root. What is the first node where the two ways meet? It may be one of the two"
        " nodes themselves.",
        f"Hang this tree up by {root}, its root. A node's ancestors are itself and all nodes above"
        f" it on the way to the root. Of all common ancestors of {one} and {two}, which is the"
        " farthest down?",
    )


def steps(graph: Graph) -> list[str]:
    """The two ways up, and where they meet."""
    lines = [
        "up: " + " ".join(_wording.title(graph, node) for node in way) for way in _ways_up(graph)
    ]
    return [*lines, f"first in both: {_wording.title(graph, solve(graph))}"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _ways_up(graph: Graph) -> list[list[str]]:
    """From each of the two nodes to the root, going nearer with every step."""
    root, *two = graph.asked
    there, away = _graph.beside(graph), _graph.distances(graph, root)
    ways = []
    for node in two:
        way = [node]
        while way[-1] != root:
            way.append(min(there[way[-1]], key=away.__getitem__))
        ways.append(way)
    return ways


def _above(nodes: int, pairs: list[Pair], root: int) -> list[list[int]]:
    """The ancestors of each node, itself the first."""
    above: list[list[int]] = [[] for _ in range(nodes)]
    above[root] = [root]
    queue = [root]
    for node in queue:
        for pair in pairs:
            if node in pair:
                other = pair[0] + pair[1] - node
                if not above[other]:
                    above[other] = [other, *above[node]]
                    queue.append(other)
    return above


LADDER = (
    Knobs(9, 2.0, "random", "edge_list", "numbers"),
    Knobs(15, 2.0, "any", "any", "any"),
    Knobs(24, 2.0, "any", "any", "any"),
    Knobs(38, 2.0, "any", "any", "any"),
    Knobs(58, 2.0, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Node(),
    hardness=_graph.size,
    proof="unique",
    solver="climbing",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    canon=_graph.canon_of_pair,  # the three nodes are alike: each might be the root
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "trees"),
    version=2,
)
