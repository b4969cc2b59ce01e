"""Longest path of a tree: the two nodes that are farthest apart, and all nodes between them.

Several paths may be equally long, so `verify` walks the answer's edges and compares its length with
the greatest there is: at some node the two longest ways down from it make up such a path.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    longest: int  # length of an edge, at most
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    """The spanning tree of a graph."""
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, knobs.nodes - 1)
    pairs = _drawing.spanning(sketch.nodes, sketch.pairs)
    lengths = [rng.randint(1, knobs.longest) for _ in pairs]
    return _drawing.dressed(rng, knobs, sketch, pairs, lengths)


def solve(graph: Graph) -> tuple[str, ...]:
    """The node farthest from any node is an end; the node farthest from it, the other end."""
    return _sweeps(graph)[1][0]


def verify(graph: Graph, path: tuple[str, ...]) -> float:
    there, length = _graph.beside(graph), 0
    if not path or len(set(path)) < len(path):
        return 0.0
    for here, beyond in pairwise(path):
        if beyond not in there.get(here, {}):
            return 0.0
        length += there[here][beyond]
    return float(length == _greatest(graph))


def recheck(graph: Graph, path: tuple[str, ...]) -> bool:
    """By networkx: a path of that tree, as long as the longest of all its shortest paths."""
    import networkx

    tree = _graph.in_networkx(graph)
    if not path or not set(path) <= set(tree) or not networkx.is_simple_path(tree, path):
        return False
    lengths = networkx.all_pairs_dijkstra_path_length(tree)
    greatest = max(max(away.values()) for _, away in lengths)
    return bool(networkx.path_weight(tree, path, "weight") == greatest)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the nodes of the path in order, separated by commas",
        "This graph is a tree. The length of a path is the sum of the lengths of its edges, and no"
        " path visits a node twice. Find a longest path of the tree. If several are equally long,"
        " any of them will do.",
        "Between any two nodes of the tree below there is just one path that visits no node twice."
        " Which two nodes have the longest path between them, when the lengths of its edges are"
        " added up? Give the whole path; any one if several are equally long.",
        "The distance between two nodes of a tree is the sum of the lengths of the edges on the"
        " path between them. Choose two nodes of this tree that are as far apart as possible, and"
        " give the path from the one to the other that visits no node twice. Any two such nodes"
        " will do.",
        number="length",
    )


def steps(graph: Graph) -> list[str]:
    """The two sweeps: each starts at a node and ends at the one that is farthest from it."""
    return [
        f"from {title(graph, path[0])} the farthest is {title(graph, path[-1])}, {length} away:"
        f" {' '.join(title(graph, node) for node in path)}"
        for path, length in _sweeps(graph)
    ]


def _sweeps(graph: Graph) -> list[tuple[tuple[str, ...], int]]:
    """From the first node to the farthest, and from that to the farthest: path and length."""
    there, found, start = _graph.beside(graph), list[tuple[tuple[str, ...], int]](), graph.nodes[0]
    for _ in range(2):
        ways: dict[str, tuple[tuple[str, ...], int]] = {start: ((start,), 0)}
        queue = [start]
        for node in queue:
            path, length = ways[node]
            for other, more in there[node].items():
                if other not in ways:
                    ways[other] = ((*path, other), length + more)
                    queue.append(other)
        found.append(max(ways.values(), key=lambda way: way[1]))
        start = found[-1][0][-1]
    return found


@lru_cache(maxsize=1024)
def _greatest(graph: Graph) -> int:
    """The tree is taken down leaf by leaf; each node keeps the longest way down from it."""
    there = {node: dict(others) for node, others in _graph.beside(graph).items()}
    deepest, greatest = dict.fromkeys(there, 0), 0
    leaves = [node for node, others in there.items() if len(others) == 1]
    for leaf in leaves:
        for other, length in there[leaf].items():
            way = deepest[leaf] + length
            greatest = max(greatest, deepest[other] + way)
            deepest[other] = max(deepest[other], way)
            del there[other][leaf]
            if len(there[other]) == 1:
                leaves.append(other)
        there[leaf] = {}
    return greatest


LADDER = (
    Knobs(10, 5, "random", "edge_list", "numbers"),
    Knobs(14, 9, "any", "any", "any"),
    Knobs(22, 15, "any", "any", "any"),
    Knobs(35, 25, "any", "any", "any"),
    Knobs(56, 50, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Path(nodes="nodes", between=", "),
    recheck=recheck,
    hardness=_graph.size,
    solver="two sweeps",
    guess_rate=0.02,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "trees"),
    version=3,
)
