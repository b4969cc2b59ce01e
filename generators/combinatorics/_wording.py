"""Wording that counting problems share."""

from collections.abc import Iterable


def listed(parts: Iterable[str], joint: str = "and") -> str:
    """a, b and c"""
    *others, last = parts
    return f"{', '.join(others)} {joint} {last}" if others else last
