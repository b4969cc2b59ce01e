"""Isomorphism: which node of a graph is which of the same graph with other names?

Where a graph is symmetric there are several ways, so `verify` sends each edge to where the answer
puts it, and looks whether one is there.
"""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _two_graphs
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._two_graphs import TwoGraphs


def generate(rng: Random, knobs: Knobs) -> TwoGraphs:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    return _two_graphs.dressed(rng, knobs, sketch.source, sketch.pairs, sketch.pairs)


def solve(two: TwoGraphs) -> Pairs | None:
    """A search that places node after node beside those that it is joined to."""
    found = _two_graphs.placed(two)
    return None if found is None else tuple(sorted(found))


def verify(two: TwoGraphs, pairs: Pairs) -> float:
    """As many edges are in both graphs, so where each goes to an edge, each of theirs is met."""
    return float(_two_graphs.fits(two, pairs))


def recheck(two: TwoGraphs, pairs: Pairs) -> bool:
    """By networkx: the first graph, renamed, is the second."""
    import networkx

    image = dict(pairs)
    if image.keys() != set(two.nodes) or set(image.values()) != set(two.their_nodes):
        return False
    renamed = networkx.relabel_nodes(_graph.in_networkx(_two_graphs.first(two)), image)
    theirs = _graph.in_networkx(_two_graphs.second(two))
    return bool(networkx.utils.graphs_equal(renamed, theirs))


def render(two: TwoGraphs, style: Style) -> Prompt:
    return _two_graphs.posed(
        two,
        style,
        "The two graphs are isomorphic: they are the same but for the names of their nodes. Find"
        " an isomorphism. It sends each node of the first graph to a node of the second, no two to"
        " the same one, so that two nodes are joined by an edge exactly if the nodes that they go"
        " to are. If there are several ways, any one will do.",
        "The nodes of a graph were given new names, and its edges were shuffled. Below are the"
        " graph before and after. Which new name may each node have? Every edge of the first graph"
        " must be an edge of the second under the new names. If several answers are possible, give"
        " any one.",
        "Match every node of the first graph with a node of the second, one to one, so that the"
        " partners of two joined nodes are always joined, and those of two nodes that are not"
        " joined never are. Any such matching will do.",
    )


LADDER = (
    Knobs(7, 2.6, "random", "edge_list", "numbers"),
    Knobs(11, 3.2, "any", "any", "any"),
    Knobs(14, 3.2, "any", "any", "any"),
    Knobs(18, 3.6, "any", "any", "any"),
    Knobs(22, 4.0, "any", "any", "any"),
)
FAMILY = Family(
    TwoGraphs,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Mapping(),
    recheck=recheck,
    hardness=_two_graphs.size,
    solver="a search",
    guess_rate=0.02,
    steps=_two_graphs.steps,
    canon=_two_graphs.canon,
    kin=_two_graphs.kin,
    known=_two_graphs.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/isomophic_mapping", "RLVE/graph_isomorphism"),
    version=3,
)
