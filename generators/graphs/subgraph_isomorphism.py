"""Subgraph isomorphism: where in a graph is a small pattern of nodes and edges?

A pattern may lie there in many ways, so `verify` sends each of its edges to where the answer puts
it, and looks whether one is there.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _two_graphs
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._two_graphs import TwoGraphs
from puzzlemill.generators.graphs._wording import AnyEncoding

TRIED = 8  # pieces of the graph; the one with the most edges becomes the pattern


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average
    pattern: int  # nodes of the pattern
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> TwoGraphs:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pieces = [_piece(rng, sketch.pairs, knobs.pattern) for _ in range(TRIED)]
    return _two_graphs.dressed(rng, knobs, sketch.source, max(pieces, key=len), sketch.pairs)


def solve(two: TwoGraphs) -> Pairs | None:
    """A search that places node after node beside those that it is joined to."""
    found = _two_graphs.placed(two)
    return None if found is None else tuple(sorted(found))


def verify(two: TwoGraphs, pairs: Pairs) -> float:
    return float(_two_graphs.fits(two, pairs))


def recheck(two: TwoGraphs, pairs: Pairs) -> bool:
    """By networkx: the pattern, renamed, has as many nodes as before, and its edges are there."""
    import networkx

    image = dict(pairs)
    if image.keys() != set(two.nodes):
        return False
    renamed = networkx.relabel_nodes(_graph.in_networkx(_two_graphs.first(two)), image)
    theirs = _graph.in_networkx(_two_graphs.second(two))
    if len(renamed) < len(two.nodes) or not set(renamed) <= set(theirs):
        return False
    return all(theirs.has_edge(*edge) for edge in renamed.edges)


def render(two: TwoGraphs, style: Style) -> Prompt:
    return _two_graphs.posed(
        two,
        style,
        "Find the first graph, the pattern, in the second one: send each node of the pattern to a"
        " node of the second graph, no two to the same one, so that two nodes that are joined in"
        " the pattern always go to two nodes that are joined. The second graph may have further"
        " edges between them. If there are several ways, any one will do.",
        "Below are a small graph and a larger one. Give each node of the small one a node of the"
        " larger one, a different one each, so that every edge of the small graph is an edge"
        " between the nodes given to its ends; nodes that are not joined in the small graph may get"
        " joined ones or not. If there are several ways, give any one.",
        "The second graph contains a copy of the first: some of its nodes, one for each node of"
        " the first, with at least the same edges between them. Find one such copy; it does not"
        " matter whether more edges join its nodes. Which node is which?",
    )


def _piece(rng: Random, pairs: list[Pair], nodes: int) -> list[Pair]:
    """All edges among so many nodes, each but the first a neighbour of one before it."""
    chosen = {*rng.choice(pairs)}
    while len(chosen) < nodes:
        border = [b if a in chosen else a for a, b in pairs if (a in chosen) != (b in chosen)]
        if not border:
            break
        chosen.add(rng.choice(border))
    return [pair for pair in pairs if chosen.issuperset(pair)]


LADDER = (
    Knobs(8, 2.6, 4, "random", "edge_list", "numbers"),
    Knobs(12, 3.0, 5, "any", "any", "any"),
    Knobs(18, 3.4, 6, "any", "any", "any"),
    Knobs(27, 3.8, 7, "any", "any", "any"),
    Knobs(40, 4.2, 9, "any", "any", "any"),
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
    guess_rate=0.04,
    steps=_two_graphs.steps,
    canon=_two_graphs.canon,
    kin=_two_graphs.kin,
    known=_two_graphs.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("RLVE/subgraph_isomorphism",),
    version=2,
)
