"""Node degree: how many edges a node has; in a directed graph, how many lead from it or to it.

In a directed graph `numbers` tells the place of the node in the edges that count: 1 where it is
their first node, 2 where it is their second.
"""

from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _either_way, _graph, _wording
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    graph = _either_way.drawn(rng, knobs)
    place = rng.choice((1, 2)) if graph.directed else 0
    there = _graph.behind(graph) if place == 2 else _graph.beside(graph)
    node = _either_way.evenly(rng, {each: len(there[each]) for each in graph.nodes})
    return replace(graph, asked=(node,), numbers=(place,) if place else ())


def solve(graph: Graph) -> int:
    """By networkx."""
    known, (node,) = _graph.in_networkx(graph), graph.asked
    if not graph.directed:
        return int(known.degree(node))
    return int(known.out_degree(node) if graph.numbers == (1,) else known.in_degree(node))


def verify(graph: Graph, degree: int) -> float:
    """Every edge is looked at in the list, as one would by hand."""
    ends = [edge[place - 1] for edge in graph.edges for place in graph.numbers or (1, 2)]
    return float(degree == ends.count(graph.asked[0]))


def render(graph: Graph, style: Style) -> Prompt:
    node = _wording.node(graph, graph.asked[0])
    match graph.numbers:
        case (1,):
            questions = (
                f"How many edges lead from {node} to another node?",
                f"Give the out-degree of {node} in the graph below: the number of edges that start"
                " there. Edges that end there do not count.",
                "The out-degree of a node is the number of edges whose first node it is. What is"
                f" the out-degree of {node}?",
            )
        case (2,):
            questions = (
                f"How many edges lead to {node} from another node?",
                f"Give the in-degree of {node} in the graph below: the number of edges that end"
                " there. Edges that start there do not count.",
                "The in-degree of a node is the number of edges whose second node it is. What is"
                f" the in-degree of {node}?",
            )
        case _:
            questions = (
                f"How many edges have {node} at one of their ends?",
                f"Give the degree of {node} in the graph below, which is the number of its edges.",
                "The degree of a node is the number of edges that join it to other nodes. What is"
                f" the degree of {node}?",
            )
    return _wording.posed(graph, style, "an integer", *questions)


def steps(graph: Graph) -> list[str]:
    there = _graph.behind(graph) if graph.numbers == (2,) else _graph.beside(graph)
    others = [each for each in graph.nodes if each in there[graph.asked[0]]]
    match graph.numbers:
        case (1,):
            link = "its edges lead to"
        case (2,):
            link = "its edges come from"
        case _:
            link = "its edges join it to"
    return [f"{link}: {_wording.listed(graph, others) or 'no node'}", f"count: {len(others)}"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(8, 3.0, False, "random", "edge_list", "numbers"),
    Knobs(12, 4.0, False, "any", "any", "any"),
    Knobs(20, 5.0, True, "any", "any", "any"),
    Knobs(32, 7.0, False, "any", "any", "any"),
    Knobs(48, 8.0, True, "any", "any", "any"),
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
    guess_rate=0.27,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/degree",),
    theme="degrees",
)
