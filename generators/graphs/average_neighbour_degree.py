"""Average neighbour degree: how many edges the neighbours of a node have, on average."""

from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    """The node has two neighbours or more."""
    graph = _drawing.drawn(rng, knobs)
    there = _graph.beside(graph)
    node = rng.choice([each for each in graph.nodes if len(there[each]) > 1])
    return replace(graph, asked=(node,))


def solve(graph: Graph) -> Fraction:
    """By networkx, whose own average is a float."""
    known = _graph.in_networkx(graph)
    others = list(known.neighbors(graph.asked[0]))
    return Fraction(sum(degree for _, degree in known.degree(others)), len(others))


def verify(graph: Graph, average: Fraction) -> float:
    """The edges with an end beside the node are counted from their list, once for each such end."""
    (node,) = graph.asked
    beside = {a if b == node else b for a, b in graph.edges if node in (a, b)}
    ends = sum((a in beside) + (b in beside) for a, b in graph.edges)
    return float(average * len(beside) == ends)


def render(graph: Graph, style: Style) -> Prompt:
    node = _wording.node(graph, graph.asked[0])
    return _wording.posed(
        graph,
        style,
        "a fraction in lowest terms, such as 7/2, or an integer",
        "The degree of a node is the number of its edges. The neighbours of a"
        " node are the nodes that an edge joins to it. What is the average degree of the"
        f" neighbours of {node}?",
        f"Take all nodes that have an edge with {node} in the graph below. Count the edges of each"
        f" of them, those with {node} among them, and give the average of these counts.",
        f"The neighbours of {node} are the nodes at the other ends of the edges of {node}. Count"
        " all edges of each neighbour, add up these numbers, and divide by the number of"
        " neighbours. What is the result?",
    )


def steps(graph: Graph) -> list[str]:
    there, (node,) = _graph.beside(graph), graph.asked
    degree = {each: len(there[each]) for each in graph.nodes if each in there[node]}
    each = ", ".join(f"{_wording.title(graph, other)} {count}" for other, count in degree.items())
    total = sum(degree.values())
    return [
        f"neighbours and their degrees: {each}",
        f"average: {total} / {len(degree)} = {Fraction(total, len(degree))}",
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(8, 3.0, "random", "edge_list", "numbers"),
    Knobs(12, 4.0, "any", "any", "any"),
    Knobs(18, 5.0, "any", "any", "any"),
    Knobs(26, 6.5, "any", "any", "any"),
    Knobs(36, 8.0, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.16,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    slips=_measures.elsewhere(solve),
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/avg_neighbor_degree",),
    version=2,
)
