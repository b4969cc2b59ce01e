"""Message passing: in every round each node adds its neighbours' numbers to its own.

`solve` goes through the rounds; `verify` counts the walks of so many moves, or rests, that lead
from the asked node to each node: the number there at the start comes in once for each of them.
"""

from collections import Counter
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average; a real graph has as many as it has
    rounds: int  # of message passing
    largest: int  # number of a node at the start, at most; the least is as far below zero
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    """The numbers of the question are the rounds and then the number of each node, in order."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    first = [rng.randint(-knobs.largest, knobs.largest) for _ in range(sketch.nodes)]
    asked = [rng.randrange(sketch.nodes)]
    numbers = [knobs.rounds, *first]
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs, asked=asked, numbers=numbers)


def solve(graph: Graph) -> int:
    (node,) = graph.asked
    return _rounds(graph)[-1][node]


def verify(graph: Graph, number: int) -> float:
    rounds, *first = graph.numbers
    there, walks = _graph.beside(graph), Counter(graph.asked)
    for _ in range(rounds):
        longer = Counter[str]()
        for node, count in walks.items():
            for other in (node, *there[node]):
                longer[other] += count
        walks = longer
    return float(number == sum(walks[node] * value for node, value in zip(graph.nodes, first)))


def render(graph: Graph, style: Style) -> Prompt:
    rounds, *first = graph.numbers
    node = _wording.node(graph, *graph.asked)
    start = "; ".join(f"{title(graph, it)}: {value}" for it, value in zip(graph.nodes, first))
    many = f"{rounds} rounds" if rounds > 1 else "one round"
    layers = f"{rounds} such layers" if rounds > 1 else "one such layer"
    return _wording.posed(
        graph,
        style,
        "one integer",
        f"Each node has a number. At the start these are\n{start}\nIn a round, all nodes at once"
        " get new numbers: the new number of a node is its old number plus the old numbers of all"
        f" its neighbours. Which number does {node} have after {many}?",
        "On the graph below, numbers are passed along the edges. The nodes start with the"
        f" numbers\n{start}\nIn every round each node sends its number to all its neighbours, and"
        " then adds all numbers that it was sent to its own. Find the number of"
        f" {node} after {many}.",
        "A simple graph neural network has one number at each node:\n"
        f"{start}\nEach layer replaces all of them at the same time. What a node gets is the sum"
        " of its own number and those of the nodes joined to it by an edge, all as they were"
        f" before the layer. What is the number at {node} after {layers}?",
    )


def steps(graph: Graph) -> list[str]:
    """The numbers after each round, as far as they still matter."""
    (asked,) = graph.asked
    away, found = _graph.distances(graph, asked), _rounds(graph)
    last = len(found) - 1
    lines = []
    for done, numbers in enumerate(found):
        near = [node for node in graph.nodes if away[node] <= last - done]
        told = ", ".join(f"{title(graph, node)} {numbers[node]}" for node in near)
        lines.append(f"after round {done}: {told}" if done else f"start: {told}")
    return lines


def progress(graph: Graph, lines: Lines) -> float:
    return states_followed(FAMILY, graph, lines)


def canon(graph: Graph) -> object:
    """The graph with the number of each node, and which of them is asked for."""
    rounds, *first = graph.numbers
    place = {node: at for at, node in enumerate(graph.nodes)}
    marks = [2 * value + (node in graph.asked) for node, value in zip(graph.nodes, first)]
    pairs = [(place[a], place[b]) for a, b in graph.edges]
    return [rounds, canonical(len(place), pairs, marks=marks)]


def work(graph: Graph) -> float:
    return _graph.size(graph) * graph.numbers[0]


def _rounds(graph: Graph) -> list[dict[str, int]]:
    """The number of each node at the start and after every round."""
    rounds, *first = graph.numbers
    found = [dict(zip(graph.nodes, first))]
    for _ in range(rounds):
        old, new = found[-1], dict(found[-1])
        for a, b in graph.edges:
            new[a] += old[b]
            new[b] += old[a]
        found.append(new)
    return found


LADDER = (
    Knobs(8, 2.6, 1, 9, "random", "edge_list", "numbers"),
    Knobs(10, 2.8, 2, 9, "any", "any", "any"),
    Knobs(14, 3.0, 3, 20, "any", "any", "any"),
    Knobs(20, 3.2, 4, 20, "any", "any", "any"),
    Knobs(28, 3.5, 5, 50, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=work,
    proof="unique",
    solver="round by round",
    guess_rate=0.06,
    steps=steps,
    progress=progress,
    canon=canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    version=2,
)
