"""Things that lead to one another: two graphs, machines, games, bridges, jumps."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.networks import Edge, network, shown
from puzzlemill.core.drawings.svg import Picture
from puzzlemill.core.fraction import Fraction


def _plain(nodes: Sequence[str], naming: str, edges: Sequence[Edge]) -> Picture | None:
    return network({node: shown(node, naming) for node in nodes}, edges, [""] * len(edges), False)


def _both(first: Picture | None, second: Picture | None) -> Picture | None:
    return svg.beside([first, second]) if first and second else None


def _two_graphs(puzzle: Any) -> Picture | None:
    return _both(
        _plain(puzzle.nodes, puzzle.naming, puzzle.edges),
        _plain(puzzle.their_nodes, puzzle.their_naming, puzzle.their_edges),
    )


def _two_trees(puzzle: Any) -> Picture | None:
    return _both(
        _plain(puzzle.nodes, puzzle.naming, puzzle.one),
        _plain(puzzle.nodes, puzzle.naming, puzzle.two),
    )


def _joined(arrows: Sequence[tuple[str, str, str]]) -> tuple[list[Edge], list[str]]:
    """Arrows with one label for all that lead the same way."""
    labels: dict[Edge, list[str]] = {}
    for one, label, other in arrows:
        labels.setdefault((one, other), []).append(label)
    return list(labels), [", ".join(each) for each in labels.values()]


def _automaton(puzzle: Any) -> Picture | None:
    arrows = [(one, letter or "silent", other) for one, letter, other in puzzle.arrows]
    return network(_same(puzzle.states), *_joined(arrows), directed=True)


def _same(names: Sequence[str]) -> Mapping[str, str]:
    return {name: name for name in names}


def _graph_game(puzzle: Any) -> Picture | None:
    names = [str(place) for place in range(1, len(puzzle.owners) + 1)]
    edges = [(one, str(to)) for one, ways in zip(names, puzzle.arrows, strict=True) for to in ways]
    return network(_same(names), edges, [""] * len(edges), True)


def _arrows(puzzle: Any) -> Picture | None:
    names = sorted({each for arrow in puzzle.arrows for each in arrow})
    return network(_same(names), puzzle.arrows, [""] * len(puzzle.arrows), True)


def _bridges(puzzle: Any) -> Picture | None:
    names = [str(island) for island in range(1, puzzle.islands + 1)]
    edges = [(str(one), str(other)) for one, other, _ in puzzle.bridges]
    return network(_same(names), edges, [str(count) for _, _, count in puzzle.bridges], False)


def _numbered(puzzle: Any) -> Picture | None:
    """Nodes with the numbers that they start with."""
    names = {
        node: f"{shown(node, puzzle.naming)}: {number}"
        for node, number in zip(puzzle.nodes, puzzle.numbers[1:], strict=True)
    }
    return network(names, puzzle.edges, [""] * len(puzzle.edges), puzzle.directed)


def _chain(puzzle: Any) -> Picture | None:
    """Jumps with their probabilities."""
    jumps = [
        (str(place), str(to), str(Fraction(weight, sum(each for _, each in found))))
        for place, found in enumerate(puzzle.jumps, 1)
        for to, weight in found
    ]
    names = [str(place) for place in range(1, len(puzzle.jumps) + 1)]
    edges = [(one, other) for one, other, _ in jumps]
    return network(_same(names), edges, [share for *_, share in jumps], True)


def _causes(puzzle: Any) -> Picture | None:
    """Arrows from causes to what they make likelier or less likely."""
    arrows = [
        (puzzle.names[cause], puzzle.names[event])
        for event, causes in enumerate(puzzle.causes)
        for cause in causes
    ]
    return network(_same(puzzle.names), arrows, [""] * len(arrows), True)


def _relatives(puzzle: Any) -> Picture | None:
    """Facts as arrows: who is whose son, wife or aunt."""
    names = sorted({name for _, *both in puzzle.facts for name in both})
    edges = [(who, whom) for _, who, whom in puzzle.facts]
    return network(_same(names), edges, [word for word, *_ in puzzle.facts], True)


PICTURES: dict[str, Callable[[Any], Picture | None]] = {
    "arrows": _arrows,
    "automaton": _automaton,
    "bayes_network": _causes,
    "gnn_layer": _numbered,
    "graph_edit_distance": _two_graphs,
    "graph_game": _graph_game,
    "isomorphism": _two_graphs,
    "kinship": _relatives,
    "markov_chain": _chain,
    "random_walk_tree": _bridges,
    "subgraph_isomorphism": _two_graphs,
    "tree_isomorphism": _two_trees,
}
