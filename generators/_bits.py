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


def members(places: int) -> list[int]:
    """The places of a set, in order, by their numbers."""
    found = []
    while places:
        found.append((places & -places).bit_length() - 1)
        places &= places - 1
    return found
