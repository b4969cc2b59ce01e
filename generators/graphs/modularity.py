"""Modularity of a split of a graph: how many edges stay within its groups, against chance.

`solve` adds up the groups; `verify` adds up the pairs of nodes, as Newman defines it.
"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph

SLIPS = 20


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Groups that grow along edges; the graph's numbers are those of its nodes' groups."""
    graph = _measures.drawn(rng, knobs)
    groups = rng.randint(2, max(2, min(5, len(graph.nodes) // 4)))
    group = {node: number for number, node in enumerate(rng.sample(graph.nodes, groups), 1)}
    arcs = [*graph.edges, *((b, a) for a, b in graph.edges)]
    while len(group) < len(graph.nodes):
        leading = [(group[a], b) for a, b in arcs if a in group and b not in group]
        number = rng.choice(sorted({number for number, _ in leading}))
        group[rng.choice([node for each, node in leading if each == number])] = number
    return replace(graph, numbers=tuple(group[node] for node in graph.nodes))


def solve(graph: Graph) -> Fraction:
    return sum((_share(graph, *each) for each in _counts(graph)), Fraction(0))


def verify(graph: Graph, value: Fraction) -> float:
    there, group = _graph.beside(graph), dict(zip(graph.nodes, graph.numbers))
    ends = 2 * len(graph.edges)
    total = 0
    for a in graph.nodes:
        for b in graph.nodes:
            if group[a] == group[b]:
                total += ends * (b in there[a]) - len(there[a]) * len(there[b])
    return float(value * ends**2 == total)


def render(graph: Graph, style: Style) -> Prompt:
    split = "\n".join(
        f"Group {number}: {_wording.listed(graph, nodes)}"
        for number, nodes in enumerate(_groups(graph), 1)
    )
    return _wording.posed(
        graph,
        style,
        _measures.FORM,
        f"The nodes are split into these groups:\n{split}\n\nWhat is the modularity of this split?"
        " It is the sum over all groups of L/m - (D/(2m))^2. Here m is the number of edges of the"
        " graph, L the number of edges that have both ends in the group, and D the sum of the"
        " degrees of the group's nodes, where a node's degree is the number of all its edges."
        " Give the exact value.",
        "Find the modularity of a split of the graph below into groups. It is the share of all"
        " edges whose two ends lie in the same group, less the sum over all groups of the square"
        " of the group's share of the ends of edges: every edge has two ends, one at each of its"
        f" nodes. Do not round. The groups:\n{split}",
        f"This graph's nodes are divided as follows.\n{split}\n\nHow good is this division,"
        " by Newman's modularity? With m edges, k(i) the number of edges at node i, and A(i,j)"
        " equal to 1 if an edge joins i and j and to 0 if not (also for i = j), it is 1/(2m) times"
        " the sum of A(i,j) - k(i)k(j)/(2m) over all ordered pairs (i,j) of nodes of the same"
        " group, i = j included. Work it out exactly.",
    )


def slips(rng: Random, graph: Graph, gold: Fraction) -> Iterator[Fraction]:
    """An edge within a group is miscounted, or an end of one goes to another; time and again."""
    counts = _counts(graph)
    for _ in range(SLIPS):
        at, other = rng.sample(range(len(counts)), 2)
        within, degrees = counts[at]
        if rng.random() < 0.5:
            counts[at] = (max(within + rng.choice((-1, 1)), 0), degrees)
        else:
            counts[at] = (within, degrees + 1)
            counts[other] = (counts[other][0], counts[other][1] - 1)
        yield sum((_share(graph, *each) for each in counts), Fraction(0))


def steps(graph: Graph) -> list[str]:
    edges = len(graph.edges)
    return [
        f"m = {edges}",
        *(
            f"group {number}: L = {within}, D = {degrees},"
            f" {within}/{edges} - ({degrees}/{2 * edges})^2 = {_share(graph, within, degrees)}"
            for number, (within, degrees) in enumerate(_counts(graph), 1)
        ),
        _measures.added(_share(graph, *each) for each in _counts(graph)),
    ]


def canon(graph: Graph) -> object:
    """The graph up to the names of nodes and groups: each group is one more node, a marked one."""
    place = {node: at for at, node in enumerate(graph.nodes)}
    nodes = len(place)
    edges = [(place[a], place[b]) for a, b in graph.edges]
    edges += [(at, nodes + number - 1) for at, number in enumerate(graph.numbers)]
    groups = max(graph.numbers)
    return canonical(nodes + groups, edges, marks=[0] * nodes + [1] * groups)


def _groups(graph: Graph) -> list[list[str]]:
    return [
        [node for node, each in zip(graph.nodes, graph.numbers) if each == number]
        for number in range(1, max(graph.numbers) + 1)
    ]


def _counts(graph: Graph) -> list[tuple[int, int]]:
    """Of each group, how many edges lie within it, and how many ends of edges."""
    there = _graph.beside(graph)
    return [
        (
            sum(set(nodes).issuperset(edge) for edge in graph.edges),
            sum(len(there[node]) for node in nodes),
        )
        for nodes in _groups(graph)
    ]


def _share(graph: Graph, within: int, degrees: int) -> Fraction:
    """What a group adds to the modularity."""
    edges = len(graph.edges)
    return Fraction(within, edges) - Fraction(degrees, 2 * edges) ** 2


LADDER = (
    Knobs(9, 2.6, "random", "edge_list", "numbers"),
    Knobs(13, 3.0, "any", "any", "any"),
    Knobs(19, 3.6, "any", "any", "any"),
    Knobs(27, 4.2, "any", "any", "any"),
    Knobs(38, 5.0, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=_graph.size,
    proof="unique",
    solver="the definition, in fractions",
    guess_rate=0.06,
    steps=steps,
    canon=canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    slips=slips,
    slips_version=2,
    skills=("graphs", "arithmetic"),
)
