"""Eulerian graphs: can one walk along every edge just once and come back to the start?

A graph where one cannot is nearly one where one can: one edge ends at another node, or the graph is
in two pieces that are Eulerian each.
"""

from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _euler, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair

IN_PIECES = 0.12  # of the graphs


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    share = rng.random()
    cut = rng.randint(4, knobs.nodes - 4) if share < IN_PIECES and knobs.nodes > 7 else 0
    sketch = _drawing.sketched(
        rng, knobs.source, knobs.nodes, edges, allowed=lambda a, b: (a < cut) == (b < cut)
    )
    part = [int(node < cut) for node in range(sketch.nodes)]
    pairs = _euler.evened(rng, sketch.pairs, part)
    if {node for pair in pairs for node in pair} != set(range(sketch.nodes)):
        return None
    if IN_PIECES <= share < 0.5:
        moved = _moved(rng, sketch.nodes, pairs)
        if moved is None:
            return None
        pairs = moved
    graph = _drawing.dressed(rng, knobs, sketch, pairs)
    return graph if cut or len(_graph.distances(graph, graph.nodes[0])) == sketch.nodes else None


def solve(graph: Graph) -> bool:
    """By networkx."""
    import networkx

    return bool(networkx.is_eulerian(_graph.in_networkx(graph)))


def verify(graph: Graph, eulerian: bool) -> float:
    """A walk is made with loops for as long as edges are left at its nodes: has it all edges in the
    end, and is it one walk that closes?"""
    walk = _euler.trail(graph, graph.edges[0][0])
    steps = {frozenset(step) for step in pairwise(walk)}
    whole = len(walk) == len(graph.edges) + 1 and walk[0] == walk[-1]
    return float(eulerian == (whole and steps == {frozenset(edge) for edge in graph.edges}))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "yes or no",
        "Is there a closed walk in this graph that uses every edge exactly once? It may come to a"
        " node several times, and must end at the node where it began.",
        "Can one start at some node of the graph below, go along every edge once and only once,"
        " and be back at the first node at the end?",
        "A graph is called Eulerian if some walk along its edges ends where it began and uses each"
        " edge exactly once. Is this graph Eulerian?",
    )


def steps(graph: Graph) -> list[str]:
    """How many edges each node has, and whether all nodes are in one piece."""
    there = _graph.beside(graph)
    name = {node: _wording.title(graph, node) for node in graph.nodes}
    counts = ", ".join(f"{name[node]} {len(there[node])}" for node in graph.nodes)
    odd = [node for node in graph.nodes if len(there[node]) % 2]
    if odd:
        return [f"edges at each node: {counts}", f"odd: {_wording.listed(graph, odd)}"]
    reached = _graph.distances(graph, graph.nodes[0])
    beyond = [node for node in graph.nodes if node not in reached]
    if beyond:
        far = f"{name[graph.nodes[0]]} cannot reach {_wording.listed(graph, beyond)}"
        return [f"edges at each node: {counts}", far]
    return [f"edges at each node: {counts}", "all even, and the graph is in one piece"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _moved(rng: Random, nodes: int, pairs: list[Pair]) -> list[Pair] | None:
    """The pairs with one end of one of them at another node."""
    known = {frozenset(pair) for pair in pairs}
    for at in rng.sample(range(len(pairs)), len(pairs)):
        stay, _ = rng.sample(pairs[at], 2)
        free = [it for it in range(nodes) if it != stay and frozenset((it, stay)) not in known]
        if free:
            return [*pairs[:at], (stay, rng.choice(free)), *pairs[at + 1 :]]
    return None


LADDER = (
    Knobs(8, 3.0, "random", "edge_list", "numbers"),
    Knobs(14, 3.2, "any", "any", "any"),
    Knobs(22, 3.6, "any", "any", "any"),
    Knobs(34, 4.2, "any", "any", "any"),
    Knobs(50, 4.8, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.YesNo(),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.5,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "connectivity"),
    peers=("G1/is_eularian",),
)
