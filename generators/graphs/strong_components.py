"""Strong components: the nodes of a directed graph, parted by which reach one another."""

from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _parts, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

Partition: TypeAlias = tuple[tuple[str, ...], ...]


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Of some components, and not all of them single nodes."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    part = _parts.cut(rng, sketch.nodes, rng.randint(2, max(sketch.nodes // 4, 2)))
    pairs = _parts.wound(rng, sketch, part)
    graph = _drawing.dressed(rng, knobs, sketch, pairs, directed=True)
    return graph if 1 < len(_parts.mutual(graph)) < len(graph.nodes) - 1 else None


def solve(graph: Graph) -> Partition:
    """By networkx."""
    import networkx

    found = networkx.strongly_connected_components(_graph.in_networkx(graph))
    return in_order(in_order(part) for part in found)


def verify(graph: Graph, components: Partition) -> float:
    """By what can be reached from each node."""
    right = {frozenset(part) for part in _parts.mutual(graph)}
    return float(len(components) == len(right) and set(map(frozenset, components)) == right)


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "the components, one line each, the nodes of a component separated by commas",
        "Two nodes are in the same strong component of a directed graph if each can be reached from"
        " the other by following edges in their directions; a node that shares this with no other"
        " is a strong component by itself. What are the strong components of this graph?",
        "Find all strongly connected components of the graph below. Such a component is a node"
        " together with all nodes that can be reached from it and from which it can be reached in"
        " turn, following edges in their directions; it may be a single node. Every node is in one"
        " of them.",
        "Put all nodes into groups, called strong components: two nodes belong to the same group"
        " exactly when one can get, by edges in their directions, from the first to the second and"
        " from the second to the first. Some groups may hold one node only.",
    )


def steps(graph: Graph) -> list[str]:
    """For each node in turn that is in no component yet: what it reaches, and what of that leads
    back to it."""
    lines = []
    for part in _parts.mutual(graph):
        start = next(node for node in graph.nodes if node in part)
        away = _graph.distances(graph, start)
        reached = _wording.listed(graph, [it for it in graph.nodes if it in away and it != start])
        back = _wording.listed(graph, [it for it in graph.nodes if it in part and it != start])
        line = f"{_wording.title(graph, start)} reaches {reached or 'no other node'}"
        lines.append(f"{line}; back to it lead {back or 'none of them'}" if reached else line)
    return lines


LADDER = (
    Knobs(8, 2.8, "random", "edge_list", "numbers"),
    Knobs(12, 3.0, "any", "any", "any"),
    Knobs(18, 3.0, "any", "any", "any"),
    Knobs(26, 3.2, "any", "any", "any"),
    Knobs(36, 3.4, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Groups(items="nodes"),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.07,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "connectivity"),
    peers=("CLRS-Text/strongly_connected_components",),
    version=3,
)
