"""Planarity: can a graph be drawn in the plane so that no two edges cross?

A graph that cannot has one edge too many for it: without that edge it could. It has no more edges
than others, so that counting them does not help.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, pairwise
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair

TRIED = 8  # edges that may be the one too many

Edges = list[tuple[str, str]]
Ends = tuple[set[str], list[str]]  # of a piece that is not drawn: where it hangs, a path through it


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """A tree is drawn, and edges are drawn into the faces round it. In half of the graphs one that
    fits into no face takes the place of the last."""
    wanted = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, 2 * wanted)
    tree = _drawing.spanning(sketch.nodes, sketch.pairs)
    others = list(combinations(range(sketch.nodes), 2))
    rng.shuffle(others)
    halves = sketch.source == "bipartite"
    wishes = [*sketch.pairs, *((a, b) for a, b in others if (a + b) % 2 or not halves)]
    faces, inside, past = [_round(rng, tree)], list[Pair](), list[Pair]()
    for pair in dict.fromkeys(wishes):
        if pair in tree:
            continue
        if len(tree) + len(inside) == wanted and len(past) >= TRIED:
            break
        face = next((it for it in faces if pair[0] in it and pair[1] in it), None)
        if face is None:
            past.append(pair)
        elif len(tree) + len(inside) < wanted:
            faces.remove(face)
            faces += _halves(face, list(pair))
            inside.append(pair)
    plane = [*tree, *inside]
    crossed = [[*plane[:-1], pair] for pair in past[:TRIED]]
    graphs = (_drawing.dressed(rng, knobs, sketch, pairs) for pairs in crossed)
    crossing = next((graph for graph in graphs if not solve(graph)), None)
    if crossing is None or rng.random() < 0.5:
        return crossing
    return _drawing.dressed(rng, knobs, sketch, plane)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(graph: Graph) -> bool:
    """By networkx: left and right sides of the edges of a tree."""
    import networkx

    planar, _ = networkx.check_planarity(_graph.in_networkx(graph))
    return bool(planar)


def verify(graph: Graph, planar: bool) -> float:
    """Each part that does not fall apart at a node is drawn by itself, path after path."""
    import networkx

    parts = networkx.biconnected_component_edges(_graph.in_networkx(graph))
    return float(planar == all(_can_be_drawn(list(part)) for part in parts))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "yes or no",
        "A graph is planar if it can be drawn on a flat sheet so that edges, which may be curved,"
        " meet only at the nodes they share. Is this graph planar?",
        "Can the graph below be drawn on paper without any two edges crossing? Its nodes may be put"
        " anywhere, and its edges may be curved.",
        "Suppose the nodes are points that you place freely on a plane, and the edges are lines,"
        " straight or curved, between them. Can it be done so that no two lines cross?",
    )


def steps(graph: Graph) -> list[str]:
    """The faces of a drawing; or the five or six nodes that cannot be joined without a crossing,
    and the paths between them."""
    import networkx

    planar, proof = networkx.check_planarity(_graph.in_networkx(graph), counterexample=True)
    if planar:
        seen: set[tuple[str, str]] = set()
        faces = [proof.traverse_face(*half, seen) for half in proof.edges if half not in seen]
        count = f"{len(graph.nodes)} nodes - {len(graph.edges)} edges + {len(faces)} faces = 2"
        return [*(f"face: {_shown(graph, face)}" for face in faces), count]
    corners = [node for node in graph.nodes if node in proof and proof.degree(node) > 2]
    paths = []
    for corner in corners:
        for first in proof[corner]:
            path = [corner, first]
            while path[-1] not in corners:
                path += [node for node in proof[path[-1]] if node != path[-2]]
            paths += [path] if corners.index(corner) < corners.index(path[-1]) else []
    kind = "each joined to each" if len(corners) == 5 else "three joined to three"
    lines = [f"path: {_shown(graph, path)}" for path in paths]
    return [f"{_wording.listed(graph, corners)}, {kind}:", *lines]


def _shown(graph: Graph, nodes: Iterable[str]) -> str:
    return " ".join(_wording.title(graph, node) for node in nodes)


def _round(rng: Random, tree: list[Pair]) -> list[int]:
    """The walk round a tree: the only face of its drawing."""
    beside: dict[int, list[int]] = {}
    for a, b in rng.sample(tree, len(tree)):
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    walk, here = list[int](), [tree[0][0]]
    seen = set(here)
    while here:
        walk.append(here[-1])
        fresh = next((node for node in beside[here[-1]] if node not in seen), None)
        if fresh is None:
            here.pop()
        else:
            seen.add(fresh)
            here.append(fresh)
    return walk[:-1]


def _halves(face: list[Any], path: list[Any]) -> list[list[Any]]:
    """The two faces that a path makes of the one that it is drawn into."""
    start = face.index(path[0])
    turned = face[start:] + face[:start]
    end = turned.index(path[-1])
    return [turned[: end + 1] + path[-2:0:-1], turned[end:] + path[:-1]]


def _can_be_drawn(edges: Edges) -> bool:
    """Demoucron's method. A cycle is drawn; then of the pieces that are not drawn one that fits
    into the fewest faces gets a path drawn, until a piece fits into none or all is drawn."""
    if len(edges) < 9:  # three joined to three are nine
        return True
    beside: dict[str, set[str]] = {}
    for a, b in edges:
        beside.setdefault(a, set()).add(b)
        beside.setdefault(b, set()).add(a)
    cycle = _cycle(beside)
    faces, drawn = [cycle, cycle[::-1]], {frozenset(it) for it in pairwise([*cycle, cycle[0]])}
    while len(drawn) < len(edges):
        fitting = [
            ([face for face in faces if ends.issubset(face)], path)
            for ends, path in _pieces(beside, drawn)
        ]
        fits, path = min(fitting, key=lambda it: len(it[0]))
        if not fits:
            return False
        faces.remove(fits[0])
        faces += _halves(fits[0], path)
        drawn |= {frozenset(it) for it in pairwise(path)}
    return True


def _cycle(beside: dict[str, set[str]]) -> list[str]:
    """A walk that goes on until it meets itself."""
    walk = [min(beside)]
    while True:
        beyond = min(beside[walk[-1]] - set(walk[-2:-1]))
        if beyond in walk:
            return walk[walk.index(beyond) :]
        walk.append(beyond)


def _pieces(beside: dict[str, set[str]], drawn: set[frozenset[str]]) -> list[Ends]:
    """What is not drawn: edges between nodes that are, and what hangs together without those."""
    fixed = {node for edge in drawn for node in edge}
    pieces: list[Ends] = []
    for a in sorted(fixed):
        for b in sorted(beside[a] & fixed):
            if a < b and frozenset((a, b)) not in drawn:
                pieces.append(({a, b}, [a, b]))
    left = beside.keys() - fixed
    while left:
        start = min(left)
        came, queue, ends = {start: start}, [start], dict[str, str]()
        for node in queue:
            for other in sorted(beside[node]):
                if other in fixed:
                    ends.setdefault(other, node)
                elif other not in came:
                    came[other] = node
                    queue.append(other)
        left -= came.keys()
        pieces.append((set(ends), _through(came, ends)))
    return pieces


def _through(came: dict[str, str], ends: dict[str, str]) -> list[str]:
    """A path through a piece, between two of the nodes where it hangs."""
    one, two, *_ = ends
    ways = []
    for end in (one, two):
        way = [end, ends[end]]
        while came[way[-1]] != way[-1]:
            way.append(came[way[-1]])
        ways.append(way)
    first, second = ways
    while len(first) > 1 and len(second) > 1 and first[-2:] == second[-2:]:
        first.pop()
        second.pop()
    return first + second[-2::-1]


LADDER = (
    Knobs(8, 3.8, "random", "edge_list", "numbers"),
    Knobs(12, 3.7, "any", "any", "any"),
    Knobs(18, 3.7, "any", "any", "any"),
    Knobs(26, 3.7, "any", "any", "any"),
    Knobs(38, 3.8, "any", "any", "any"),
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
    skills=("graphs", "planarity"),
)
