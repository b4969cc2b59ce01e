"""Chromatic number: the fewest colours with which no edge joins two nodes of the same colour.

`solve` asks a SAT solver; `verify` searches by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _sat
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average; a real graph has as many as it has
    colours: int  # that are needed, at most; two at least
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Every number of colours has the same chance, and how many edges there are tells little of it.

    Some nodes that need all the colours are joined, whatever the source; the other edges of the
    source are taken as far as these colours suffice.
    """
    colours = rng.randint(2, knobs.colours)
    # Two colours are those of a grid or a bipartite source, which else could lend few edges.
    worn = [at % 2 if colours == 2 else rng.randrange(colours) for at in range(knobs.nodes)]

    def core(nodes: int) -> Iterator[Pair]:
        """An odd ring, which needs three colours, and nodes joined to all of it and one another."""
        rings = [it for it in (3, 5, 7) if it + colours - 3 <= nodes]
        if colours == 2 or not rings:
            return
        ring = rng.choice(rings)
        inner = [*[0, 1] * (ring // 2), *range(2, colours)]
        spots = rng.sample(range(nodes), len(inner))
        for spot, colour in zip(spots, inner):
            worn[spot] = colour
        yield from ((spots[at], spots[(at + 1) % ring]) for at in range(ring))
        for at in range(ring, len(spots)):
            yield from ((spots[at], other) for other in spots[:at])

    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(
        rng, knobs.source, knobs.nodes, edges, core, lambda a, b: worn[a] != worn[b]
    )
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs)


def solve(graph: Graph) -> int:
    return len(_coloured(graph))


def verify(graph: Graph, count: int) -> float:
    return float(count == _searched(graph))


def render(graph: Graph, style: Style) -> Prompt:
    return _wording.posed(
        graph,
        style,
        "one integer",
        "Each node is to be given a colour so that the two ends of every edge have different"
        " colours. What is the least number of colours with which this can be done?",
        "What is the chromatic number of the graph below? It is the least number of colours that"
        " the nodes can be coloured with, if nodes joined by an edge must differ in colour.",
        "The nodes are to be put into groups so that no edge joins two nodes of the same group."
        " What is the least number of groups needed?",
    )


def steps(graph: Graph) -> list[str]:
    """A colouring, and nodes all joined to one another where these show that no less will do."""
    groups = _coloured(graph)
    lines = [f"colour {at}: {_wording.listed(graph, nodes)}" for at, nodes in enumerate(groups, 1)]
    alike = _clique(graph)
    joined = f"all joined to one another: {', '.join(title(graph, node) for node in alike)}"
    if len(alike) == len(groups):
        return [*lines, f"{joined}, so no fewer than {len(groups)}"]
    return [*lines, joined, f"a search finds no way with {len(groups) - 1}"]


@lru_cache(maxsize=256)
def _coloured(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """The nodes of each colour: more and more colours, until there is a model."""
    place = {node: at for at, node in enumerate(graph.nodes)}
    for colours in range(1, len(place) + 1):
        wears = {
            (node, colour): place[node] * colours + colour + 1
            for node in graph.nodes
            for colour in range(colours)
        }
        clauses = [[wears[node, it] for it in range(colours)] for node in graph.nodes]
        clauses += [[-wears[a, it], -wears[b, it]] for a, b in graph.edges for it in range(colours)]
        clauses += [[wears[node, it]] for it, node in enumerate(_clique(graph)[:colours])]
        model = _sat.any_model(clauses)
        if model is not None:
            worn = {
                node: min(it for it in range(colours) if wears[node, it] in model) for node in place
            }
            return tuple(
                tuple(node for node in graph.nodes if worn[node] == it) for it in range(colours)
            )
    raise AssertionError("a colour for each node is always enough")


@lru_cache(maxsize=2)
def _clique(graph: Graph) -> list[str]:
    """Nodes all joined to one another: the most that taking them greedily gives."""
    there, best = _graph.beside(graph), list[str]()
    for start in graph.nodes:
        clique, left = [start], set(there[start])
        while left:
            node = max(sorted(left), key=lambda it: len(there[it].keys() & left))
            clique.append(node)
            left &= there[node].keys()
        best = max(best, clique, key=len)
    return best


@lru_cache(maxsize=1024)
def _searched(graph: Graph) -> int:
    """The node whose neighbours have the most colours is next, and takes one of these that were
    used before, or a new one, as long as this stays below the best that is known."""
    there = _graph.beside(graph)
    seen: dict[str, dict[int, int]] = {node: {} for node in there}  # colours beside it, how often
    bare, best = set(there), len(there)

    def go_on(used: int) -> None:
        nonlocal best
        if not bare:
            best = min(best, used)
            return
        node = max(bare, key=lambda it: (len(seen[it]), len(there[it]), it))
        bare.remove(node)
        for colour in range(min(used + 1, best - 1)):
            if colour not in seen[node] and max(used, colour + 1) < best:
                for other in there[node]:
                    seen[other][colour] = seen[other].get(colour, 0) + 1
                go_on(max(used, colour + 1))
                for other in there[node]:
                    seen[other][colour] -= 1
                    if not seen[other][colour]:
                        del seen[other][colour]
        bare.add(node)

    go_on(0)
    return best


LADDER = (
    Knobs(8, 3.4, 4, "random", "edge_list", "numbers"),
    Knobs(13, 4.2, 5, "any", "any", "any"),
    Knobs(18, 4.6, 6, "any", "any", "any"),
    Knobs(24, 5.2, 6, "any", "any", "any"),
    Knobs(32, 6.0, 6, "any", "any", "any"),
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
    solver="SAT (minisat)",
    guess_rate=0.35,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "constraints"),
    peers=("RLVE/minimum_chromatic_number",),
    version=2,
)
