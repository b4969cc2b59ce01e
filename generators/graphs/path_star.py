"""Path star: arms of equal length leave a centre; which nodes lead from it to the end of one arm?

From the centre all arms look alike, so one must look ahead, or go back from the end. There is one
way and no other, and `verify` walks it.
"""

from dataclasses import dataclass
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Sketch
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair
from puzzlemill.generators.graphs._wording import AnyEncoding, title


@dataclass(frozen=True, slots=True)
class Knobs:
    arms: int  # that leave the centre
    reach: int  # edges of an arm
    directed: bool  # all edges lead away from the centre
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    pairs: list[Pair] = []
    for arm in range(knobs.arms):
        first = 1 + arm * knobs.reach
        pairs += pairwise([0, *range(first, first + knobs.reach)])
    sketch = Sketch(1 + knobs.arms * knobs.reach, pairs, "star")
    return _drawing.dressed(
        rng, knobs, sketch, pairs, directed=knobs.directed, asked=(0, knobs.reach)
    )


def solve(graph: Graph) -> tuple[str, ...]:
    """Back from the end: to each node but the centre there is one way."""
    centre, end = graph.asked
    way, before = [end], _graph.behind(graph)
    while way[-1] != centre:
        way += [node for node in before[way[-1]] if node not in way]
    return tuple(reversed(way))


def verify(graph: Graph, path: tuple[str, ...]) -> float:
    there = _graph.beside(graph)
    if not path or (path[0], path[-1]) != graph.asked or len(set(path)) < len(path):
        return 0.0
    return float(all(b in there.get(a, {}) for a, b in pairwise(path)))


def render(graph: Graph, style: Style) -> Prompt:
    centre, end = (_wording.node(graph, each) for each in graph.asked)
    return _wording.posed(
        graph,
        style,
        f"the nodes of the path in order, from {title(graph, graph.asked[0])} to"
        f" {title(graph, graph.asked[1])}, separated by commas",
        f"Find the path from {centre} to {end} that visits no node twice.",
        f"Several chains of edges start at {centre} of the graph below, and one of them ends at"
        f" {end}. List its nodes in order, both ends included.",
        f"Which nodes does one pass, in order, on the way from {centre} to {end} along the edges,"
        " without coming to any node again? Name the first and the last as well.",
    )


def steps(graph: Graph) -> list[str]:
    """One node after another, from the end."""
    way = [title(graph, node) for node in reversed(solve(graph))]
    link = "comes from" if graph.directed else "hangs on"
    return [f"{node} {link} {before}" for node, before in pairwise(way)]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, " comes from ")


LADDER = (
    Knobs(3, 3, True, "edge_list", "numbers"),
    Knobs(3, 5, True, "any", "any"),
    Knobs(4, 7, False, "any", "any"),
    Knobs(5, 8, False, "any", "any"),
    Knobs(6, 9, False, "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Path(nodes="nodes", between=", "),
    hardness=_graph.size,
    proof="unique",
    solver="back from the end",
    guess_rate=0.01,
    steps=steps,
    progress=progress,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "search"),
    peers=("reasoning-gym/path_star",),
    version=3,
)
