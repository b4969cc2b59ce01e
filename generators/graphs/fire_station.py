"""Fire stations: k nodes, chosen so that the node farthest from them is as near as can be.

Several choices may be equally good, so `verify` measures how far every node is from those of the
answer, and searches all sets of k nodes that may be nearer still to the farthest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _sat
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average; a real graph has as many as it has
    stations: int  # to be placed
    longest: int  # length of an edge, at most
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    lengths = [rng.randint(1, knobs.longest) for _ in sketch.pairs]
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs, lengths, numbers=[knobs.stations])


def solve(graph: Graph) -> tuple[str, ...]:
    return _best(graph)[1]


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    away = _apart(graph)
    if (
        len(nodes) != graph.numbers[0]
        or len(set(nodes)) < len(nodes)
        or not set(nodes) <= set(away)
    ):
        return 0.0
    farthest = max(min(row[node] for node in nodes) for row in away.values())
    return float(not _nearer(graph, farthest))


def recheck(graph: Graph, nodes: tuple[str, ...]) -> bool:
    """By networkx: as far from all nodes as those that the SAT solver chose."""
    import networkx

    known = _graph.in_networkx(graph)
    if (
        len(set(nodes)) != len(nodes)
        or len(nodes) != graph.numbers[0]
        or not set(nodes) <= {*known}
    ):
        return False
    away = networkx.multi_source_dijkstra_path_length(known, set(nodes))
    return bool(max(away.values()) == _best(graph)[0])


def render(graph: Graph, style: Style) -> Prompt:
    (count,) = graph.numbers
    return _wording.posed(
        graph,
        style,
        f"those {count} nodes separated by commas",
        f"Fire stations are to be built at {count} nodes. The distance between a node and a"
        " station is the least total length of the edges on a path from one to the other. Choose"
        " the nodes so that the greatest distance from any node to its nearest station is as small"
        " as possible. If several choices are equally good, any of them will do.",
        f"Find {count} nodes of the graph below, the centres, for which the greatest distance of"
        " any node from the nearest centre is as small as possible. The distance between two nodes"
        " is the least sum of the lengths of the edges on a path between them. Any best choice will"
        " do.",
        f"From {count} nodes of this graph, fire engines set out. Each node is reached by the"
        " engine that has the shortest way to it, the lengths of the edges on the way added up."
        " For which nodes is the longest of these ways as short as possible? Give any best choice.",
        number="length",
    )


def steps(graph: Graph) -> list[str]:
    """How far each node is from the nearest station."""
    away, (best, chosen) = _apart(graph), _best(graph)
    lines = []
    for station in chosen:
        near = [it for it in graph.nodes if min(chosen, key=away[it].__getitem__) == station]
        told = ", ".join(f"{title(graph, it)} at {away[it][station]}" for it in near)
        lines.append(f"{title(graph, station)} is nearest to {told}")
    return [*lines, f"the farthest at {best}; no choice has less"]


@lru_cache(maxsize=1024)
def _best(graph: Graph) -> tuple[int, tuple[str, ...]]:
    """The least distance and the nodes, by SAT: half of the distances that may be the least are
    ruled out by each question whether so many nodes have all others within one."""
    number = {node: at for at, node in enumerate(graph.nodes, 1)}
    away, (count,) = _apart(graph), graph.numbers
    few = _sat.at_most(count, len(number))
    radii = sorted({far for row in away.values() for far in row.values()})
    low, high, chosen = 0, len(radii) - 1, set(number.values())
    while low <= high:
        middle = (low + high) // 2
        within = [
            [number[it] for it, far in row.items() if far <= radii[middle]] for row in away.values()
        ]
        model = _sat.any_model([*few, *within])
        if model is None:
            low = middle + 1
        else:
            high, chosen = middle - 1, model
    nodes = [node for node in graph.nodes if number[node] in chosen]
    spare = [node for node in graph.nodes if node not in nodes]
    return radii[low], in_order([*nodes, *spare[: count - len(nodes)]])


@lru_cache(maxsize=256)
def _apart(graph: Graph) -> Mapping[str, Mapping[str, int]]:
    """The distance of each two nodes, by way of more and more of the nodes."""
    import numpy

    place = {node: at for at, node in enumerate(graph.nodes)}
    away = numpy.full((len(place), len(place)), sum(graph.weights) + 1)
    numpy.fill_diagonal(away, 0)
    for (a, b), length in zip(graph.edges, graph.weights):
        away[place[a], place[b]] = away[place[b], place[a]] = length
    for row in away:
        numpy.minimum(away, numpy.add.outer(row, row), out=away)
    return {node: dict(zip(place, row)) for node, row in zip(place, away.tolist())}


@lru_cache(maxsize=1024)
def _nearer(graph: Graph, than: int) -> bool:
    """Whether some stations are nearer than so much to every node: each must have one of those near
    it, so the node with the fewest of these is tried first."""
    away, (count,) = _apart(graph), graph.numbers
    near = [
        sum([1 << at for at, far in enumerate(row.values()) if far < than]) for row in away.values()
    ]
    return _enough((1 << len(near)) - 1, near, count)


def _enough(missed: int, near: list[int], count: int) -> bool:
    if not missed:
        return True
    widest = max((near[at] & missed).bit_count() for at in range(len(near)))
    if missed.bit_count() > count * widest:
        return False
    node = min(
        (at for at in range(len(near)) if missed >> at & 1), key=lambda it: near[it].bit_count()
    )
    return any(
        _enough(missed & ~near[at], near, count - 1)
        for at in range(len(near))
        if near[node] >> at & 1
    )


LADDER = (
    Knobs(9, 2.7, 2, 12, "random", "edge_list", "numbers"),
    Knobs(11, 3.0, 2, 15, "any", "any", "any"),
    Knobs(15, 3.0, 3, 20, "any", "any", "any"),
    Knobs(20, 3.2, 3, 30, "any", "any", "any"),
    Knobs(28, 3.2, 4, 40, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="nodes"),
    recheck=recheck,
    hardness=_graph.size,
    solver="SAT (minisat)",
    guess_rate=0.12,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    version=3,
)
