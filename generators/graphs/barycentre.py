"""Barycentre: the nodes from which the distances to all nodes have the least sum."""

from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _eccentricity, _graph, _wording
from puzzlemill.generators.graphs._drawing import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """Not where all nodes are alike."""
    graph = _eccentricity.drawn(rng, knobs)
    return graph if len(set(_sums(graph).values())) > 1 else None


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx."""
    import networkx

    return in_order(networkx.barycenter(_graph.in_networkx(graph)))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    """By a search from each node."""
    sums = _sums(graph)
    least = min(sums.values())
    return float(set(nodes) == {node for node in graph.nodes if sums[node] == least})


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "those nodes separated by commas",
        "The distance between two nodes is the least number of edges on a path from one to the"
        " other. Add up each node's distances from all other nodes. The barycentre of the graph is"
        " made of all nodes for which this sum is least. Which nodes are they?",
        "The distance between two nodes is the length of a shortest path, counted in edges. Find"
        " the barycentre of the graph below: all nodes whose distances from the other nodes have"
        " the least sum.",
        "A path is as long as the number of its edges. Suppose that you visit all other nodes,"
        " each by a shortest path from home. At which nodes should home be so that the lengths of"
        " these paths have the least sum? List all of them; they are called the barycentre.",
    )


def steps(graph: Graph) -> list[str]:
    """How many nodes are at each distance from each node, and the sum."""
    lines = []
    for node in graph.nodes:
        away = list(_graph.distances(graph, node).values())
        counts = [away.count(step) for step in range(1, max(away) + 1)]
        terms = " + ".join(f"{count}*{step}" for step, count in enumerate(counts, 1))
        lines.append(f"{_wording.title(graph, node)}: {terms} = {sum(away)}")
    return [*lines, f"the least of these: {_wording.listed(graph, solve(graph))}"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


@lru_cache(maxsize=2)
def _sums(graph: Graph) -> dict[str, int]:
    return {node: sum(_graph.distances(graph, node).values()) for node in graph.nodes}


LADDER = (
    Knobs(9, 3.0, "random", "edge_list", "numbers"),
    Knobs(14, 3.2, "any", "any", "any"),
    Knobs(18, 3.2, "any", "any", "any"),
    Knobs(26, 3.4, "any", "any", "any"),
    Knobs(36, 3.6, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="nodes"),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.13,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "shortest paths"),
    peers=("G1/barycenter",),
    theme="all_distances",
    version=4,
)
