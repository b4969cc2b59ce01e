"""Regularity test: whether all nodes have the same number of edges.

Half of the graphs are regular. Most of the others have as many edges as a regular graph: one edge
leads from one of its ends to a node that it should not lead to.
"""

from collections import Counter
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._sources import Pair


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """A regular graph is brought as near to a source's as switching its edges can."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    nodes, mean = sketch.nodes, round(2 * len(sketch.pairs) / sketch.nodes)
    degrees = [
        degree
        for degree in (mean - 1, mean, mean + 1)
        if degree * nodes % 2 == 0 and 1 < degree < nodes - 1
    ]
    if not degrees:
        return None
    wanted = {(min(pair), max(pair)) for pair in sketch.pairs}
    pairs = _switched(rng, _circulant(rng, nodes, rng.choice(degrees)), wanted)
    if rng.random() < 0.5:
        pairs = _spoilt(rng, nodes, pairs)
    return _drawing.dressed(rng, knobs, sketch, pairs)


def solve(graph: Graph) -> bool:
    """By networkx."""
    import networkx

    return bool(networkx.is_regular(_graph.in_networkx(graph)))


def verify(graph: Graph, regular: bool) -> float:
    """The ends of the edges are counted from their list."""
    ends = Counter(node for edge in graph.edges for node in edge)
    return float(regular == (len({ends[node] for node in graph.nodes}) == 1))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "yes or no",
        "Do all nodes have the same number of edges?",
        "A graph is regular if each of its nodes has as many edges as every other. Say whether the"
        " graph below is regular.",
        "The degree of a node is the number of its edges. Is there one number that is the degree"
        " of every node of this graph?",
    )


def steps(graph: Graph) -> list[str]:
    """How many edges each node has."""
    counts = {node: len(others) for node, others in _graph.beside(graph).items()}
    each = ", ".join(f"{_wording.title(graph, node)} {count}" for node, count in counts.items())
    few, many = min(counts.values()), max(counts.values())
    return [f"edges at each node: {each}", f"fewest: {few}, most: {many}"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def canon(graph: Graph) -> object:
    """The nodes of a regular graph look alike; how many neighbours each shares with others tells
    most of them apart, and saves the search for the least naming."""
    there = [frozenset(others) for others in _graph.beside(graph).values()]
    marks = [sum(len(one & other) ** 2 for other in there) for one in there]
    place = {node: at for at, node in enumerate(graph.nodes)}
    return canonical(len(place), [(place[a], place[b]) for a, b in graph.edges], marks=marks)


def _circulant(rng: Random, nodes: int, degree: int) -> list[Pair]:
    """Nodes on a ring, each joined to the nearest; an odd degree takes the one opposite as well."""
    ring = rng.sample(range(nodes), nodes)
    skips = [(at, skip) for at in range(nodes) for skip in range(1, degree // 2 + 1)]
    if degree % 2:
        skips += [(at, nodes // 2) for at in range(nodes // 2)]
    return [_pair(ring[at], ring[(at + skip) % nodes]) for at, skip in skips]


def _switched(rng: Random, pairs: list[Pair], wanted: set[Pair]) -> list[Pair]:
    """Two edges at a time change ends, which leaves every degree as it is, unless fewer of them
    would then be wanted."""
    pairs, there, count = list(pairs), set(pairs), len(pairs)
    for _ in range(10 * count):
        one, two = rng.randrange(count), rng.randrange(count)
        old = (a, b), (c, d) = pairs[one], pairs[two]
        if rng.choice((1, -1)) < 0:
            c, d = d, c
        if a in (c, d) or b in (c, d):
            continue
        new = (a, c) if a < c else (c, a), (b, d) if b < d else (d, b)
        if new[0] in there or new[1] in there:
            continue
        gained = (new[0] in wanted) + (new[1] in wanted)
        if gained >= (old[0] in wanted) + (old[1] in wanted):
            there.difference_update(old)
            there.update(new)
            pairs[one], pairs[two] = new
    return pairs


def _spoilt(rng: Random, nodes: int, pairs: list[Pair]) -> list[Pair]:
    """One edge is lost or, more often, led to another node at one end."""
    lost = rng.choice(pairs)
    kept = [pair for pair in pairs if pair != lost]
    if rng.random() < 0.2:
        return kept
    end = rng.choice(lost)
    others = [node for node in range(nodes) if node != end and _pair(end, node) not in pairs]
    return [*kept, _pair(end, rng.choice(others))]


def _pair(a: int, b: int) -> Pair:
    return min(a, b), max(a, b)


# No kin: all regular graphs of a size and degree have the same numbers of edges at their nodes.
LADDER = (
    Knobs(12, 4.0, "random", "edge_list", "numbers"),
    Knobs(14, 5.0, "any", "any", "any"),
    Knobs(20, 5.0, "any", "any", "any"),
    Knobs(28, 6.0, "any", "any", "any"),
    Knobs(40, 7.0, "any", "any", "any"),
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
    canon=canon,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/is_regular",),
)
