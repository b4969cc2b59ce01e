"""Reachable set: the nodes that can be reached from a given one in a few steps at most."""

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
    degree: float  # edges at a node, on average, most of them one way only
    steps: int  # at most; fewer where these would reach all that can be reached
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """From a node that reaches others in one step more than are allowed."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pairs = _drawing.arcs(rng, sketch.pairs)
    graph = _drawing.dressed(rng, knobs, sketch, pairs, directed=True)
    most = (0, "")
    for start in rng.sample(graph.nodes, len(graph.nodes)):
        farthest = max(_graph.distances(graph, start).values())
        most = max(most, (min(farthest - 1, knobs.steps), start))
        if most[0] == knobs.steps:
            break
    allowed, start = most
    return replace(graph, asked=(start,), numbers=(allowed,)) if allowed > 1 else None


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx."""
    import networkx

    known, (start,), (allowed,) = _graph.in_networkx(graph), graph.asked, graph.numbers
    away = networkx.single_source_shortest_path_length(known, start, cutoff=allowed)
    return in_order(away.keys() - {start})


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    """Each step goes through the list of edges once."""
    (start,), (allowed,) = graph.asked, graph.numbers
    reached = {start}
    for _ in range(allowed):
        reached |= {b for a, b in graph.edges if a in reached}
    return float(set(nodes) == reached - {start})


def render(graph: Graph, style: Style) -> Prompt:
    start, (allowed,) = _wording.node(graph, graph.asked[0]), graph.numbers
    return _wording.posed(
        graph,
        style,
        "those nodes separated by commas",
        f"Which nodes can be reached from {start} in at most {allowed} steps, if each step follows"
        f" an edge in its direction? Do not name {start} itself.",
        f"List all nodes of the graph below, except {start}, to which a path of 1 to {allowed}"
        f" edges leads from {start}. A path follows every edge in its direction.",
        f"You stand at {start} and may go along at most {allowed} edges, one after another and each"
        f" in its direction. At which nodes other than {start} can you arrive? Name them all.",
    )


def steps(graph: Graph) -> list[str]:
    away, (allowed,) = _graph.distances(graph, graph.asked[0]), graph.numbers
    return [
        f"first reached by step {step}: "
        + _wording.listed(graph, [node for node in graph.nodes if away.get(node) == step])
        for step in range(1, allowed + 1)
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(8, 3.0, 2, "random", "edge_list", "numbers"),
    Knobs(14, 3.4, 2, "any", "any", "any"),
    Knobs(24, 3.8, 3, "any", "any", "any"),
    Knobs(36, 4.2, 4, "any", "any", "any"),
    Knobs(52, 4.2, 5, "any", "any", "any"),
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
    guess_rate=0.07,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "connectivity"),
    version=4,
)
