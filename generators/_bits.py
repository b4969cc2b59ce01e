"""Sets of places as the bits of an integer."""

from collections.abc import Mapping


def union(table: Mapping[int, int], places: int) -> int:
    """What a table has for single places, of several together."""
    whole = 0
    while places:
        lowest = places & -places
        whole |= table[lowest]
        places ^= lowest
    return whole
