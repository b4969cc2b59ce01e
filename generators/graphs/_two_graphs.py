"""Two undirected graphs in one puzzle: the nodes of the first are to be found in the second."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Prompt, Style
from puzzlemill.generators.graphs import _graph, _naming, _wording
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._drawing import Looks
from puzzlemill.generators.graphs._graph import Encoding, Graph
from puzzlemill.generators.graphs._naming import Naming
from puzzlemill.generators.graphs._sources import Pair

Edges = tuple[tuple[str, str], ...]

FORM = (
    "one line for each node of the first graph: that node, the sign = and its node in the second"
    " graph"
)


@dataclass(frozen=True, slots=True)
class TwoGraphs:
    nodes: tuple[str, ...]  # of the first graph; the second has none of these names
    edges: Edges
    naming: Naming
    their_nodes: tuple[str, ...]  # of the second
    their_edges: Edges
    their_naming: Naming
    source: str
    encoding: Encoding


def dressed(
    rng: Random, knobs: Looks, source: str, pairs: Sequence[Pair], their_pairs: Sequence[Pair]
) -> TwoGraphs:
    """Two connected graphs, with names, in orders that tell nothing."""
    naming = rng.choice(list(_naming.WAYS)) if knobs.naming == "any" else knobs.naming
    plain: tuple[Naming, Naming] = ("numbers", "letters")
    their_naming = rng.choice([way for way in plain if way != naming])
    nodes, edges = _named(rng, naming, pairs)
    their_nodes, their_edges = _named(rng, their_naming, their_pairs)
    encoding = _wording.pick_encoding(rng, knobs.encoding, len(their_nodes))
    return TwoGraphs(nodes, edges, naming, their_nodes, their_edges, their_naming, source, encoding)


def first(two: TwoGraphs) -> Graph:
    return Graph(two.nodes, two.edges, (), False, (), (), two.source, two.encoding, two.naming)


def second(two: TwoGraphs) -> Graph:
    return Graph(
        two.their_nodes,
        two.their_edges,
        (),
        False,
        (),
        (),
        two.source,
        two.encoding,
        two.their_naming,
    )


def known(two: TwoGraphs) -> tuple[str, ...]:
    """The nodes of both as the prompt shows them."""
    return (*_graph.known(first(two)), *_graph.known(second(two)))


def posed(two: TwoGraphs, style: Style, *questions: str) -> Prompt:
    """A prompt: both graphs, and one of the questions, before them or behind them."""
    place = style.phrasing % len(questions)
    text = "\n\n".join(
        f"The {which} graph: {_wording.described(graph)}"
        for which, graph in (("first", first(two)), ("second", second(two)))
    )
    parts = (text, questions[place]) if place % 2 == 0 else (questions[place], text)
    images: tuple[bytes, ...] = ()
    if two.encoding == "picture":
        from puzzlemill.generators.graphs._picture import pictured

        images = (pictured(first(two)), pictured(second(two)))
    return Prompt("\n\n".join(parts), FORM, images)


def fits(two: TwoGraphs, pairs: Pairs) -> bool:
    """Whether each node of the first graph goes to a node of its own, and each edge to an edge."""
    image, joined = dict(pairs), set(map(frozenset, two.their_edges))
    if image.keys() != set(two.nodes) or len(set(image.values())) < len(image):
        return False
    return set(image.values()) <= set(two.their_nodes) and all(
        frozenset((image[a], image[b])) in joined for a, b in two.edges
    )


def placed(two: TwoGraphs) -> list[tuple[str, str]] | None:
    """Where the nodes of the first graph go, in the order in which a search placed them: each
    beside one that it is joined to, the one with most of these first."""
    there, theirs = _graph.beside(first(two)), _graph.beside(second(two))
    order = _order(there)
    image: dict[str, str] = {}

    def place(at: int) -> bool:
        if at == len(order):
            return True
        node = order[at]
        near = [image[other] for other in there[node] if other in image]
        for spot in theirs[near[0]] if near else theirs:
            if (
                spot not in image.values()
                and len(theirs[spot]) >= len(there[node])
                and all(spot in theirs[other] for other in near)
            ):
                image[node] = spot
                if place(at + 1):
                    return True
                del image[node]
        return False

    return list(image.items()) if place(0) else None


def steps(two: TwoGraphs) -> list[str]:
    """Node after node, and the edges that then are in place."""
    one, other, image = first(two), second(two), dict[str, str]()
    there, lines = _graph.beside(one), []
    for node, spot in placed(two) or []:
        edges = [
            f"{_wording.title(one, node)}-{_wording.title(one, near)} is"
            f" {_wording.title(other, spot)}-{_wording.title(other, image[near])}"
            for near in image
            if near in there[node]
        ]
        head = f"{_wording.title(one, node)} = {_wording.title(other, spot)}"
        lines.append(f"{head}: {', '.join(edges)}" if edges else head)
        image[node] = spot
    return lines


def canon(two: TwoGraphs) -> Any:
    return [_form(two.nodes, two.edges), _form(two.their_nodes, two.their_edges)]


def kin(two: TwoGraphs) -> Any:
    return _graph.kin(second(two))


def size(two: TwoGraphs) -> float:
    return float(len(two.nodes) * len(two.their_edges))


def _named(rng: Random, naming: Naming, pairs: Sequence[Pair]) -> tuple[tuple[str, ...], Edges]:
    ends = sorted({node for pair in pairs for node in pair})
    names = _naming.names(rng, naming, len(ends))
    place = dict(zip(rng.sample(ends, len(ends)), range(len(ends))))
    edges = [(min(place[a], place[b]), max(place[a], place[b])) for a, b in pairs]
    rng.shuffle(edges)
    return names, tuple((names[a], names[b]) for a, b in edges)


def _order(there: Mapping[str, Mapping[str, int]]) -> list[str]:
    order, left = list[str](), list(there)
    while left:
        node = max(left, key=lambda it: (len(there[it].keys() & set(order)), len(there[it])))
        order.append(node)
        left.remove(node)
    return order


def _form(nodes: tuple[str, ...], edges: Edges) -> Any:
    place = {node: at for at, node in enumerate(nodes)}
    return canonical(len(nodes), [(place[a], place[b]) for a, b in edges])
