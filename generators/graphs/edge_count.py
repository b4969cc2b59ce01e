"""Edge count: how many edges a graph has."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _either_way, _graph, _wording
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    return _either_way.drawn_thin_or_thick(rng, knobs)


def solve(graph: Graph) -> int:
    """By networkx."""
    return int(_graph.in_networkx(graph).number_of_edges())


def verify(graph: Graph, edges: int) -> float:
    """The edges are counted at each node; an undirected one is met twice, once at each end."""
    met = sum(len(others) for others in _graph.beside(graph).values())
    return float(met == (edges if graph.directed else 2 * edges))


def render(graph: Graph, style: Style) -> Prompt:
    twice = (
        " If edges go both ways between two nodes, those are two edges."
        if graph.directed
        else " An edge counts once, even where it is written at both of its ends."
    )
    return _wording.posed(
        graph,
        style,
        "an integer",
        f"How many edges does the graph have?{twice}",
        f"Count the edges of the graph below.{twice}",
        f"Find the size of the graph, which is the number of its edges.{twice}",
    )


def steps(graph: Graph) -> list[str]:
    """The edges at each node, and their sum."""
    counts = {node: len(others) for node, others in _graph.beside(graph).items()}
    side = "from" if graph.directed else "at"
    each = ", ".join(f"{_wording.title(graph, node)} {count}" for node, count in counts.items())
    lines = [f"edges {side} each node: {each}", f"sum: {sum(counts.values())}"]
    if graph.directed:
        return lines
    return [*lines, f"each edge was counted twice: {sum(counts.values()) // 2} edges"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(9, 3.0, False, "random", "edge_list", "numbers"),
    Knobs(13, 3.5, False, "any", "any", "any"),
    Knobs(18, 4.0, True, "any", "any", "any"),
    Knobs(26, 5.0, False, "any", "any", "any"),
    Knobs(36, 6.0, True, "any", "any", "any"),
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
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/edge_number",),
)
