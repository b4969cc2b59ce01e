"""Radius: how far the farthest node is from the node for which that is least."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _eccentricity, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Each radius has about the same chance: else one of them would be right half the time. It is
    at least half the number of layers, and not much more as a rule."""
    longest = min(knobs.nodes * 3 // 4, _eccentricity.LAYERS)
    wanted = rng.randint(2 + knobs.nodes // 20, min(3 + knobs.nodes // 7, 7))
    most = max(2, min(longest, 2 * wanted + 1))
    for _ in range(TRIES):
        sketch = _eccentricity.layered(rng, knobs, min(most, max(2, 2 * wanted - 6)), most)
        if _eccentricity.radius(sketch) == wanted:
            break
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs)


def solve(graph: Graph) -> int:
    """By networkx."""
    import networkx

    return int(networkx.radius(_graph.in_networkx(graph)))


def verify(graph: Graph, radius: int) -> float:
    """The least of the eccentricities, by growing a ball around each node."""
    return float(radius == min(_eccentricity.eccentricities(graph).values()))


def render(graph: Graph, style: Style) -> Prompt:
    one, two, three = _eccentricity.TOLD
    return _wording.posed(
        graph,
        style,
        "one integer",
        f"{one} The radius of a graph is the least eccentricity of its nodes. What is the radius"
        " of this graph?",
        f"{two} Find the radius of the graph below, which is the least eccentricity of any of its"
        " nodes.",
        f"{three} How great is the least eccentricity of all nodes, which is called the radius of"
        " the graph?",
    )


def steps(graph: Graph) -> list[str]:
    return [*_eccentricity.told(graph), f"the least of these: {solve(graph)}"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


TRIES = 25  # graphs, of which the last is taken
LADDER = (
    Knobs(11, 3.4, "random", "edge_list", "numbers"),
    Knobs(16, 3.3, "any", "any", "any"),
    Knobs(22, 3.3, "any", "any", "any"),
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
    peers=("G1/radius",),
    theme="all_distances",
    version=5,
)
