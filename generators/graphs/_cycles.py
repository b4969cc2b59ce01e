"""The fewest nodes or edges that meet every cycle, by two roads that share nothing.

Both ask for cycles only: `cycle` tells the nodes or edges of one that is left when some are taken
away, and nothing where none is left.
"""

from collections.abc import Callable, Sequence, Set
from typing import TypeVar

from puzzlemill.generators import _sat

T = TypeVar("T")


def by_sat(parts: Sequence[T], cycle: Callable[[Set[T]], Sequence[T]]) -> list[T]:
    """Such parts: no fewer meet even the cycles that were asked about."""
    number = {part: at for at, part in enumerate(parts, 1)}
    met: list[list[int]] = []

    def missed(true: set[int]) -> list[list[int]]:
        found = cycle({part for part in parts if number[part] in true})
        met.extend([[number[part] for part in found]] if found else [])
        return met[-1:] if found else []

    missed(set())  # of no parts at all, one cycle is left, if any
    for count in range(len(parts) + 1):
        if _apart(met) > count:
            continue  # too few even for cycles that share nothing
        model = _sat.any_model([*met, *_sat.at_most(count, len(parts))], missed)
        if model is not None:
            return [part for part in parts if number[part] in model]
    raise AssertionError("a cycle that has no parts")


def _apart(cycles: list[list[int]]) -> int:
    """How many of the cycles share nothing, if each is taken that can be."""
    taken, count = set[int](), 0
    for cycle in cycles:
        if taken.isdisjoint(cycle):
            taken.update(cycle)
            count += 1
    return count


def enough_by_branching(
    cycle: Callable[[Set[T]], Sequence[T]],
    count: int,
    least: Callable[[Set[T]], int] = lambda gone: 0,
) -> bool:
    """Whether so many are enough: one part of each cycle must go, and cycles that share nothing
    need one each.

    `least` tells a number that must go besides those that are gone.
    """

    def enough(gone: frozenset[T], kept: Set[T], count: int) -> bool:
        if least(gone) > count:
            return False
        found = cycle(gone)
        if not found:
            return True
        apart, taken = 1, gone.union(found)
        while apart <= count and (more := cycle(taken)):
            apart += 1
            taken = taken.union(more)
        if apart > count:
            return False
        for place, part in enumerate(found):
            if part not in kept and enough(gone | {part}, {*kept, *found[:place]}, count - 1):
                return True
        return False

    return enough(frozenset(), set(), count)
