"""Maximal independent set: nodes of which no two are joined, given ones among them, that leave no
room for another.

There are many, and they differ in size, so `verify` looks at the neighbours of each node: a chosen
node has no chosen one beside it, any other node has one.
"""

from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average
    given: int  # nodes that must be in the set, at most
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Given nodes that no edge joins, and two more nodes at least that may be added."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    graph = _drawing.dressed(rng, knobs, sketch, sketch.pairs)
    there, given, free = _graph.beside(graph), list[str](), list(graph.nodes)
    while len(given) < knobs.given:
        node = rng.choice(free)
        left = [it for it in free if it != node and it not in there[node]]
        if len(left) < 2:
            break
        given.append(node)
        free = left
    return replace(graph, asked=tuple(given)) if given else None


def solve(graph: Graph) -> tuple[str, ...]:
    """Node after node is taken that has no neighbour in the set so far."""
    return in_order([*graph.asked, *_taken(graph)])


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    there, chosen = _graph.beside(graph), set(nodes)
    if not set(graph.asked) <= chosen <= there.keys():
        return 0.0
    return float(all((node in chosen) != bool(chosen & there[node].keys()) for node in there))


def recheck(graph: Graph, nodes: tuple[str, ...]) -> bool:
    """By networkx: no edges among the nodes, and every other node is beside one of them."""
    import networkx

    known = _graph.in_networkx(graph)
    if not set(graph.asked) <= set(nodes) <= set(known):
        return False
    alone = known.subgraph(nodes).number_of_edges() == 0
    return bool(alone and networkx.is_dominating_set(known, set(nodes)))


def render(graph: Graph, style: Style) -> Prompt:
    given = _wording.listed(graph, graph.asked)
    noun = "node" if len(graph.asked) == 1 else "nodes"
    return _wording.posed(
        graph,
        style,
        "the nodes of the set, separated by commas, the given ones among them",
        "An independent set is a set of nodes of which no two are joined by an edge. It is maximal"
        " if no further node can be added to it. Give a maximal independent set that contains the"
        f" {noun} {given}. It need not be the largest; any one will do.",
        f"Start from the {noun} {given} of the graph below, and add nodes that are not neighbours"
        " of any node in your set, until every node outside the set has a neighbour in it. What is"
        " your set? Any set that can come out in this way will do, large or small.",
        "Choose a set of nodes such that no edge joins two of them and every node that is not"
        f" chosen is a neighbour of a chosen one. Among the chosen must be the {noun} {given}. Any"
        " such set is right.",
    )


def steps(graph: Graph) -> list[str]:
    there, out, lines = _graph.beside(graph), set[str](), []
    for node in [*graph.asked, *_taken(graph)]:
        others = [it for it in graph.nodes if it in there[node] and it not in out]
        out |= {*others}
        ruled = f"rules out {_wording.listed(graph, others)}" if others else "rules out no more"
        lines.append(f"{_wording.title(graph, node)} {ruled}")
    return lines


def _taken(graph: Graph) -> list[str]:
    """The nodes that are added to the given ones, in the order of all nodes."""
    there, taken = _graph.beside(graph), list[str]()
    for node in graph.nodes:
        chosen = {*graph.asked, *taken}
        if node not in chosen and chosen.isdisjoint(there[node]):
            taken.append(node)
    return taken


LADDER = (
    Knobs(8, 2.8, 1, "random", "edge_list", "numbers"),
    Knobs(13, 3.2, 2, "any", "any", "any"),
    Knobs(20, 3.8, 3, "any", "any", "any"),
    Knobs(32, 4.4, 4, "any", "any", "any"),
    Knobs(48, 5.0, 6, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="nodes"),
    recheck=recheck,
    hardness=_graph.size,
    solver="one node after another",
    guess_rate=0.05,
    steps=steps,
    canon=_graph.canon_of_pair,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/maximal_independent_set",),
    version=3,
)
