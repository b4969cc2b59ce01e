"""Strong components: into how many parts a directed graph falls whose nodes reach one another."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _parts, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    part = _parts.cut(rng, sketch.nodes, rng.randint(1, sketch.nodes // 4 + 1))
    return _drawing.dressed(rng, knobs, sketch, _parts.wound(rng, sketch, part), directed=True)


def solve(graph: Graph) -> int:
    """By networkx."""
    import networkx

    return int(networkx.number_strongly_connected_components(_graph.in_networkx(graph)))


def verify(graph: Graph, count: int) -> float:
    """By what can be reached from each node."""
    return float(count == len(_parts.mutual(graph)))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "one integer",
        "Two nodes are in the same strong component of a directed graph if each can be reached from"
        " the other by following edges in their directions; a node that shares this with no other"
        " is a strong component by itself. How many strong components does this graph have?",
        "Count the strongly connected components of the graph below. Such a component is a node"
        " together with all nodes that can be reached from it and from which it can be reached in"
        " turn, following edges in their directions; it may be a single node.",
        "Put two nodes into the same group exactly when one can get, by edges in their directions,"
        " from the first to the second and from the second to the first. Some groups may hold one"
        " node only. How many groups are there?",
    )


def steps(graph: Graph) -> list[str]:
    return [
        f"component {count}: "
        + _wording.listed(graph, [node for node in graph.nodes if node in part])
        for count, part in enumerate(_parts.mutual(graph), 1)
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(8, 2.8, "random", "edge_list", "numbers"),
    Knobs(12, 3.0, "any", "any", "any"),
    Knobs(20, 3.0, "any", "any", "any"),
    Knobs(30, 3.2, "any", "any", "any"),
    Knobs(42, 3.4, "any", "any", "any"),
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
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "connectivity"),
    peers=("G1/strongly_connected_number",),
    theme="strong_components",
    version=2,
)
