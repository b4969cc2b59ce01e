"""Graph colouring: give each node one of k colours so that no edge joins two of the same colour.

Any proper colouring is right, so `verify` looks at each edge. The answer "impossible" is right only
where k colours do not suffice, which it decides itself by searching all colourings, the tightest
node first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import log
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Sketch
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import STRICT, Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding

Answer: TypeAlias = tuple[tuple[str, str], ...] | Impossible


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    colours: int  # that may be used
    tightness: float  # edges, as a share of those that a random graph can hardly be coloured with
    infeasible: float  # share of graphs that cannot be coloured
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Edges between nodes of different colours only; or, where it is to be impossible, some more.

    A source whose own edges cannot be coloured lends those that can.
    """
    nodes, colours = knobs.nodes, knobs.colours
    worn = [node % colours for node in rng.sample(range(nodes), nodes)]
    edges = round(knobs.tightness * nodes * (colours - 0.5) * log(colours))
    sketch = _drawing.sketched(
        rng, knobs.source, nodes, edges, allowed=lambda a, b: worn[a] != worn[b]
    )
    if sketch.source in STRICT and len(sketch.pairs) < edges:
        sketch = _thinned(rng, sketch)
    spoilt = rng.random() < knobs.infeasible
    pairs = _spoilt(rng, sketch, colours) if spoilt else sketch.pairs
    return _drawing.dressed(rng, knobs, sketch, pairs, numbers=[colours])


def solve(graph: Graph) -> Answer:
    """SAT: a variable for each node and colour says that the node has the colour."""
    from pysat.solvers import Solver

    colours = range(1, graph.numbers[0] + 1)
    first = {node: place * len(colours) for place, node in enumerate(graph.nodes)}
    clauses = [[first[node] + colour for colour in colours] for node in graph.nodes]
    clauses += [[-first[a] - it, -first[b] - it] for a, b in graph.edges for it in colours]
    with Solver("cadical153", bootstrap_with=clauses) as solver:
        if not solver.solve():
            return IMPOSSIBLE
        true = {literal for literal in solver.get_model() if literal > 0}
    worn = {node: min(it for it in colours if first[node] + it in true) for node in graph.nodes}
    return tuple(sorted((node, str(colour)) for node, colour in worn.items()))


def verify(graph: Graph, colouring: Answer) -> float:
    if isinstance(colouring, Impossible):
        return float(not _can_be_coloured(graph))
    worn = dict(colouring)
    palette = {str(colour) for colour in range(1, graph.numbers[0] + 1)}
    if worn.keys() != set(graph.nodes) or not palette.issuperset(worn.values()):
        return 0.0
    return float(all(worn[a] != worn[b] for a, b in graph.edges))


def recheck(graph: Graph, colouring: Answer) -> bool:
    """Each colour's nodes lie apart, and all nodes have one; that there is none, by `solve`."""
    if isinstance(colouring, Impossible):
        return solve(graph) is IMPOSSIBLE
    known = _graph.in_networkx(graph)
    worn = [
        [node for node in graph.nodes if (node, str(colour)) in colouring]
        for colour in range(1, graph.numbers[0] + 1)
    ]
    apart = all(known.subgraph(nodes).number_of_edges() == 0 for nodes in worn)
    return apart and sum(map(len, worn)) == len(graph.nodes) == len(colouring)


def render(graph: Graph, style: Style) -> Prompt:
    k = graph.numbers[0]
    return _wording.posed(
        graph,
        style,
        'one line "node = colour" for each node, the colour as a number, or the word "impossible"'
        " if there is no such colouring",
        f"Colour every node with one of the colours 1 to {k} so that no edge joins two nodes of"
        f" the same colour. It may be that {k} colours are too few.",
        f"Can the nodes of the graph below be coloured with the colours 1 to {k} so that nodes"
        " joined by an edge always differ in colour? If so, give one such colouring; any will do,"
        " and not every colour need be used.",
        f"Give each node a number from 1 to {k}, its colour, so that the two ends of every edge"
        " have different numbers, or find that this cannot be done.",
    )


def _thinned(rng: Random, sketch: Sketch) -> Sketch:
    """Without a third of the edges that it can do without: graphs of all the edges that there may
    be are much alike."""
    tree = _drawing.spanning(sketch.nodes, sketch.pairs)
    others = [pair for pair in sketch.pairs if pair not in tree]
    return replace(sketch, pairs=[*tree, *rng.sample(others, len(others) * 2 // 3)])


def _spoilt(rng: Random, sketch: Sketch, colours: int) -> list[Pair]:
    """A graph of about as many edges that cannot be coloured: first some more, then less others."""
    nodes, wanted, there = sketch.nodes, len(sketch.pairs), set(sketch.pairs)
    tree = set(_drawing.spanning(nodes, sketch.pairs))
    others = [pair for pair in combinations(range(nodes), 2) if pair not in there]
    rng.shuffle(others)
    spoilt = list(sketch.pairs)
    while others and _colourable(nodes, spoilt, colours):
        spoilt.append(others.pop())
    for pair in rng.sample(sketch.pairs, wanted):
        if len(spoilt) <= wanted:
            break
        fewer = [it for it in spoilt if it != pair]
        if pair not in tree and not _colourable(nodes, fewer, colours):
            spoilt = fewer
    return spoilt


@lru_cache(maxsize=1024)
def _can_be_coloured(graph: Graph) -> bool:
    place = {node: at for at, node in enumerate(graph.nodes)}
    pairs = [(place[a], place[b]) for a, b in graph.edges]
    return _colourable(len(place), pairs, graph.numbers[0])


def _colourable(nodes: int, pairs: Sequence[Pair], colours: int) -> bool:
    """Search, always at the node with the fewest colours left, and of new colours one only."""
    joined: list[list[int]] = [[] for _ in range(nodes)]
    for a, b in pairs:
        joined[a].append(b)
        joined[b].append(a)

    def finish(bare: list[int], taken: list[int], used: int) -> bool:
        if not bare:
            return True
        node = max(bare, key=lambda it: taken[it].bit_count() * nodes + len(joined[it]))
        left = [it for it in bare if it != node]
        for colour in range(min(used + 1, colours)):
            if not taken[node] >> colour & 1:
                after = taken.copy()
                for it in joined[node]:
                    after[it] |= 1 << colour
                if finish(left, after, max(used, colour + 1)):
                    return True
        return False

    return finish(list(range(nodes)), [0] * nodes, 0)


LADDER = (
    Knobs(8, 3, 0.5, 0.0, "random", "edge_list", "numbers"),
    Knobs(13, 3, 0.65, 0.08, "any", "any", "any"),
    Knobs(16, 3, 0.8, 0.1, "any", "any", "any"),
    Knobs(24, 4, 0.85, 0.1, "any", "any", "any"),
    Knobs(40, 4, 0.9, 0.12, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Mapping()),
    recheck=recheck,
    hardness=_graph.size,
    solver="SAT (cadical)",
    guess_rate=0.2,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "constraints"),
    peers=(
        "reasoning-gym/graph_color",
        "KORGym/42-diagram_coloring",
        "RLVE/minimum_chromatic_number",
    ),
    version=5,
)
