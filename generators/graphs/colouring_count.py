"""Counting colourings: in how many ways can nodes have colours, the ends of each edge two?

`solve` takes off nodes whose neighbours are all joined, and where there is none asks whether two
neighbours of a node are alike; `verify` paints node after node, and keeps which of them are alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs import _alike, _drawing, _graph, _wording
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average; of a real graph some are left out
    colours: int  # at most; three at least
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    """Edges only between nodes that differ in one colouring, so that there is a way; where the
    nodes of a source are joined otherwise, it lends those edges that can be."""
    colours = rng.randint(3, knobs.colours)
    worn = [rng.randrange(colours) for _ in range(knobs.nodes)]
    edges = _drawing.edge_count(knobs.nodes, knobs.degree) + rng.randint(-1, 1)
    sketch = _drawing.sketched(
        rng, knobs.source, knobs.nodes, edges, allowed=lambda a, b: worn[a] != worn[b]
    )
    return _drawing.dressed(rng, knobs, sketch, sketch.pairs[:edges], numbers=[colours])


def solve(graph: Graph) -> int:
    names, there = _numbered(graph)
    return _ways(there, graph.numbers[0], names, [])


def verify(graph: Graph, count: int) -> float:
    return float(count == _painted(graph))


def render(graph: Graph, style: Style) -> Prompt:
    (colours,) = graph.numbers
    return _wording.posed(
        graph,
        style,
        "one integer",
        f"Each node is to be painted in one of {colours} colours so that no edge joins two nodes"
        " of the same colour. Not every colour need be used. In how many ways can this be done?"
        " Two ways are different if any node has another colour.",
        f"How many proper colourings with {colours} colours does the graph below have? A proper"
        " colouring gives each node one of the colours so that the two ends of every edge differ."
        " Colourings that differ only in which colour is which count as different, and colours may"
        " stay unused.",
        f"Every node is to get a number from 1 to {colours} so that nodes joined by an edge never"
        " have the same number. How many such numberings of the nodes are there?",
    )


def steps(graph: Graph) -> list[str]:
    """What is taken off first; from the first question on, what each of its answers comes to."""
    lines = list[str]()
    names, there = _numbered(graph)
    count = _ways(there, graph.numbers[0], names, lines)
    return [*lines, f"in all: {count}"]


def _numbered(graph: Graph) -> tuple[list[str], dict[int, int]]:
    """The nodes' names in order, and by its place among them each node's neighbours, a bit each."""
    names = {node: title(graph, node) for node in graph.nodes}
    order = sorted(names.values())
    place = {node: order.index(name) for node, name in names.items()}
    there = {
        place[node]: sum([1 << place[other] for other in others])
        for node, others in _graph.beside(graph).items()
    }
    return order, there


def _ways(there: dict[int, int], colours: int, names: Sequence[str], lines: list[str]) -> int:
    """A node whose d neighbours are all joined to one another has colours - d left, whatever the
    others have. Else two neighbours of a node are either joined too, or are made one."""
    there, factor = dict(there), 1
    while there:
        node = next((it for it in there if not _unjoined(there, it)), None)
        if node is None:
            break
        near = there.pop(node)
        count = near.bit_count()
        left = max(colours - count, 0)
        factor *= left
        lines.append(f"neighbours of {names[node]}, all joined: {count}, so times {left}")
        for other in _bits(near):
            there[other] ^= 1 << node
    if not there or not factor:
        return factor
    node = min(there, key=lambda it: (there[it].bit_count(), it))
    one, two = _unjoined(there, node)
    joined = there | {one: there[one] | 1 << two, two: there[two] | 1 << one}
    merged = there | {one: there[one] | there[two]}
    for other in _bits(merged.pop(two)):
        merged[other] = merged[other] & ~(1 << two) | 1 << one
    apart, alike = (_ways(it, colours, names, []) for it in (joined, merged))
    lines.append(f"{names[one]} and {names[two]} differ in {apart} ways and are alike in {alike}")
    return factor * (apart + alike)


def _unjoined(there: dict[int, int], node: int) -> tuple[int, ...]:
    """The first two neighbours of a node that are not joined; none if all are."""
    later = there[node]
    for one in _bits(later):
        later &= later - 1
        if others := later & ~there[one]:
            return one, (others & -others).bit_length() - 1
    return ()


@lru_cache(maxsize=4096)
def _bits(mask: int) -> tuple[int, ...]:
    return tuple(at for at in range(mask.bit_length()) if mask >> at & 1)


@lru_cache(maxsize=1024)
def _painted(graph: Graph) -> int:
    """Node by node, with a colour that is there or another. What matters of the colours given is
    which nodes are alike, and of these only those that have neighbours still to come."""
    (colours,), beside = graph.numbers, _graph.beside(graph)
    order = dict.fromkeys(it for node in graph.nodes for it in _graph.distances(graph, node))
    place = {node: at for at, node in enumerate(order)}
    near = [[place[it] for it in beside[node]] for node in place]
    found = {"": 1}
    for at, others in enumerate(near):
        before = [it for it in others if it < at]
        done = [it for it in (*before, at) if max(near[it], default=at) <= at]
        painted = dict[str, int]()
        for parts, ways in found.items():
            there = set(parts) - {_alike.GONE}
            choices = [(name, ways) for name in there.difference([parts[it] for it in before])]
            if len(there) < colours:
                choices.append((_alike.name(at), ways * (colours - len(there))))
            for name, many in choices:
                after = parts + name
                for it in done:
                    after, _ = _alike.without(after, it)
                painted[after] = painted.get(after, 0) + many
        found = painted
    return sum(found.values())


LADDER = (
    Knobs(8, 2.8, 4, "random", "edge_list", "numbers"),
    Knobs(11, 3.2, 4, "any", "any", "any"),
    Knobs(12, 3.5, 5, "any", "any", "any"),
    Knobs(12, 3.9, 5, "any", "any", "any"),
    Knobs(13, 4.2, 6, "any", "any", "any"),
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
    solver="joining and merging",
    guess_rate=0.12,
    steps=steps,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "counting"),
)
