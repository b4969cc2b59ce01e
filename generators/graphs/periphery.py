"""Periphery: the nodes from which the farthest node is farthest."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _eccentricity, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Not where all nodes are alike."""
    graph = _eccentricity.drawn(rng, knobs)
    return graph if len(set(_eccentricity.eccentricities(graph).values())) > 1 else None


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx."""
    import networkx

    return in_order(networkx.periphery(_graph.in_networkx(graph)))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    """By growing a ball around each node until it holds all of them."""
    found = _eccentricity.eccentricities(graph)
    greatest = max(found.values())
    return float(set(nodes) == {node for node in graph.nodes if found[node] == greatest})


def render(graph: Graph, style: Style) -> Prompt:
    one, two, three = _eccentricity.TOLD
    return _wording.posed(
        graph,
        style,
        "those nodes separated by commas",
        f"{one} The periphery of a graph is made of all nodes of the greatest eccentricity. Which"
        " nodes are they?",
        f"{two} Find the periphery of the graph below: all nodes with the greatest eccentricity.",
        f"{three} List all nodes for which no other node has a greater eccentricity; they are"
        " called the periphery of the graph.",
    )


def steps(graph: Graph) -> list[str]:
    nodes = _wording.listed(graph, solve(graph))
    return [*_eccentricity.told(graph), f"the greatest of these: {nodes}"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(9, 3.0, "random", "edge_list", "numbers"),
    Knobs(14, 3.2, "any", "any", "any"),
    Knobs(19, 3.2, "any", "any", "any"),
    Knobs(28, 3.4, "any", "any", "any"),
    Knobs(40, 3.6, "any", "any", "any"),
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
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "shortest paths"),
    peers=("G1/periphery",),
    theme="all_distances",
    version=4,
)
