"""Local connectivity: how many nodes must go to part two nodes that no edge joins.

By Menger's theorem that is how many paths lead from one to the other with no node in common.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._bits import members
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Each number has about the same chance: else one of them would be right half the time."""
    wanted, graph = rng.randint(1, max(3, round(knobs.degree) - 1)), None
    for _ in range(TRIES):
        drawn = _parted(rng, knobs)
        if drawn:
            near, start, target, most, graph = drawn
            if wanted <= most and _least(near, start, target) == wanted:
                break
    return graph and graph()


def solve(graph: Graph) -> int:
    """No nodes are taken away, then one, two and so on: of each path one of its nodes must go."""
    place = {node: at for at, node in enumerate(graph.nodes)}
    near = _near(len(place), [(place[a], place[b]) for a, b in graph.edges])
    start, target = (place[node] for node in graph.asked)
    return _least(near, start, target)


def verify(graph: Graph, count: int) -> float:
    return float(count == len(_paths(graph)))


def recheck(graph: Graph, count: int) -> bool:
    """By networkx."""
    import networkx

    return bool(count == networkx.node_connectivity(_graph.in_networkx(graph), *graph.asked))


def render(graph: Graph, style: Style) -> Prompt:
    one, two = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        "one integer",
        f"What is the least number of nodes, other than {one} and {two}, whose removal together"
        f" with their edges leaves no path between {one} and {two}?",
        f"What is the greatest number of paths from {one} to {two} of the graph below such that no"
        " two of the paths have a node in common except their first and last?",
        f"Nodes are to be taken away, with all their edges, until no path leads from {one} to"
        f" {two}; these two must stay. What is the least number of nodes that must go?",
    )


def steps(graph: Graph) -> list[str]:
    """Paths that share no node, and as many nodes that part the two."""
    paths = _paths(graph)
    lines = [f"path: {', '.join(_wording.title(graph, it) for it in path)}" for path in paths]
    parting = _wording.listed(graph, _parting(graph))
    return [*lines, f"on every path: one of {parting}" if parting else "there is no path"]


def _parted(
    rng: Random, knobs: Knobs
) -> tuple[list[int], int, int, int, Callable[[], Graph]] | None:
    """A few nodes are made to part the others: no edge goes past them. What comes of it: the
    neighbours of each node as bits, the two to ask about, how many part them, and the graph, which
    is still to be made."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, round(1.2 * edges))
    near = _near(sketch.nodes, sketch.pairs)
    order = _outwards(rng, near)
    parting = rng.randint(1, max(2, round(knobs.degree) - 1))
    middle = rng.randint(2, max(2, sketch.nodes - parting - 2))
    first, last = order[:middle], order[middle + parting :]
    if not last:
        return None
    side = dict.fromkeys(order, 0) | dict.fromkeys(first, 1) | dict.fromkeys(last, -1)
    pairs = [(a, b) for a, b in sketch.pairs if side[a] + side[b] or not side[a]]
    for part, others in ((first, last), (last, first)):
        beyond = sum([1 << node for node in others])
        for node in part:
            near[node] &= ~beyond
    start, target = (
        max(part[:6], key=lambda it: near[it].bit_count()) for part in (first, last[::-1])
    )
    dress = _drawing.dress_drawn(rng, knobs, sketch.nodes, len(pairs))
    graph = partial(_drawing.dressed, rng, knobs, sketch, pairs, asked=(start, target), dress=dress)
    return near, start, target, parting, graph


def _near(nodes: int, pairs: Iterable[Pair]) -> list[int]:
    """The neighbours of each node, as bits."""
    near = [0] * nodes
    for a, b in pairs:
        near[a] |= 1 << b
        near[b] |= 1 << a
    return near


def _least(near: list[int], start: int, target: int) -> int:
    """How many nodes part the two."""

    def parted(more: int, left: int) -> bool:
        """Whether so many nodes more can part the two."""
        paths = _apart(near, start, target, left, more + 1)
        if not paths or len(paths) > more:
            return not paths
        shortest = min(paths, key=int.bit_count)
        return any(parted(more - 1, left & ~(1 << node)) for node in members(shortest))

    left = (1 << len(near)) - 1 & ~(1 << start)
    return next(count for count in range(len(near)) if parted(count, left))


def _apart(near: list[int], start: int, target: int, left: int, most: int) -> list[int]:
    """The inner nodes, as bits, of paths that share none: the shortest, then the shortest that is
    left."""
    paths: list[int] = []
    while len(paths) < most:
        rims, free = [1 << start], left
        while not rims[-1] & near[target]:
            reached = 0
            for node in members(rims[-1]):
                reached |= near[node]
            rims.append(reached & free)
            free &= ~reached
            if not rims[-1]:
                return paths
        path, node = 0, target
        for rim in rims[:0:-1]:
            met = rim & near[node]
            path |= met & -met
            node = (met & -met).bit_length() - 1
        left &= ~path
        paths.append(path)
    return paths


@lru_cache(maxsize=256)
def _paths(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """As many paths as there can be that share no node. One is added at a time, and what it takes
    from the ones before is taken back from them."""
    start, target = graph.asked
    follows: dict[str, str] = {}  # the next node, on the paths but for the start
    firsts: list[str] = []
    while True:
        came = _searched(graph, follows, firsts)
        if (target, "in") not in came:
            return tuple(_followed(start, first, follows, target) for first in firsts)
        way = [(target, "in")]
        while way[-1] in came and way[-1] != (start, "out"):
            way.append(came[way[-1]])
        steps = [(a, b) for (a, _), (b, _) in pairwise(way[::-1]) if a != b]
        taken = {(b, a) for a, b in steps if follows.get(b) == a}
        for a, _ in taken:
            del follows[a]
        for a, b in steps:
            if (b, a) in taken:
                continue
            if a == start:
                firsts.append(b)
            else:
                follows[a] = b


def _searched(
    graph: Graph, follows: dict[str, str], firsts: list[str]
) -> dict[tuple[str, str], tuple[str, str]]:
    """From where each node is come to, "in" at its entrance and "out" at its exit. On a path one
    may go back only, and past a node of a path only by going back."""
    start, target = graph.asked
    there = _graph.beside(graph)
    leads = {b: a for a, b in follows.items()} | dict.fromkeys(firsts, start)
    came = {(start, "out"): (start, "out")}
    queue = [(start, "out")]
    for here in queue:
        node, door = here
        if door == "out":
            beyond = [(it, "in") for it in there[node] if follows.get(node) != it and it != start]
            if node == start:
                beyond = [(it, "in") for it in there[node] if it not in firsts]
            elif node in leads:
                beyond.append((node, "in"))
        elif node == target:
            break
        elif node in leads:
            back = leads[node]
            beyond = [(back, "out")] if back != start else []
        else:
            beyond = [(node, "out")]
        for spot in beyond:
            if spot not in came:
                came[spot] = here
                queue.append(spot)
    return came


def _followed(start: str, first: str, follows: dict[str, str], target: str) -> tuple[str, ...]:
    path = [start, first]
    while path[-1] != target:
        path.append(follows[path[-1]])
    return tuple(path)


def _parting(graph: Graph) -> list[str]:
    """On each path the last node whose entrance can be reached but not its exit."""
    paths = _paths(graph)
    follows = {a: b for path in paths for a, b in pairwise(path[1:])}
    came = _searched(graph, follows, [path[1] for path in paths])
    return [
        node
        for path in paths
        for node in path[1:-1]
        if (node, "in") in came and (node, "out") not in came
    ]


def _outwards(rng: Random, near: list[int]) -> list[int]:
    """All nodes, the nearest to a random one first."""
    order = [rng.randrange(len(near))]
    left = (1 << len(near)) - 1 & ~(1 << order[0])
    for node in order:
        order += members(near[node] & left)
        left &= ~near[node]
    return order


TRIES = 25  # graphs, of which the last is taken
LADDER = (
    Knobs(8, 4.0, "random", "edge_list", "numbers"),
    Knobs(13, 4.5, "any", "any", "any"),
    Knobs(20, 5.0, "any", "any", "any"),
    Knobs(28, 6.0, "any", "any", "any"),
    Knobs(38, 7.0, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    recheck=recheck,
    hardness=_graph.size,
    proof="unique",
    solver="branching on paths",
    guess_rate=0.4,
    steps=steps,
    canon=_graph.canon_of_pair,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "connectivity", "flows"),
    peers=("G1/local_connectivity",),
    version=4,
)
