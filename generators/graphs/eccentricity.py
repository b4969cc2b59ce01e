"""Eccentricity: how far the node is that is farthest from a given one."""

from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _eccentricity, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Each eccentricity that a node has is asked for as often as any other."""
    graph = _eccentricity.drawn(rng, knobs, length=0.75)
    found = _eccentricity.eccentricities(graph)
    wanted = rng.choice(sorted(set(found.values())))
    asked = rng.choice([node for node in graph.nodes if found[node] == wanted])
    return replace(graph, asked=(asked,))


def solve(graph: Graph) -> int:
    """By networkx."""
    import networkx

    return int(networkx.eccentricity(_graph.in_networkx(graph), graph.asked[0]))


def verify(graph: Graph, eccentricity: int) -> float:
    """By growing a ball around the node until it holds all of them."""
    return float(eccentricity == _eccentricity.eccentricities(graph)[graph.asked[0]])


def render(graph: Graph, style: Style) -> Prompt:
    start = _wording.node(graph, graph.asked[0])
    one, two, three = _eccentricity.TOLD
    return _wording.posed(
        graph,
        style,
        "one integer",
        f"{one} What is the eccentricity of {start}?",
        f"{two} Find the eccentricity of {start} in the graph below.",
        f"{three} How great is the eccentricity of {start}?",
    )


def steps(graph: Graph) -> list[str]:
    """The nodes by their distance."""
    away = _graph.distances(graph, graph.asked[0])
    most = max(away.values())
    return [
        f"at {step}: " + _wording.listed(graph, [it for it in graph.nodes if away[it] == step])
        for step in range(most + 1)
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(9, 3.0, "random", "edge_list", "numbers"),
    Knobs(14, 3.0, "any", "any", "any"),
    Knobs(24, 3.2, "any", "any", "any"),
    Knobs(36, 3.6, "any", "any", "any"),
    Knobs(50, 4.0, "any", "any", "any"),
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
    theme="all_distances",
    version=3,
)
