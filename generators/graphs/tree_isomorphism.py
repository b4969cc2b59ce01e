"""Tree isomorphism: are two trees the same but for the names of their nodes?

Where they are not, one is a copy of the other with one leaf at another node, if that can be so that
the two still have as many nodes with each number of edges.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from random import Random
from typing import TypeVar

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Sketch
from puzzlemill.generators.graphs._graph import Encoding, Graph
from puzzlemill.generators.graphs._naming import AnyNaming, Naming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding

N = TypeVar("N")  # a node's name or number

TRIED = 30  # ways to move a leaf


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of each tree
    source: Source  # of the graph whose spanning tree is asked about
    encoding: AnyEncoding
    naming: AnyNaming


@dataclass(frozen=True, slots=True)
class Trees:
    nodes: tuple[str, ...]  # the same names in both
    one: tuple[tuple[str, str], ...]  # edges
    two: tuple[tuple[str, str], ...]
    source: str
    encoding: Encoding
    naming: Naming


def generate(rng: Random, knobs: Knobs) -> Trees | None:
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, knobs.nodes)
    tree = _drawing.spanning(sketch.nodes, rng.sample(sketch.pairs, len(sketch.pairs)))
    other = _moved(rng, tree, sketch.nodes)
    if other is None:
        return None
    one = _drawing.dressed(rng, knobs, Sketch(sketch.nodes, [], sketch.source), tree)
    order = rng.sample(one.nodes, sketch.nodes)
    pairs = tree if rng.random() < 0.5 else other
    place = {name: at for at, name in enumerate(one.nodes)}
    two = [sorted((order[a], order[b]), key=place.__getitem__) for a, b in pairs]
    rng.shuffle(two)
    edges = tuple((a, b) for a, b in two)
    return Trees(one.nodes, one.edges, edges, sketch.source, one.encoding, one.naming)


def solve(trees: Trees) -> bool:
    """By networkx: trees are the same if they look the same from a centre."""
    import networkx

    one, two = (
        {
            networkx.to_nested_tuple(tree, centre, canonical_form=True)
            for centre in networkx.center(tree)
        }
        for tree in map(_graph.in_networkx, _graphs(trees))
    )
    return one == two


def verify(trees: Trees, same: bool) -> float:
    """Nodes are alike, in one tree or both, if each has a neighbour like each of the other's. Two
    trees are the same if they have as many nodes of each sort: of graphs this is not true."""
    place, count = {node: at for at, node in enumerate(trees.nodes)}, len(trees.nodes)
    near: list[list[int]] = [[] for _ in range(2 * count)]  # those of the second come behind
    for first, edges in ((0, trees.one), (count, trees.two)):
        for one, other in edges:
            a, b = first + place[one], first + place[other]
            near[a].append(b)
            near[b].append(a)
    sort, sorts = [0] * len(near), 1
    while True:
        numbers: dict[tuple[int, ...], int] = {}
        of, finer = sort.__getitem__, list[int]()
        for own, others in zip(sort, near):
            finer.append(numbers.setdefault((own, *sorted(map(of, others))), len(numbers)))
        alike = sorted(finer[:count]) == sorted(finer[count:])
        if not alike or len(numbers) == sorts:
            return float(same == alike)
        sort, sorts = finer, len(numbers)


def render(trees: Trees, style: Style) -> Prompt:
    question = style.pick(
        "Are the two trees the same but for the names of their nodes? That is, can the nodes of the"
        " first be paired with those of the second so that two nodes of the first have an edge if"
        " and only if their partners have one?",
        "The same name in both trees does not mean the same node. Can the nodes of the first tree"
        " be renamed so that it gets exactly the edges of the second?",
        "Two trees are isomorphic if the nodes of one can be matched with the nodes of the other,"
        " one to one, so that neighbours are matched with neighbours. Are these two isomorphic?",
    )
    one, two = _graphs(trees)
    shown = f"First tree. {_wording.described(one)}\n\nSecond tree. {_wording.described(two)}"
    images = (_wording.pictured(one), _wording.pictured(two)) if one.encoding == "picture" else ()
    parts = (question, shown) if style.phrasing % 3 == 1 else (shown, question)
    return Prompt("\n\n".join(parts), "yes or no", images)


def steps(trees: Trees) -> list[str]:
    """The middle of each tree, and how the tree hangs from it: brackets round those below."""
    lines = []
    for word, graph in zip(("first", "second"), _graphs(trees)):
        middle = list(_hung(graph.edges))
        lines.append(f"{word} tree, in the middle: {_wording.listed(graph, middle)}")
        lines.append(f"branches: {_form(graph.edges)}")
    return [*lines, "the same" if _form(trees.one) == _form(trees.two) else "not the same"]


def canon(trees: Trees) -> object:
    """Which of the two comes first does not matter."""
    return sorted([_form(trees.one), _form(trees.two)])


def hardness(trees: Trees) -> float:
    return float(len(trees.nodes))


def known(trees: Trees) -> tuple[str, ...]:
    return trees.nodes


def _graphs(trees: Trees) -> tuple[Graph, Graph]:
    look = (trees.source, trees.encoding, trees.naming)
    one, two = (
        Graph(trees.nodes, edges, (), False, (), (), *look) for edges in (trees.one, trees.two)
    )
    return one, two


def _moved(rng: Random, tree: list[Pair], nodes: int) -> list[Pair] | None:
    """The tree with a leaf at another node, so that it is not the same any more."""
    degree = Counter(chain.from_iterable(tree))
    leaves = [(a, b) if degree[a] == 1 else (b, a) for a, b in tree if 1 in (degree[a], degree[b])]
    ways = [
        (degree[new] != degree[old] - 1, leaf, old, new)
        for leaf, old in leaves
        for new in range(nodes)
        if new not in (leaf, old)
    ]
    rng.shuffle(ways)
    ways.sort(key=itemgetter(0))
    whole = _form(tree)
    for _, leaf, old, new in ways[:TRIED]:
        other = [(leaf, new) if edge in ((leaf, old), (old, leaf)) else edge for edge in tree]
        if _form(other) != whole:
            return other
    return None


def _form(edges: Iterable[tuple[N, N]]) -> str:
    """Brackets for the tree as it hangs from its middle: a pair for each node round those of the
    nodes below, in order of their text."""
    return "+".join(sorted(_hung(edges).values()))


def _hung(edges: Iterable[tuple[N, N]]) -> dict[N, str]:
    """The one or two nodes that are left when leaves are taken off again and again, and the
    brackets of each with what was taken off it."""
    beside: dict[N, set[N]] = {}
    for a, b in edges:
        beside.setdefault(a, set()).add(b)
        beside.setdefault(b, set()).add(a)
    below: dict[N, list[str]] = {node: [] for node in beside}
    leaves = [node for node, others in beside.items() if len(others) == 1]
    while len(beside) > 2:
        outer, leaves = leaves, []
        for leaf in outer:
            (other,) = beside.pop(leaf)
            beside[other].discard(leaf)
            below[other].append(_bracketed(below[leaf]))
            if len(beside[other]) == 1:
                leaves.append(other)
    return {node: _bracketed(below[node]) for node in beside}


def _bracketed(parts: list[str]) -> str:
    return f"({''.join(sorted(parts))})"


LADDER = (
    Knobs(10, "random", "edge_list", "numbers"),
    Knobs(18, "any", "any", "any"),
    Knobs(26, "any", "any", "any"),
    Knobs(36, "any", "any", "any"),
    Knobs(48, "any", "any", "any"),
)
FAMILY = Family(
    Trees,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.YesNo(),
    hardness=hardness,
    proof="unique",
    solver="networkx",
    guess_rate=0.5,
    steps=steps,
    canon=canon,
    known=known,
    redraws=_graph.layout,
    skills=("graphs", "isomorphism"),
)
