"""How few nodes dominate a graph: each node is one of them or has an edge to one of them."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import count

from puzzlemill.generators.graphs._graph import Graph, beside
from puzzlemill.generators.graphs._wording import listed, title

SHARES = 720720  # of one node: whole numbers, rounded down, of what it gives each that it covers


def dominates(graph: Graph, nodes: Iterable[str]) -> bool:
    """Whether these are nodes of the graph, and every other has one of them beside it."""
    there, chosen = beside(graph), set(nodes)
    return chosen <= there.keys() and all(
        node in chosen or not chosen.isdisjoint(there[node]) for node in graph.nodes
    )


def clauses(graph: Graph) -> list[list[int]]:
    """For SAT: of each node and its neighbours, one is taken. Node i is the variable i + 1."""
    number = {node: at for at, node in enumerate(graph.nodes, 1)}
    return [[number[it] for it in (node, *others)] for node, others in beside(graph).items()]


def covered(graph: Graph, chosen: Iterable[str]) -> list[str]:
    """A line for each chosen node: whom it covers that those before it do not."""
    there, bare, lines = beside(graph), dict.fromkeys(graph.nodes), []
    for node in chosen:
        new = [it for it in bare if it == node or it in there[node]]
        lines.append(f"{title(graph, node)} covers {listed(graph, new) or 'no more'}")
        bare = dict.fromkeys(it for it in bare if it not in new)
    return lines


@lru_cache(maxsize=1024)
def least(graph: Graph) -> int:
    """Their number, by search: take a node that few can cover, and try each of these in turn."""
    masks = reach(graph)
    return next(most for most in count(1) if _enough(masks, (1 << len(masks)) - 1, most, -1))


def reach(graph: Graph) -> list[int]:
    """What each node covers: itself and its neighbours, a bit for each."""
    bit = {node: 1 << at for at, node in enumerate(graph.nodes)}
    return [
        bit[node] | sum([bit[other] for other in others]) for node, others in beside(graph).items()
    ]


def _enough(reach: list[int], bare: int, most: int, allowed: int) -> bool:
    """Whether so many of the allowed nodes cover all that is bare. Sets of nodes are bits.

    A bare node that is covered together with at most g - 1 others takes 1/g of a node; what all of
    them take is the least that will do.
    """
    if not bare:
        return True
    gain = [(mask & bare).bit_count() if allowed >> at & 1 else 0 for at, mask in enumerate(reach)]
    coverers: list[list[int]] = []
    for node, mask in enumerate(reach):
        if bare >> node & 1:
            coverers.append([other for other in _bits(mask) if gain[other]])
            if not coverers[-1]:
                return False
    share = sum(SHARES // max(gain[other] for other in each) for each in coverers)
    if share > most * SHARES:
        return False
    fewest = min(coverers, key=len)
    for node in sorted(fewest, key=lambda it: -gain[it]):
        if _enough(reach, bare & ~reach[node], most - 1, allowed):
            return True
        allowed &= ~(1 << node)
    return False


@lru_cache(maxsize=4096)
def _bits(mask: int) -> tuple[int, ...]:
    return tuple(at for at in range(mask.bit_length()) if mask >> at & 1)
