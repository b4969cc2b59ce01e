"""A random walk: how likely does it come to one node before it comes to another?

`solve` finds the chances from all nodes by linear equations. `verify` takes nodes away one by one,
as in a network of resistors, until the three that are named are left. Both are exact.
"""

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.graphs import _graph, _measures, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._wording import title

FINEST = 5000  # a denominator; with greater ones the fractions would be most of the work
USUAL = Fraction(1, 2)

Equation: TypeAlias = dict[str, Fraction]  # what other nodes' chances count for; "" is the rest


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """The nodes are asked about so that the answer is not certain, and seldom one half."""
    graph = _measures.drawn(rng, knobs)
    target, trap = rng.sample(graph.nodes, 2)
    chances = _chances(graph, target, trap)
    lively = [
        ((node, target, trap), chance)
        for node, chance in chances.items()
        if 0 < chance < 1 and chance.denominator <= FINEST
    ]
    unusual = [each for each in lively if each[1] != USUAL]
    return _measures.asking(rng, graph, unusual if rng.random() < 0.9 else lively)


def solve(graph: Graph) -> Fraction:
    start, target, trap = graph.asked
    return _chances(graph, target, trap)[start]


def verify(graph: Graph, chance: Fraction) -> float:
    return float(chance == _through(graph))


def render(graph: Graph, style: Style) -> Prompt:
    start, target, trap = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        "an integer or a fraction in lowest terms, such as 7/12",
        f"A walk starts at {start}. At every step it goes to one of the neighbours of the node"
        " where it is, each of them being equally likely. It ends as soon as it comes to"
        f" {target} or to {trap}. What is the probability that it ends at {target}? Give the exact"
        " value.",
        f"Somebody stands at {start} of the graph below, and again and again chooses one of the"
        " edges at the node where they are, all with the same probability, and goes along it. How"
        f" likely is it that they visit {target} before they first visit {trap}? Do not round.",
        "A random walk on this graph moves from a node to a neighbour that is chosen at random,"
        f" all neighbours being equally likely. Find the exact probability that a walk from {start}"
        f" reaches {target} before {trap}.",
    )


def steps(graph: Graph) -> list[str]:
    """The equations, one for each node that the walk can be at, and what they come to."""
    start, target, trap = graph.asked
    there, chances = _graph.beside(graph), _chances(graph, target, trap)
    lines = [f"p({title(graph, target)}) = 1, p({title(graph, trap)}) = 0"]
    for node in graph.nodes:
        if node not in (target, trap):
            terms = " + ".join(f"p({title(graph, it)})" for it in graph.nodes if it in there[node])
            lines.append(f"{len(there[node])} p({title(graph, node)}) = {terms}")
    told = ", ".join(f"p({title(graph, node)}) = {chances[node]}" for node in graph.nodes)
    return [*lines, f"solved: {told}", f"from {title(graph, start)}: {chances[start]}"]


def _chances(graph: Graph, target: str, trap: str) -> dict[str, Fraction]:
    """The chance from each node: the mean of its neighbours' chances.

    One equation after another is put into all that are left, and then back into those before.
    """
    there = _graph.beside(graph)
    chances = {target: Fraction(1), trap: Fraction(0)}
    equations = {
        node: _equation(there[node], target, trap) for node in graph.nodes if node not in chances
    }
    order = list(equations)
    for at, node in enumerate(order):
        own = equations[node].pop(node, Fraction(0))
        equations[node] = {it: share / (1 - own) for it, share in equations[node].items()}
        for later in order[at + 1 :]:
            share = equations[later].pop(node, Fraction(0))
            if share:
                for it, more in equations[node].items():
                    equations[later][it] = equations[later].get(it, Fraction(0)) + share * more
    chances[""] = Fraction(1)
    for node in reversed(order):
        chances[node] = sum(
            (share * chances[it] for it, share in equations[node].items()), Fraction(0)
        )
    del chances[""]
    return chances


def _equation(others: Mapping[str, int], target: str, trap: str) -> Equation:
    share = Fraction(1, len(others))
    return {("" if it == target else it): share for it in others if it != trap}


@lru_cache(maxsize=1024)
def _through(graph: Graph) -> Fraction:
    """Edges are resistors; a node that is taken away leaves, between each two of its neighbours,
    one that conducts as well as the way through it did."""
    start, target, trap = graph.asked
    conducts = {
        node: dict.fromkeys(others, Fraction(1)) for node, others in _graph.beside(graph).items()
    }
    for node in graph.nodes:
        if node in graph.asked:
            continue
        around = conducts.pop(node)
        total = sum(around.values(), Fraction(0))
        for one, much in around.items():
            del conducts[one][node]
            for two, more in around.items():
                if one != two:
                    known = conducts[one].get(two, Fraction(0))
                    conducts[one][two] = known + much * more / total
    there, away = (conducts[start].get(it, Fraction(0)) for it in (target, trap))
    return there / (there + away)


LADDER = (
    Knobs(9, 2.4, "random", "edge_list", "numbers"),
    Knobs(10, 2.6, "any", "any", "any"),
    Knobs(12, 2.7, "any", "any", "any"),
    Knobs(14, 2.8, "any", "any", "any"),
    Knobs(17, 2.8, "any", "any", "any"),
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
    solver="linear equations",
    guess_rate=0.12,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "probability"),
)
