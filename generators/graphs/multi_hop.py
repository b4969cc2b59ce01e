"""Multi-hop: from a node so many edges on, or along edges with given labels; where does one end?

The same edges leave every node: one, or one with each label. `verify` asks backwards from which
nodes one would come to the answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Sketch
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._wording import AnyEncoding, title


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph
    hops: int  # edges from the start to the end
    labels: int  # edges out of each node, with labels from 1 on; a single one goes without
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    """The start is the one of a few from which the way comes through most nodes."""
    nodes, labels = range(knobs.nodes), range(1, knobs.labels + 1)
    arcs = []
    for node in nodes:
        others = rng.sample(nodes[:-1], knobs.labels)
        arcs += [(node, other + (other >= node)) for other in others]
    marks = [*labels] * knobs.nodes if knobs.labels > 1 else []
    numbers = [rng.choice(labels) for _ in range(knobs.hops)] if marks else [knobs.hops]
    sketch = Sketch(knobs.nodes, arcs, "successors")
    graph = _drawing.dressed(rng, knobs, sketch, arcs, marks, True, numbers=numbers)
    starts = [replace(graph, asked=(node,)) for node in rng.sample(graph.nodes, 4)]
    return max(starts, key=lambda it: len(set(_way(it))))


def solve(graph: Graph) -> str:
    return _way(graph)[-1]


def verify(graph: Graph, node: str) -> float:
    """From the end: which nodes lead there by the last edge, to these by the one before, ..."""
    origins = {node}
    for label in reversed(_labels(graph)):
        origins = {
            a
            for (a, b), mark in zip(graph.edges, graph.weights or [1] * len(graph.edges))
            if b in origins and mark == label
        }
    return float(graph.asked[0] in origins)


def render(graph: Graph, style: Style) -> Prompt:
    start = _wording.node(graph, graph.asked[0])
    if graph.weights:
        most, row = max(graph.weights), ", ".join(map(str, graph.numbers))
        rule = f"One edge with each label from 1 to {most} leads out of every node."
        questions = (
            f"{rule} Begin at {start} and follow the edges with these labels, in this order: {row}."
            " At which node do you end?",
            f"In the graph below, {rule[0].lower()}{rule[1:]} A walker at {start} reads the labels"
            f" {row} one after another and each time takes the edge with that label out of the node"
            " where it is. Where is it at the end?",
            f"{rule} Which node is reached from {start} if, step by step, the edges taken have the"
            f" labels {row}?",
        )
    else:
        hops = graph.numbers[0]
        rule = "One edge leads out of every node, to its successor."
        questions = (
            f"{rule} Begin at {start} and go on to the successor {hops} times. At which node do you"
            " end?",
            f"In the graph below, {rule[0].lower()}{rule[1:]} Which node is reached from {start}"
            f" after following exactly {hops} edges, if edges may be followed again?",
            f"{rule} Each step leads from a node to its successor. Where is one after {hops} steps"
            f" from {start}?",
        )
    return _wording.posed(graph, style, "the name of one node", *questions, number="label")


def steps(graph: Graph) -> list[str]:
    way = [title(graph, node) for node in _way(graph)]
    if not graph.weights:
        return [f"after {count}: {node}" for count, node in enumerate(way) if count]
    return [f"{label}: to {node}" for label, node in zip(graph.numbers, way[1:])]


def progress(graph: Graph, lines: Lines) -> float:
    return states_followed(FAMILY, graph, lines)


def _way(graph: Graph) -> list[str]:
    """All nodes in order, the start and the end as well."""
    onward: dict[tuple[str, int], str] = {}
    there: Mapping[str, Mapping[str, int]] = _graph.beside(graph)
    for node, others in there.items():
        onward.update({(node, label): other for other, label in others.items()})
    way = [graph.asked[0]]
    for label in _labels(graph):
        way.append(onward[way[-1], label])
    return way


def _labels(graph: Graph) -> tuple[int, ...]:
    """Of the edges to take; a graph without labels bears the number of edges instead."""
    return graph.numbers if graph.weights else (1,) * graph.numbers[0]


LADDER = (
    Knobs(9, 4, 1, "edge_list", "numbers"),
    Knobs(13, 9, 1, "any", "any"),
    Knobs(18, 12, 2, "any", "any"),
    Knobs(25, 20, 2, "any", "any"),
    Knobs(36, 36, 3, "any", "any"),
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
    solver="step by step",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "tracking"),
    peers=("reasoning-core/graph_successors",),
    version=2,
)
