"""The longest path of a graph without cycles, by the sum of its weights or the number of its edges.

Several paths may be equally long, so `verify` adds up the answer's edges and compares the sum with
the most there is.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average
    longest: int  # length of an edge, at most; from 1 to 1 there are no lengths
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pairs = _drawing.downhill(rng, sketch)
    lengths = [rng.randint(1, knobs.longest) for _ in pairs] if knobs.longest > 1 else []
    return _drawing.dressed(rng, knobs, sketch, pairs, lengths, directed=True)


def solve(graph: Graph) -> tuple[str, ...]:
    """Round by round, a longer way is found to some nodes, until none is."""
    came: dict[str, str] = {}
    for found in _rounds(graph):
        came |= {node: before for node, _, before in found}
    longest = {node: length for found in _rounds(graph) for node, length, _ in found}
    path = [max(longest, key=longest.__getitem__)]
    while path[-1] in came:
        path.append(came[path[-1]])
    return tuple(reversed(path))


def verify(graph: Graph, path: tuple[str, ...]) -> float:
    there, length = _graph.beside(graph), 0
    for here, beyond in pairwise(path):
        if beyond not in there.get(here, {}):
            return 0.0
        length += there[here][beyond]
    return float(length == max(_onward(graph).values()))


def recheck(graph: Graph, path: tuple[str, ...]) -> bool:
    """By networkx: a path of that graph, as long as the one it finds."""
    import networkx

    known = _graph.in_networkx(graph)
    if not set(path) <= set(known) or not networkx.is_path(known, path):
        return False
    length = sum(known.edges[step].get("weight", 1) for step in pairwise(path))
    return bool(length == networkx.dag_longest_path_length(known))


def render(graph: Graph, style: Style) -> Prompt:
    form = "the nodes of the path in order, separated by commas"
    if graph.weights:
        return _wording.posed(
            graph,
            style,
            form,
            "The length of a path is the sum of the lengths of its edges. Find a longest path, from"
            " any node to any other. If several are equally long, any of them will do.",
            "No edge of the graph below is on a cycle. Find a path, from any node to any other,"
            " whose edges have the greatest total length. Any one such path will do.",
            "Start at any node and follow edges for as long as you like. The sum of the lengths of"
            " the edges is to be as great as possible. Give any one such path.",
            number="length",
        )
    return _wording.posed(
        graph,
        style,
        form,
        "Find a path with as many edges as possible, from any node to any other. If several paths"
        " have the most edges, any of them will do.",
        "No edge of the graph below is on a cycle. Find a path, from any node to any other, with"
        " the greatest number of edges. Any one such path will do.",
        "Start at any node and follow edges. As many edges as possible are to be used in one go."
        " Give any one path that uses the most.",
    )


def steps(graph: Graph) -> list[str]:
    """What each round makes longer: each node, the length of the way to it, where from."""
    name = {node: title(graph, node) for node in graph.nodes}
    lines = [
        f"round {count}: "
        + ", ".join(f"{name[node]} at {length} from {name[came]}" for node, length, came in found)
        for count, found in enumerate(_rounds(graph), 1)
    ]
    return [*lines, "back: " + " ".join(name[it] for it in solve(graph)[::-1])]


def _rounds(graph: Graph) -> list[list[tuple[str, int, str]]]:
    """Each node in the order of the most edges that lead to it, a round for each number of edges:
    (node, the length of the longest way to it, the node before it)."""
    behind, rounds = _graph.behind(graph), list[list[tuple[str, int, str]]]()
    longest = {node: 0 for node in graph.nodes if not behind[node]}
    while len(longest) < len(graph.nodes):
        found = []
        for node in graph.nodes:
            if node not in longest and behind[node].keys() <= longest.keys():
                ways = [(longest[it] + length, it) for it, length in behind[node].items()]
                length, came = max(ways, key=lambda way: way[0])
                found.append((node, length, came))
        longest |= {node: length for node, length, _ in found}
        rounds.append(found)
    return rounds


@lru_cache(maxsize=64)
def _onward(graph: Graph) -> dict[str, int]:
    """The length of the longest way on from each node."""
    there: dict[str, int] = {}

    def onward(node: str) -> int:
        if node not in there:
            beyond = _graph.beside(graph)[node].items()
            there[node] = max((length + onward(other) for other, length in beyond), default=0)
        return there[node]

    for node in graph.nodes:
        onward(node)
    return there


LADDER = (
    Knobs(8, 3.0, 1, "random", "edge_list", "numbers"),
    Knobs(13, 3.4, 9, "any", "any", "any"),
    Knobs(20, 4.0, 20, "any", "any", "any"),
    Knobs(32, 4.8, 50, "any", "any", "any"),
    Knobs(50, 6.0, 99, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Path(nodes="nodes", between=", "),
    recheck=recheck,
    hardness=_graph.size,
    solver="dynamic programming",
    guess_rate=0.05,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    peers=("CLRS-Text/dag_shortest_paths",),
    version=2,
)
