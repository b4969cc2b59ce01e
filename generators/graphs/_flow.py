"""Flows between the two nodes asked about: the weight of an edge is its capacity."""

from itertools import pairwise

from puzzlemill.generators.graphs._graph import Graph, beside


def augmented(graph: Graph) -> tuple[list[tuple[list[str], int]], set[str]]:
    """Shortest augmenting paths and what each adds; then the first node's side of a full cut.

    An undirected edge carries as much either way.
    """
    (start, target), room = graph.asked, {node: dict(to) for node, to in beside(graph).items()}
    for a, b in graph.edges:
        room[b].setdefault(a, 0)
    pushes: list[tuple[list[str], int]] = []
    while True:
        before, queue = {start: start}, [start]
        for node in queue:
            for other, left in room[node].items():
                if left and other not in before:
                    before[other] = node
                    queue.append(other)
        if target not in before:
            return pushes, set(before)
        path = [target]
        while path[-1] != start:
            path.append(before[path[-1]])
        path.reverse()
        amount = min(room[a][b] for a, b in pairwise(path))
        for a, b in pairwise(path):
            room[a][b] -= amount
            room[b][a] += amount
        pushes.append((path, amount))


def crossing(graph: Graph, side: set[str]) -> list[tuple[str, str]]:
    """The edges that lead out of a set of nodes, or join it to the others."""
    return [
        (a, b)
        for a, b in graph.edges
        if (a in side and b not in side) or (not graph.directed and b in side and a not in side)
    ]
