"""Weak components: into how many parts a directed graph falls if directions do not matter."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _parts, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    sketch = _parts.scattered(rng, knobs, _parts.number(rng, knobs.nodes))
    return _drawing.dressed(rng, knobs, sketch, _drawing.arcs(rng, sketch.pairs), directed=True)


def solve(graph: Graph) -> int:
    """By networkx."""
    import networkx

    return int(networkx.number_weakly_connected_components(_graph.in_networkx(graph)))


def verify(graph: Graph, count: int) -> float:
    """Every node begins as a part of its own, and an edge makes one part of two."""
    return float(count == len(_parts.merged(graph)))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "one integer",
        "Two nodes are in the same weak component of a directed graph if one can get from one to"
        " the other along edges, following each edge in its direction or against it; a node without"
        " edges is a weak component by itself. How many weak components does this graph have?",
        "Count the weakly connected components of the graph below: take every edge to go both ways,"
        " and count the parts within which one can get from each node to every other. A node that"
        " no edge touches is such a part.",
        "If the directions of the edges do not matter, into how many parts that no edge joins does"
        " the graph fall? A node without any edge is a part too.",
    )


def steps(graph: Graph) -> list[str]:
    place = {node: at for at, node in enumerate(graph.nodes)}
    parts = sorted(sorted(map(place.__getitem__, part)) for part in _parts.merged(graph))
    return [
        f"part {count}: {_wording.listed(graph, [graph.nodes[at] for at in part])}"
        for count, part in enumerate(parts, 1)
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(12, 2.6, "random", "edge_list", "numbers"),
    Knobs(20, 2.6, "any", "any", "any"),
    Knobs(28, 2.5, "any", "any", "any"),
    Knobs(40, 2.5, "any", "any", "any"),
    Knobs(56, 2.6, "any", "any", "any"),
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
    guess_rate=0.3,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "connectivity"),
    peers=("G1/weakly_connected_number",),
    theme="component_count",
)
