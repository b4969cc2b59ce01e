"""Effective size of a node's network, after Burt: its neighbours, less what they share.

`solve` uses the short formula of Borgatti, k - 2t/k; `verify` goes back to Burt's own, which takes
from each neighbour the share of the others that it is joined to.
"""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """A node with ties between its neighbours, where there is one: the others are plain degrees."""
    graph = _measures.drawn_with_triangles(rng, knobs)
    tied = [node for node in graph.nodes if _measures.joined_neighbours(graph, node)]
    sizes = (((node,), _size(graph, node)) for node in tied or graph.nodes)
    return _measures.asking(rng, graph, sizes)


def solve(graph: Graph) -> Fraction:
    return _size(graph, *graph.asked)


def verify(graph: Graph, value: Fraction) -> float:
    (centre,) = graph.asked
    joined = {frozenset(edge) for edge in graph.edges}
    around = [node for node in graph.nodes if frozenset((node, centre)) in joined]
    size = Fraction(0)
    for node in around:
        ties = sum(frozenset((node, other)) in joined for other in around)
        size += 1 - Fraction(ties, len(around))
    return float(value == size)


def render(graph: Graph, style: Style) -> Prompt:
    centre = _wording.node(graph, *graph.asked)
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        f"What is the effective size of the network of {centre}, as Burt defines it? For an"
        " unweighted graph it is k - 2t/k, where k is the number of neighbours of the node and t"
        " is the number of edges between two of these neighbours; edges of the node itself do not"
        " count in t.",
        f"Find Burt's effective size of the network around {centre} in the graph below: the number"
        f" of neighbours of {centre}, less the average number of edges that one of these neighbours"
        " has to the others of them.",
        f"Let N be the set of all nodes that an edge joins to {centre}, and k their number. Each"
        " node in N counts 1 - r/k, where r is the number of other nodes in N that an edge joins it"
        f" to. The sum is called the effective size of the network of {centre}, after Burt. What is"
        " it exactly?",
    )


def steps(graph: Graph) -> list[str]:
    (centre,) = graph.asked
    around = [node for node in graph.nodes if node in _graph.beside(graph)[centre]]
    joined = _measures.joined_neighbours(graph, centre)
    pairs = [f"{_wording.title(graph, a)}-{_wording.title(graph, b)}" for a, b in joined]
    return [
        f"neighbours: {_wording.listed(graph, around)}, so k = {len(around)}",
        f"edges between them: {', '.join(pairs) or 'none'}, so t = {len(pairs)}",
        f"{len(around)} - 2*{len(pairs)}/{len(around)} = {solve(graph)}",
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _size(graph: Graph, node: str) -> Fraction:
    ties, around = _measures.joined_neighbours(graph, node), len(_graph.beside(graph)[node])
    return around - Fraction(2 * len(ties), around)


LADDER = (
    Knobs(9, 4.2, "random", "edge_list", "numbers"),
    Knobs(14, 5.0, "any", "any", "any"),
    Knobs(22, 6.0, "any", "any", "any"),
    Knobs(32, 8.0, "any", "any", "any"),
    Knobs(44, 10.0, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=_graph.size,
    proof="unique",
    solver="Borgatti's formula, in fractions",
    guess_rate=0.13,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    slips=_measures.elsewhere(solve),
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    peers=("G1/effective_size",),
    theme="triangles_at_nodes",
)
