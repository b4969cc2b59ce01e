"""Dominators: the nodes that lie on every path from one node of a directed graph to another."""

from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair

FORWARD = 0.65  # of the edges that may lead either way


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """In a tree that is made by going ever deeper, each other edge joins a node to one above it.
    Those that would go past some nodes of the way down to the target are made to lead up. Of the
    graphs without such nodes few are kept."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    start = rng.randrange(sketch.nodes)
    above = _above(rng, sketch.nodes, sketch.pairs, start)
    downs = {node: _way_down(above, node) for node in above}
    target = max(downs, key=lambda node: (min(len(downs[node]), sketch.nodes // 2), rng.random()))
    inner = downs[target][1:-1]
    must = set(rng.sample(inner, min(rng.randint(0, 1 + sketch.nodes // 8), len(inner))))
    arcs = []
    for a, b in sketch.pairs:
        high, low = (a, b) if a in downs[b] else (b, a)
        past = must.intersection(downs[low]) - set(downs[high]) - {low}
        forward = above[low] == high or (not past and rng.random() < FORWARD)
        arcs.append((high, low) if forward else (low, high))
    graph = _drawing.dressed(rng, knobs, sketch, arcs, directed=True, asked=(start, target))
    return graph if _needed(graph) or rng.random() < 0.15 else None


def solve(graph: Graph) -> tuple[str, ...] | None:
    """By networkx: from the target back to the start, each node's nearest dominator."""
    import networkx

    start, target = graph.asked
    nearest = networkx.immediate_dominators(_graph.in_networkx(graph), start)
    if target not in nearest:
        return None
    chain = [target]
    while chain[-1] != start:
        chain.append(nearest[chain[-1]])
    return in_order(chain[1:-1])


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    """Each node is taken out in turn."""
    return float(set(nodes) == set(_needed(graph)))


def render(graph: Graph, style: Style) -> Prompt:
    start, target = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        'those nodes separated by commas, or "none"',
        f"Which nodes lie on every path from {start} to {target}? Leave out {start} and {target}"
        " themselves.",
        f"Find all nodes of the graph below, other than {start} and {target}, that cannot be"
        f" avoided on the way from {start} to {target}.",
        f"Which of the other nodes would, if it alone were removed with its edges, leave no path"
        f" from {start} to {target}? List all of them.",
    )


def steps(graph: Graph) -> list[str]:
    """A path; then for each of its nodes a way round it, or that there is none."""
    name = {node: _wording.title(graph, node) for node in graph.nodes}
    path = _path(graph)
    lines = ["a path: " + " ".join(name[node] for node in path)]
    for node in path[1:-1]:
        other = " ".join(name[it] for it in _path(graph, without=node))
        lines.append(f"without {name[node]}: {other or 'no path'}")
    return lines


@lru_cache(maxsize=2)
def _needed(graph: Graph) -> list[str]:
    return [it for it in graph.nodes if it not in graph.asked and not _path(graph, without=it)]


def _path(graph: Graph, without: str = "") -> list[str]:
    """A path from the start to the target with the fewest edges; none if there is no path."""
    there, (start, target) = _graph.beside(graph), graph.asked
    came, queue = {start: start, without: ""}, [start]
    for node in queue:
        for other in there[node]:
            if other not in came:
                came[other] = node
                queue.append(other)
    if target not in came:
        return []
    path = [target]
    while path[-1] != start:
        path.append(came[path[-1]])
    return path[::-1]


def _above(rng: Random, nodes: int, pairs: list[Pair], start: int) -> dict[int, int]:
    """A tree that is made by going from a node to any new neighbour for as long as there is one:
    each node and the one it was come to from."""
    beside: dict[int, list[int]] = {node: [] for node in range(nodes)}
    for a, b in pairs:
        beside[a].append(b)
        beside[b].append(a)
    for others in beside.values():
        rng.shuffle(others)
    above, here = {start: start}, [start]
    while here:
        fresh = next((node for node in beside[here[-1]] if node not in above), None)
        if fresh is None:
            here.pop()
        else:
            above[fresh] = here[-1]
            here.append(fresh)
    return above


def _way_down(above: dict[int, int], node: int) -> list[int]:
    way = [node]
    while above[way[-1]] != way[-1]:
        way.append(above[way[-1]])
    return way[::-1]


LADDER = (
    Knobs(8, 3.2, "random", "edge_list", "numbers"),
    Knobs(14, 3.6, "any", "any", "any"),
    Knobs(22, 4.0, "any", "any", "any"),
    Knobs(34, 4.4, "any", "any", "any"),
    Knobs(50, 5.0, "any", "any", "any"),
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
    guess_rate=0.2,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "connectivity"),
    version=2,
)
