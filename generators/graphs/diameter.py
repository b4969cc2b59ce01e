"""Diameter: the distance of the two nodes of a graph that are farthest apart."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _eccentricity, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    return _eccentricity.drawn(rng, knobs, length=0.75)


def solve(graph: Graph) -> int:
    """By networkx."""
    import networkx

    return int(networkx.diameter(_graph.in_networkx(graph)))


def verify(graph: Graph, diameter: int) -> float:
    """The greatest of the eccentricities, by growing a ball around each node."""
    return float(diameter == max(_eccentricity.eccentricities(graph).values()))


def render(graph: Graph, style: Style) -> Prompt:
    one, two, three = _eccentricity.TOLD
    return _wording.posed(
        graph,
        style,
        "one integer",
        f"{one} The diameter of a graph is the greatest eccentricity of its nodes. What is the"
        " diameter of this graph?",
        f"{two} Find the diameter of the graph below, which is the greatest eccentricity of"
        " any of its nodes.",
        f"{three} How great is the greatest eccentricity of all nodes, which is called the diameter"
        " of the graph?",
    )


def steps(graph: Graph) -> list[str]:
    return [*_eccentricity.told(graph), f"the greatest of these: {solve(graph)}"]


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
    answer=answers.Integer(),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.4,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "shortest paths"),
    peers=("G1/diameter",),
    theme="all_distances",
    version=3,
)
