"""Planarity: can a graph be drawn in the plane so that no two edges cross?

A graph that cannot has one edge too many for it: without that edge it could. It has no more edges
than others, so that counting them does not help.
"""

from collections.abc import Iterable
from itertools import combinations, pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._bits import members
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair

TRIED = 8  # edges that may be the one too many
FEW = 9  # edges: three nodes joined to three have so many, and fewer can always be drawn

Face = tuple[int, list[int]]  # the nodes round it, as bits and in order
Piece = tuple[int, int]  # of what is not drawn, as bits: drawn nodes where it hangs, its own nodes


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """A tree is drawn, and edges are drawn into the faces round it. In half of the graphs one that
    fits into no face takes the place of the last."""
    wanted = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, 2 * wanted)
    tree = _drawing.spanning(sketch.nodes, sketch.pairs)
    others = list(combinations(range(sketch.nodes), 2))
    rng.shuffle(others)
    halves = sketch.source == "bipartite"
    wishes = dict.fromkeys(sketch.pairs)
    wishes |= dict.fromkeys(pair for pair in others if sum(pair) % 2 or not halves)
    faces, inside, past = [_face(_round(rng, tree))], list[Pair](), list[Pair]()
    for pair in tree:
        del wishes[pair]
    for pair in wishes:
        if len(tree) + len(inside) == wanted and len(past) >= TRIED:
            break
        face = _holding(faces, 1 << pair[0] | 1 << pair[1])
        if face is None:
            past.append(pair)
        elif len(tree) + len(inside) < wanted:
            _draw(faces, face, list(pair))
            inside.append(pair)
    *kept, last = *tree, *inside
    near = _near(sketch.nodes, kept)
    crossing = next((pair for pair in past[:TRIED] if not _can_be_drawn(near, pair)), None)
    if crossing is None:
        return None
    pairs = [*kept, last if rng.random() < 0.5 else crossing]
    return _drawing.dressed(rng, knobs, sketch, pairs)


def solve(graph: Graph) -> bool:
    """By networkx: left and right sides of the edges of a tree."""
    import networkx

    planar, _ = networkx.check_planarity(_graph.in_networkx(graph))
    return bool(planar)


def verify(graph: Graph, planar: bool) -> float:
    """Each part that does not fall apart at a node is drawn by itself, path after path."""
    import networkx

    parts = networkx.biconnected_component_edges(_graph.in_networkx(graph))
    place = {node: at for at, node in enumerate(graph.nodes)}
    near = _near(len(place), [(place[a], place[b]) for a, b in graph.edges])
    edges = [part[0] for part in map(list, parts) if len(part) >= FEW]
    return float(planar == all(_can_be_drawn(near, (place[a], place[b])) for a, b in edges))


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


def _face(walk: list[int]) -> Face:
    nodes = 0
    for node in walk:
        nodes |= 1 << node
    return nodes, walk


def _holding(faces: list[Face], nodes: int) -> Face | None:
    """The first face with these nodes, told as bits, round it."""
    for face in faces:
        if face[0] & nodes == nodes:
            return face
    return None


def _draw(faces: list[Face], face: Face, path: list[int]) -> None:
    """A path is drawn into a face, which makes two of it."""
    faces.remove(face)
    start = face[1].index(path[0])
    turned = face[1][start:] + face[1][:start]
    end = turned.index(path[-1])
    faces += [_face(turned[: end + 1] + path[-2:0:-1]), _face(turned[end:] + path[:-1])]


def _near(nodes: int, pairs: Iterable[Pair]) -> list[int]:
    """The neighbours of each node, as bits."""
    near = [0] * nodes
    for a, b in pairs:
        near[a] |= 1 << b
        near[b] |= 1 << a
    return near


def _can_be_drawn(near: list[int], edge: Pair) -> bool:
    """Demoucron's method, for the part round an edge that does not fall apart at a node. A cycle
    with the edge is drawn; then of the pieces that are not drawn one that fits into the fewest
    faces gets a path drawn, until a piece fits into none or all is drawn."""
    a, b = edge
    left = near[:]  # neighbours by edges that are not drawn
    left[a] &= ~(1 << b)
    left[b] &= ~(1 << a)
    every = (1 << len(near)) - 1
    cycle = _path(left, 1 << a | 1 << b, every & ~(1 << a | 1 << b))
    if not cycle:
        return True  # no cycle goes through the edge
    _leave_out(left, cycle)
    faces, fixed = [_face(cycle), _face(cycle[::-1])], _face(cycle)[0]
    pieces = _pieces(left, fixed, fixed, every & ~fixed)
    while pieces:
        fewest = len(faces) + 1
        for piece in pieces:
            count = [piece[0] & nodes for nodes, _ in faces].count(piece[0])
            if count < fewest:
                fewest, (ends, inner) = count, piece
                if count < 2:
                    break
        face = _holding(faces, ends)
        if face is None:
            return False
        pieces.remove((ends, inner))
        path = _path(left, ends, inner)
        _draw(faces, face, path)
        _leave_out(left, path)
        fresh = _face(path)[0] & ~fixed
        fixed |= fresh
        pieces += _pieces(left, fixed, fresh, inner & ~fresh)
    return True


def _leave_out(left: list[int], path: list[int]) -> None:
    for a, b in pairwise(path):
        left[a] &= ~(1 << b)
        left[b] &= ~(1 << a)


def _pieces(left: list[int], fixed: int, fresh: int, inner: int) -> list[Piece]:
    """What is not drawn: edges from fresh nodes to drawn ones, and what of the inner nodes hangs
    together without those. A piece that hangs at one node is no part of what is drawn."""
    pieces = list[Piece]()
    for a in members(fresh):
        once = left[a] & fixed & ~(fresh & ((1 << a) - 1))
        pieces += [(1 << a | 1 << b, 0) for b in members(once)]
    while inner:
        part, rim, ends = 0, inner & -inner, 0
        while rim:
            part |= rim
            reached = 0
            for node in members(rim):
                reached |= left[node]
            ends |= reached & fixed
            rim = reached & inner & ~part
        inner &= ~part
        if ends & (ends - 1):
            pieces.append((ends, part))
    return pieces


def _path(left: list[int], ends: int, inner: int) -> list[int]:
    """A path from the first of the ends to another by way of inner nodes, the shortest; empty if
    there is none. Where there are no inner nodes it is an edge."""
    start = (ends & -ends).bit_length() - 1
    others = ends & (ends - 1)
    came, queue = {start: start}, [start]
    for node in queue:
        if (node != start or not inner) and (met := left[node] & others):
            path = [(met & -met).bit_length() - 1, node]
            while path[-1] != start:
                path.append(came[path[-1]])
            return path
        fresh = left[node] & inner
        inner &= ~fresh
        for other in members(fresh):
            came[other] = node
            queue.append(other)
    return []


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
    version=2,
)
