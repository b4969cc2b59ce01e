"""The most nodes of which no two are joined, by two roads that share nothing.

A set of nodes touches every edge exactly if no edge joins two of the others, and is a clique
exactly if no edge of the complement joins two of its nodes, so this measures all three.
"""

from collections.abc import Iterable, Mapping

from puzzlemill.generators import _sat
from puzzlemill.generators._bits import members


def by_sat(nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> set[str]:
    """A largest such set: more nodes are asked for than were found, until there is no model."""
    number = {node: at for at, node in enumerate(nodes, 1)}
    clauses = [[-number[a], -number[b]] for a, b in edges]
    found: set[int] = set()
    while len(found) < len(number):
        model = _sat.any_model([*clauses, *_sat.at_least(len(found) + 1, len(number))])
        if model is None:
            break
        found = model & set(number.values())
    return {node for node in number if number[node] in found}


def by_branching(there: Mapping[str, Iterable[str]]) -> int:
    """How many: a node of most neighbours is taken or left, and cliques bound what may follow."""
    place = {node: at for at, node in enumerate(there)}
    joined = [sum(1 << place[other] for other in others) for others in there.values()]
    best = 0

    def grow(free: int, taken: int) -> None:
        nonlocal best
        while free:
            degrees = [((joined[at] & free).bit_count(), at) for at in members(free)]
            least, at = min(degrees)
            if least > 1:
                break
            free &= ~(joined[at] | 1 << at)
            taken += 1
        best = max(best, taken)
        if free and taken + _cliques(free, joined) > best:
            _, at = max(degrees)
            grow(free & ~(joined[at] | 1 << at), taken + 1)
            grow(free & ~(1 << at), taken)

    grow((1 << len(joined)) - 1, 0)
    return best


def _cliques(free: int, joined: list[int]) -> int:
    """A number of cliques that hold all these nodes; each has room for one node of a set."""
    count = 0
    while free:
        count += 1
        at = (free & -free).bit_length() - 1
        inside = joined[at] & free
        free &= ~(1 << at)
        while inside:
            at = (inside & -inside).bit_length() - 1
            free &= ~(1 << at)
            inside &= joined[at]
    return count
