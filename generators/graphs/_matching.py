"""The greatest weight of a matching, by going through the nodes one at a time.

What is left to do depends on the nodes gone through only by which later ones they took. So for each
set of later nodes that may be taken, the greatest weight so far is kept; in an order that keeps
those sets small there are few.
"""

from functools import lru_cache

from puzzlemill.generators.graphs._graph import Graph, beside


@lru_cache(maxsize=1024)
def greatest(graph: Graph) -> int:
    """The greatest total weight of edges of which no two share a node; without weights, the
    greatest number."""
    there = beside(graph)
    order = _order(graph)
    place = {node: at for at, node in enumerate(order)}
    best = {0: 0}  # by the later nodes that are taken, a bit each
    for node in order:
        own = 1 << place[node]
        later = [(1 << place[it], w) for it, w in there[node].items() if place[it] > place[node]]
        further: dict[int, int] = {}
        for taken, weight in best.items():
            rest = taken & ~own
            further[rest] = max(further.get(rest, 0), weight)
            if not taken & own:
                for bit, more in later:
                    if not taken & bit:
                        further[rest | bit] = max(further.get(rest | bit, 0), weight + more)
        best = further
    return max(best.values())


def _order(graph: Graph) -> list[str]:
    """Each time the node that has the fewest neighbours not yet met."""
    there, order, left = beside(graph), list[str](), dict.fromkeys(graph.nodes)
    met: set[str] = set()
    while left:
        node = min(left, key=lambda it: len(there[it].keys() - met) - (it in met))
        order.append(node)
        del left[node]
        met |= {node, *there[node]}
    return order
