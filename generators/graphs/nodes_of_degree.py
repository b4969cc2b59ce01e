"""Nodes of a degree: how many nodes have so many edges or more.

In a directed graph the edges that lead to a node count, which most encodings scatter.
"""

from collections import Counter
from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _either_way, _graph, _wording
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Some nodes have so many edges, and some do not."""
    graph = _either_way.drawn(rng, knobs)
    found = sorted({len(others) for others in _graph.behind(graph).values()})
    return replace(graph, numbers=(rng.choice(found[1:]),)) if found[1:] else None


def solve(graph: Graph) -> int:
    """By networkx."""
    known, (least,) = _graph.in_networkx(graph), graph.numbers
    degrees = known.in_degree() if graph.directed else known.degree()
    return sum(degree >= least for _, degree in degrees)


def verify(graph: Graph, nodes: int) -> float:
    """The ends of the edges are counted from their list."""
    ends = Counter(b for _, b in graph.edges)
    if not graph.directed:
        ends.update(a for a, _ in graph.edges)
    return float(nodes == sum(count >= graph.numbers[0] for count in ends.values()))


def render(graph: Graph, style: Style) -> Prompt:
    (least,) = graph.numbers
    edges = f"{least} edges" if least > 1 else f"{least} edge"
    if graph.directed:
        questions = (
            f"How many nodes have at least {edges} leading to them?",
            "The in-degree of a node is the number of edges that lead to it. Count the nodes of the"
            f" graph below whose in-degree is {least} or more.",
            f"To how many nodes do {edges} or more lead?",
        )
    else:
        questions = (
            f"How many nodes have at least {edges}?",
            "The degree of a node is the number of its edges. Count the nodes of the graph below"
            f" whose degree is {least} or more.",
            f"How many nodes are at an end of {edges} or more?",
        )
    return _wording.posed(graph, style, "an integer", *questions)


def steps(graph: Graph) -> list[str]:
    counts = {node: len(others) for node, others in _graph.behind(graph).items()}
    enough = [node for node in graph.nodes if counts[node] >= graph.numbers[0]]
    side = "to" if graph.directed else "at"
    each = ", ".join(f"{_wording.title(graph, node)} {count}" for node, count in counts.items())
    return [
        f"edges {side} each node: {each}",
        f"{graph.numbers[0]} or more: {_wording.listed(graph, enough)}",
        f"count: {len(enough)}",
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(8, 3.0, False, "random", "edge_list", "numbers"),
    Knobs(12, 3.5, False, "any", "any", "any"),
    Knobs(18, 4.5, True, "any", "any", "any"),
    Knobs(26, 5.5, False, "any", "any", "any"),
    Knobs(40, 6.5, True, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.19,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    theme="degrees",
    version=4,
)
