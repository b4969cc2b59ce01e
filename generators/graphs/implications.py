"""Implications: one node of each pair of opposites is true, and edges lead from true to true.

This is 2-SAT told as a graph. `solve` asks a SAT solver about each node; `verify` supposes that a
node is false and follows the edges: if, and only if, that makes two opposites true, the node must
be true, as what follows without such a clash can always be completed.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _sat
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._drawing import Sketch
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title

TRIES = 12  # ways to pair nodes and to direct edges, of a graph
NOTHING = 0.1  # share of the graphs where no node must be true, at most


@dataclass(frozen=True, slots=True)
class Knobs:
    pairs: int  # of opposite nodes
    degree: float  # edges at a node, on average; a real graph has as many as it has
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """One node of each pair is made true, and no edge leads from a true node to a false one. Some
    pairs are decided by the edges, but seldom most or none. Of an odd piece of a real graph one
    node is left out."""
    nodes, degree = 2 * knobs.pairs, knobs.degree
    edges = _drawing.edge_count(nodes, degree)
    sketch = _even(_drawing.sketched(rng, knobs.source, nodes, edges))
    least = 0 if rng.random() < NOTHING else 1
    for _ in range(TRIES):
        order = _paired(rng, sketch)
        true = {rng.choice(order[at : at + 2]) for at in range(0, sketch.nodes, 2)}
        arcs = [_from_true_to_true(rng, pair, true) for pair in sketch.pairs]
        graph = _drawing.dressed(rng, knobs, sketch, arcs, directed=True, asked=order)
        decided = len(solve(graph))
        if least <= decided <= max(sketch.nodes // 3, 1):
            return graph
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(graph: Graph) -> tuple[str, ...]:
    """A node must be true if the edges cannot be met where it is false."""
    true = dict[str, int]()
    for at, (one, other) in enumerate(_opposites(graph), 1):
        true |= {one: at, other: -at}
    clauses = [[-true[a], true[b]] for a, b in graph.edges]
    with _sat.loaded(clauses) as solver:
        return in_order(node for node in graph.nodes if not solver.solve(assumptions=[-true[node]]))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    return float(set(nodes) == _decided(graph))


def render(graph: Graph, style: Style) -> Prompt:
    pairs = "; ".join(
        f"{title(graph, one)} and {title(graph, other)}" for one, other in _opposites(graph)
    )
    return _wording.posed(
        graph,
        style,
        'those nodes separated by commas, or "none"',
        "The nodes come in pairs of opposites, of which exactly one is true and the other false:"
        f" {pairs}. An edge says that if its first node is true, its second node is true as well."
        " Which nodes are certainly true, in whatever way these rules are kept?",
        "Choose exactly one node of each of these pairs of opposites:"
        f" {pairs}. Whenever you choose a node of the graph below from which an edge leads to"
        " another node, you must choose that one too. There is a way to do so, and often there are"
        " several. Which nodes are chosen in all of them?",
        "Each node is a statement, and each of these pairs is a statement and its denial, so that"
        f" just one of the two holds: {pairs}. The edges are implications: the second statement of"
        " an edge follows from the first. Name all statements that must hold.",
    )


def steps(graph: Graph) -> list[str]:
    """For each such node, what would follow from its opposite, as far as the first clash."""
    opposite, lines = _opposite(graph), list[str]()
    for node in solve(graph):
        follows = _following(graph, opposite[node])
        ends = next([it, opposite[it]] for it in follows if opposite[it] in follows)
        ways = []
        for end in ends:
            way = [end]
            while follows[way[-1]]:
                way.append(follows[way[-1]])
            ways.append(" -> ".join(title(graph, it) for it in reversed(way)))
        lines.append(
            f"{title(graph, opposite[node])} would give {' and '.join(ways)}, which clash: so"
            f" {title(graph, node)}"
        )
    return lines or ["none: no node leads to a clash"]


def canon(graph: Graph) -> object:
    """The graph with a tie of another sort between opposites."""
    place = {node: at for at, node in enumerate(graph.nodes)}
    edges = [(place[a], place[b], 1) for a, b in graph.edges]
    ties = [(place[a], place[b], 2) for a, b in _opposite(graph).items()]
    return canonical(len(place), [*edges, *ties], directed=True)


def _opposites(graph: Graph) -> list[tuple[str, str]]:
    return [*zip(graph.asked[::2], graph.asked[1::2])]


def _opposite(graph: Graph) -> dict[str, str]:
    return {one: other for pair in _opposites(graph) for one, other in (pair, pair[::-1])}


@lru_cache(maxsize=1024)
def _decided(graph: Graph) -> frozenset[str]:
    """The nodes from whose opposites two opposites follow."""
    opposite = _opposite(graph)
    decided = set()
    for node in graph.nodes:
        follows = _following(graph, opposite[node])
        if any(opposite[it] in follows for it in follows):
            decided.add(node)
    return frozenset(decided)


def _following(graph: Graph, node: str) -> dict[str, str]:
    """What follows from a node, and from which node it does, at once. An edge can be used backwards
    too: if its second node is false, its first is."""
    opposite, there, behind = _opposite(graph), _graph.beside(graph), _graph.behind(graph)
    came, queue = {node: ""}, [node]
    for here in queue:
        for other in (*there[here], *(opposite[it] for it in behind[opposite[here]])):
            if other not in came:
                came[other] = here
                queue.append(other)
    return came


def _paired(rng: Random, sketch: Sketch) -> list[int]:
    """An order of the nodes in which opposites stand together: of some, that with the fewest edges
    between opposites, which would be too easy to see through."""
    joined = {frozenset(pair) for pair in sketch.pairs}
    orders = [rng.sample(range(sketch.nodes), sketch.nodes) for _ in range(5)]
    return min(
        orders, key=lambda it: sum(frozenset(pair) in joined for pair in zip(it[::2], it[1::2]))
    )


def _from_true_to_true(rng: Random, pair: Pair, true: set[int]) -> Pair:
    a, b = pair if rng.random() < 0.5 else pair[::-1]
    return (b, a) if a in true and b not in true else (a, b)


def _even(sketch: Sketch) -> Sketch:
    nodes = sketch.nodes - sketch.nodes % 2
    pairs = [pair for pair in sketch.pairs if max(pair) < nodes]
    return Sketch(nodes, pairs, sketch.source)


LADDER = (
    Knobs(4, 2.2, "random", "edge_list", "numbers"),
    Knobs(6, 2.2, "any", "any", "any"),
    Knobs(9, 2.2, "any", "any", "any"),
    Knobs(13, 2.2, "any", "any", "any"),
    Knobs(18, 2.2, "any", "any", "any"),
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
    solver="SAT (minisat)",
    guess_rate=0.12,
    steps=steps,
    canon=canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "logic"),
    version=3,
)
