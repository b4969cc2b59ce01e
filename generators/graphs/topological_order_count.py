"""Counting topological orders: in how many orders of the nodes does every edge lead forwards?"""

from dataclasses import replace
from functools import lru_cache
from math import comb
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators._misreadings import misreadings
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

MOST = 10000  # orders


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    graph = _drawing.dressed(rng, knobs, sketch, _drawing.downhill(rng, sketch), directed=True)
    return graph if solve(graph) <= MOST else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(graph: Graph) -> int:
    """By the sets of nodes that can come first: how many orders each has."""
    return _growing(graph)[-1].get(frozenset(graph.nodes), 0)


def verify(graph: Graph, count: int) -> float:
    return float(count == _orders(graph, frozenset(graph.nodes)))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "one integer",
        "In how many different orders can all nodes be put so that every edge leads from an earlier"
        " node to a later one?",
        "A topological order of the graph below is a list of all its nodes in which, for every"
        " edge, the node it comes from stands before the node it leads to. How many are there?",
        "Each node is a task, and an edge says that its first node must be done before its second."
        " Tasks are done one at a time. In how many different orders can all of them be done?",
    )


def steps(graph: Graph) -> list[str]:
    """For each number of nodes, in how many orders so many can come first."""
    return [
        f"sets that can be the first {size}: {len(sets)}, in {sum(sets.values())} orders in all"
        for size, sets in enumerate(_growing(graph))
        if size
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _growing(graph: Graph) -> list[dict[frozenset[str], int]]:
    before = _graph.behind(graph)
    sizes: list[dict[frozenset[str], int]] = [{frozenset(): 1}]
    for _ in graph.nodes:
        larger: dict[frozenset[str], int] = {}
        for done, count in sizes[-1].items():
            for node in graph.nodes:
                if node not in done and before[node].keys() <= done:
                    more = done | {node}
                    larger[more] = larger.get(more, 0) + count
        sizes.append(larger)
    return sizes


@lru_cache(maxsize=4096)
def _orders(graph: Graph, left: frozenset[str]) -> int:
    """By pieces: what no edge joins can be mixed at will. In one piece, each node from which no
    edge leads may come last."""
    if len(left) < 2:
        return 1
    ahead, behind = _graph.beside(graph), _graph.behind(graph)
    piece = [min(left)]
    for node in piece:
        piece += [it for it in left & {*ahead[node], *behind[node]} if it not in piece]
    if len(piece) < len(left):
        rest = left.difference(piece)
        mixed = comb(len(left), len(piece))
        return mixed * _orders(graph, frozenset(piece)) * _orders(graph, rest)
    return sum(_orders(graph, left - {node}) for node in left if left.isdisjoint(ahead[node]))


def _misread(rng: Random, graph: Graph) -> Graph | None:
    """An edge leads from another node or to another one, and no edge leads back."""
    at, node = rng.randrange(len(graph.edges)), rng.choice(graph.nodes)
    start, end = graph.edges[at]
    moved = (node, end) if rng.random() < 0.5 else (start, node)
    if moved[0] == moved[1] or moved in graph.edges or moved[::-1] in graph.edges:
        return None
    other = replace(graph, edges=(*graph.edges[:at], moved, *graph.edges[at + 1 :]))
    return other if 0 < solve(other) <= MOST else None


LADDER = (
    Knobs(7, 3.2, "random", "edge_list", "numbers"),
    Knobs(9, 4.0, "any", "any", "any"),
    Knobs(11, 4.6, "any", "any", "any"),
    Knobs(12, 5.2, "any", "any", "any"),
    Knobs(14, 6.6, "any", "any", "any"),
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
    solver="dynamic programming over sets",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    slips=misreadings(solve, _misread),
    slips_version=2,
    skills=("graphs", "counting"),
)
