"""Node count: how many nodes a graph has, of which only the edges are told.

Every node has an edge. `verify` crosses the ends of the edges off one by one.
"""

from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Encoding, Graph

UNCOUNTED: tuple[Encoding, ...] = ("edge_list", "dot", "prose")  # which name no list of nodes


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Connected, with up to a third fewer nodes than the knobs say."""
    nodes = rng.randint(knobs.nodes - knobs.nodes // 3, knobs.nodes)
    sketch = _drawing.sketched(rng, knobs.source, nodes, _drawing.edge_count(nodes, knobs.degree))
    pairs = _drawing.arcs(rng, sketch.pairs) if knobs.directed else sketch.pairs
    looks = knobs
    if knobs.encoding == "any":
        looks = replace(knobs, encoding=rng.choice(UNCOUNTED))
    return _drawing.dressed(rng, looks, sketch, pairs, directed=knobs.directed)


def solve(graph: Graph) -> int:
    """By networkx."""
    return int(_graph.in_networkx(graph).number_of_nodes())


def verify(graph: Graph, nodes: int) -> float:
    left = {node for edge in graph.edges for node in edge}
    for edge in graph.edges:
        nodes -= len(left.intersection(edge))
        left.difference_update(edge)
    return float(nodes == 0)


def render(graph: Graph, style: Style) -> Prompt:
    kind = "A directed graph" if graph.directed else "An undirected graph"
    told = f"{kind} has no node without an edge.\n{_wording.ENCODINGS[graph.encoding](graph, '')}"
    prompt = _wording.posed(
        graph,
        style,
        "an integer",
        "How many nodes does the graph have?",
        "Count the nodes of the graph below. Each of them is at an end of at least one edge.",
        "Find the order of the graph, which is the number of its nodes.",
    )
    return replace(prompt, question=prompt.question.replace(_wording.described(graph), told))


def steps(graph: Graph) -> list[str]:
    """The nodes that each edge adds."""
    seen: list[str] = []
    lines = []
    for edge in graph.edges:
        fresh = [node for node in dict.fromkeys(edge) if node not in seen]
        seen += fresh
        if fresh:
            lines.append(f"{_wording.listed(graph, fresh)}: {len(seen)} so far")
    return lines


LADDER = (
    Knobs(9, 2.5, False, "random", "edge_list", "words"),
    Knobs(15, 2.5, False, "any", "any", "words"),
    Knobs(22, 3.0, True, "any", "any", "words"),
    Knobs(32, 3.5, False, "any", "any", "words"),
    Knobs(44, 4.0, True, "any", "any", "words"),
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
    guess_rate=0.3,  # four sizes on the easiest rung
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "counting"),
    peers=("G1/node_number",),
    theme="degrees",
)
