"""Connected components: into how many parts that no edge joins a graph falls."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _parts, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    sketch = _parts.scattered(rng, knobs, _parts.number(rng, knobs.nodes))
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs)


def solve(graph: Graph) -> int:
    """By networkx."""
    import networkx

    return int(networkx.number_connected_components(_graph.in_networkx(graph)))


def verify(graph: Graph, count: int) -> float:
    """Every node begins as a part of its own, and an edge makes one part of two."""
    return float(count == len(_parts.merged(graph)))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "one integer",
        "Two nodes are in the same component of a graph if there is a path between them; a node"
        " without edges is a component by itself. How many components does this graph have?",
        "Count the connected components of the graph below. A connected component is a node"
        " together with all nodes that can be reached from it along edges; it may be a single"
        " node.",
        "Into how many parts does the graph fall, if two nodes are in the same part exactly when"
        " a path leads from one to the other? A node that no edge touches is a part too.",
    )


def steps(graph: Graph) -> list[str]:
    left, lines = list(graph.nodes), []
    while left:
        part = _graph.distances(graph, left[0])
        lines.append(_wording.listed(graph, [node for node in left if node in part]))
        left = [node for node in left if node not in part]
    return [f"component {count}: {line}" for count, line in enumerate(lines, 1)]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(12, 2.6, "random", "edge_list", "numbers"),
    Knobs(24, 2.4, "any", "any", "any"),
    Knobs(32, 2.5, "any", "any", "any"),
    Knobs(42, 2.5, "any", "any", "any"),
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
    skills=("graphs", "connectivity"),
    peers=("G1/connected_component_number",),
    version=2,
)
