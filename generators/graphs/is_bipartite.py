"""Bipartite graphs: can the nodes be put into two groups so that no edge stays within a group?

A graph that cannot be split has one edge too many for it: without that edge it could.
"""

from itertools import combinations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair

TRIED = 3  # odd edges, of which the one is taken that closes the longest cycle


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Of more edges than are wanted those that join the two sides of a tree, and in half of the
    graphs one of the others in place of the last."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, 2 * edges)
    tree = _drawing.spanning(sketch.nodes, sketch.pairs)
    side = _sides(sketch.nodes, tree)
    wishes = [pair for pair in sketch.pairs if pair not in tree]
    pairs = list(combinations(range(sketch.nodes), 2))
    wishes += rng.sample(pairs, len(pairs))
    across = [(a, b) for a, b in dict.fromkeys(wishes) if side[a] != side[b] and (a, b) not in tree]
    chosen = [*tree, *across[: max(edges - len(tree), 1)]]
    if rng.random() < 0.5:
        within = [(a, b) for a, b in wishes if side[a] == side[b]][:TRIED]
        chosen = [*chosen[:-1], max(within, key=lambda pair: _apart(chosen[:-1], pair))]
    return _drawing.dressed(rng, knobs, sketch, chosen)


def solve(graph: Graph) -> bool:
    """By networkx."""
    import networkx

    return bool(networkx.is_bipartite(_graph.in_networkx(graph)))


def verify(graph: Graph, bipartite: bool) -> float:
    """Each node is taken twice, once in each group; an edge ties its ends in different groups. No
    node may end up tied to itself in the other group."""
    tied = {(node, group): {(node, group)} for node in graph.nodes for group in (0, 1)}
    for a, b in graph.edges:
        for group in (0, 1):
            one, two = tied[a, group], tied[b, 1 - group]
            if one is not two:
                one |= two
                tied |= dict.fromkeys(two, one)
    clash = any((node, 1) in tied[node, 0] for node in graph.nodes)
    return float(bipartite != clash)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "yes or no",
        "A graph is bipartite if its nodes can be split into two groups so that every edge joins a"
        " node of one group to a node of the other. Is this graph bipartite?",
        "Can each node of the graph below be coloured red or blue so that no edge joins two nodes"
        " of the same colour?",
        "You may put every node into one of two groups, as you like. Is it possible to do so with"
        " no edge between two nodes of the same group?",
    )


def steps(graph: Graph) -> list[str]:
    """The nodes by their distance from the first, which decides on their groups, and an edge that
    stays within a group, if there is one."""
    lines, left = [], list(graph.nodes)
    while left:
        away = _graph.distances(graph, left[0])
        left = [node for node in left if node not in away]
        for step in range(max(away.values()) + 1):
            layer = [node for node in graph.nodes if away.get(node) == step]
            lines.append(f"group {step % 2 + 1}: {_wording.listed(graph, layer)}")
        for a, b in graph.edges:
            if a in away and (away[a] - away[b]) % 2 == 0:
                ends = _wording.listed(graph, (a, b))
                return [*lines, f"an edge joins {ends}, which are in the same group"]
    return [*lines, "every edge joins the two groups"]


def _sides(nodes: int, tree: list[Pair]) -> list[int]:
    """0 or 1 for each node, different at the two ends of each edge of a tree."""
    side = {0: 0}
    while len(side) < nodes:
        for a, b in tree:
            if (a in side) != (b in side):
                here, there = (a, b) if a in side else (b, a)
                side[there] = 1 - side[here]
    return [side[node] for node in range(nodes)]


def _apart(pairs: list[Pair], ends: Pair) -> int:
    """The fewest edges between two nodes."""
    reached, count = {ends[0]}, 0
    while ends[1] not in reached:
        reached |= {b for a, b in pairs if a in reached} | {a for a, b in pairs if b in reached}
        count += 1
    return count


LADDER = (
    Knobs(8, 2.5, "random", "edge_list", "numbers"),
    Knobs(14, 2.6, "any", "any", "any"),
    Knobs(22, 2.8, "any", "any", "any"),
    Knobs(34, 3.0, "any", "any", "any"),
    Knobs(50, 3.2, "any", "any", "any"),
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
    skills=("graphs", "colouring"),
    peers=("G1/is_bipartite",),
)
