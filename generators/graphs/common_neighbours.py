"""Common neighbours: the nodes that an edge joins to each of two given nodes."""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Graphs in which there is no such node are let in one time in ten."""
    graph = _drawing.drawn(rng, knobs, asked=2)
    there = _graph.beside(graph)
    one, two = graph.asked
    return graph if there[one].keys() & there[two].keys() or rng.random() < 0.1 else None


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx."""
    import networkx

    return in_order(networkx.common_neighbors(_graph.in_networkx(graph), *graph.asked))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    """Every node is looked up in the list of edges, as one would by hand."""
    one, two = graph.asked
    joined = {frozenset(edge) for edge in graph.edges}
    both = [it for it in graph.nodes if {frozenset((it, one)), frozenset((it, two))} <= joined]
    return float(set(nodes) == set(both))


def render(graph: Graph, style: Style) -> Prompt:
    one, two = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        'those nodes separated by commas, or "none"',
        f"Which nodes are neighbours of both {one} and {two}?",
        f"List the common neighbours of {one} and {two} in the graph below: all nodes that have an"
        " edge with each of the two.",
        f"A node is a common neighbour of {one} and {two} if an edge joins it to {one} and another"
        f" edge joins it to {two}. Find all of them.",
    )


def steps(graph: Graph) -> list[str]:
    there, lines = _graph.beside(graph), []
    for node in graph.asked:
        others = [each for each in graph.nodes if each in there[node]]
        lines.append(f"{_wording.title(graph, node)}: {_wording.listed(graph, others)}")
    return [*lines, f"both: {_wording.listed(graph, solve(graph)) or 'none'}"]


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
    answer=answers.WordSet(items="nodes", empty=True),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.15,
    steps=steps,
    progress=progress,
    canon=_graph.canon_of_pair,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/common_neighbor",),
    theme="shared_neighbours",
    version=2,
)
