"""Graph colouring: give each node one of k colours so that no edge joins two of the same colour.

Any proper colouring is right, so `verify` looks at each edge. The answer "impossible" is right only
where k colours do not suffice, which it decides itself by searching all colourings, the tightest
node first.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import log
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._graph import (
    AnySource,
    Edges,
    Pair,
    draw,
    neighbours,
    scrambled,
)
from puzzlemill.generators.graphs._wording import AnyEncoding, Encoding, describe, pick_encoding

Answer: TypeAlias = tuple[tuple[str, str], ...] | Impossible


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int
    colours: int
    tightness: float  # edges, as a share of those that a random graph can hardly be coloured with
    infeasible: float  # share of graphs that cannot be coloured
    source: AnySource
    encoding: AnyEncoding


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: int
    edges: Edges
    colours: int
    encoding: Encoding


def generate(rng: Random, knobs: Knobs) -> Graph:
    nodes, colours = knobs.nodes, knobs.colours
    part = [node % colours for node in rng.sample(range(nodes), nodes)]
    edges = round(knobs.tightness * nodes * (colours - 0.5) * log(colours))
    pairs = draw(rng, knobs.source, nodes, edges, allowed=lambda a, b: part[a] != part[b])
    if rng.random() < knobs.infeasible:
        pairs = _spoilt(rng, nodes, pairs, colours)
    encoding = pick_encoding(rng, knobs.encoding, nodes)
    return Graph(nodes, tuple(scrambled(rng, nodes, pairs)), colours, encoding)


def solve(graph: Graph) -> Answer:
    """SAT: variable node * colours + colour says that a node has a colour."""
    from pysat.solvers import Solver

    colours = range(1, graph.colours + 1)
    first = [node * graph.colours for node in range(graph.nodes)]
    clauses = [[first[node] + colour for colour in colours] for node in range(graph.nodes)]
    clauses += [[-first[a] - it, -first[b] - it] for a, b in graph.edges for it in colours]
    with Solver("cadical153", bootstrap_with=clauses) as solver:
        if not solver.solve():
            return IMPOSSIBLE
        true = {literal for literal in solver.get_model() if literal > 0}
    worn = [min(it for it in colours if first[node] + it in true) for node in range(graph.nodes)]
    return tuple(sorted((str(node), str(colour)) for node, colour in enumerate(worn)))


def verify(graph: Graph, colouring: Answer) -> float:
    if isinstance(colouring, Impossible):
        return float(not _colourable(graph.nodes, graph.edges, graph.colours))
    worn = dict(colouring)
    palette = {str(colour) for colour in range(1, graph.colours + 1)}
    if (
        worn.keys() != {str(node) for node in range(graph.nodes)}
        or not set(worn.values()) <= palette
    ):
        return 0.0
    return float(all(worn[str(a)] != worn[str(b)] for a, b in graph.edges))


def recheck(graph: Graph, colouring: Answer) -> bool:
    """Each colour's nodes lie apart, and all nodes have one; that there is none, by `solve`."""
    import networkx

    if isinstance(colouring, Impossible):
        return solve(graph) is IMPOSSIBLE
    drawn = networkx.empty_graph(graph.nodes)
    drawn.add_edges_from(graph.edges)
    worn = [
        [node for node in drawn if (str(node), str(it)) in colouring]
        for it in range(1, graph.colours + 1)
    ]
    apart = all(drawn.subgraph(nodes).number_of_edges() == 0 for nodes in worn)
    return apart and sum(map(len, worn)) == graph.nodes == len(colouring)


def render(graph: Graph, style: Style) -> Prompt:
    k = graph.colours
    text = describe(graph.nodes, graph.edges, graph.encoding)
    return Prompt(
        style.pick(
            f"{text}\n\nColour every node with one of the colours 1 to {k} so that no edge joins"
            f" two nodes of the same colour. It may be that {k} colours are too few.",
            f"Can the nodes of the graph below be coloured with the colours 1 to {k} so that nodes"
            " joined by an edge always differ in colour? If so, give one such colouring; any will"
            f" do, and not every colour need be used.\n\n{text}",
            f"{text}\n\nGive each node a number from 1 to {k} so that the two ends of every edge"
            " have different numbers, or find that this cannot be done.",
        ),
        form='one line "node = colour" for each node, both as numbers, or the word "impossible" if'
        " there is no such colouring",
    )


def canon(graph: Graph) -> Any:
    return [graph.colours, canonical(graph.nodes, graph.edges)]


def _spoilt(rng: Random, nodes: int, pairs: list[Pair], colours: int) -> list[Pair]:
    """A graph of about as many edges that cannot be coloured: first some more, then less others."""
    wanted, tree, there = len(pairs), pairs[: nodes - 1], set(pairs)
    others = [(a, b) for b in range(nodes) for a in range(b) if (a, b) not in there]
    rng.shuffle(others)
    spoilt = list(pairs)
    while _colourable(nodes, tuple(spoilt), colours):
        spoilt.append(others.pop())
    for pair in rng.sample(pairs, len(pairs)):
        if len(spoilt) <= wanted:
            break
        fewer = [it for it in spoilt if it != pair]
        if pair not in tree and not _colourable(nodes, tuple(fewer), colours):
            spoilt = fewer
    return spoilt


@lru_cache(maxsize=1024)
def _colourable(nodes: int, edges: Edges, colours: int) -> bool:
    """Search, always at the node with the fewest colours left, and of new colours one only."""
    beside = neighbours(nodes, edges)
    worn = [0] * nodes

    def finish(used: int) -> bool:
        bare = [node for node in range(nodes) if not worn[node]]
        if not bare:
            return True
        taken = {node: {worn[it] for it in beside[node]} - {0} for node in bare}
        node = max(bare, key=lambda it: (len(taken[it]), len(beside[it])))
        for colour in range(1, min(used + 1, colours) + 1):
            if colour not in taken[node]:
                worn[node] = colour
                if finish(max(used, colour)):
                    return True
        worn[node] = 0
        return False

    return finish(0)


LADDER = (
    Knobs(5, 3, 0.5, 0.0, "random", "edge_list"),
    Knobs(10, 3, 0.65, 0.1, "any", "any"),
    Knobs(16, 3, 0.8, 0.15, "any", "any"),
    Knobs(24, 4, 0.85, 0.2, "any", "any"),
    Knobs(40, 4, 0.9, 0.2, "any", "any"),
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
    hardness=lambda graph: graph.nodes * len(graph.edges),
    solver="SAT (cadical)",
    guess_rate=0.25,
    canon=canon,
    skills=("graphs", "constraints"),
    peers=(
        "reasoning-gym/graph_color",
        "KORGym/42-diagram_coloring",
        "RLVE/minimum_chromatic_number",
    ),
)
