"""Nodes at a distance: all nodes that are exactly so many edges away from a given node."""

from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average; a real graph has as many as it has
    away: int  # the distance that is asked for, at most; two at least
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    graph = _drawing.dressed(rng, knobs, sketch, sketch.pairs, asked=[rng.randrange(sketch.nodes)])
    farthest = max(_graph.distances(graph, *graph.asked).values())
    if farthest < 2:
        return None
    return replace(graph, numbers=(rng.randint(2, min(knobs.away, farthest)),))


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx."""
    import networkx

    (start,), (distance,) = graph.asked, graph.numbers
    away = networkx.single_source_shortest_path_length(_graph.in_networkx(graph), start)
    return in_order(node for node, edges in away.items() if edges == distance)


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    """A ball grows around the node, edge by edge; what comes in last is asked for."""
    (distance,) = graph.numbers
    ball, border = set[str](), set(graph.asked)
    for _ in range(distance):
        ball |= border
        border = {end for edge in graph.edges if not border.isdisjoint(edge) for end in edge} - ball
    return float(set(nodes) == border)


def render(graph: Graph, style: Style) -> Prompt:
    start = _wording.node(graph, *graph.asked)
    (distance,) = graph.numbers
    return _wording.posed(
        graph,
        style,
        "those nodes separated by commas",
        "The distance between two nodes is the number of edges on a shortest path from one to the"
        f" other. Which nodes are at distance exactly {distance} from {start}?",
        f"Find all nodes of the graph below that can be reached from {start} by going along"
        f" {distance} edges one after another, but not by going along fewer.",
        f"Neighbours of {start} are one step away from it, the neighbours of these that are no"
        " nearer are two steps away, and so on. List all nodes that are exactly"
        f" {distance} steps away.",
    )


def steps(graph: Graph) -> list[str]:
    (start,), (distance,) = graph.asked, graph.numbers
    away, lines = _graph.distances(graph, start), []
    for edges in range(1, distance + 1):
        nodes = [node for node in graph.nodes if away.get(node) == edges]
        lines.append(f"distance {edges}: {_wording.listed(graph, nodes)}")
    return lines


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(8, 2.6, 2, "random", "edge_list", "numbers"),
    Knobs(14, 2.9, 3, "any", "any", "any"),
    Knobs(22, 3.2, 4, "any", "any", "any"),
    Knobs(34, 3.5, 5, "any", "any", "any"),
    Knobs(50, 3.8, 6, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="nodes"),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.08,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "shortest paths"),
    version=3,
)
