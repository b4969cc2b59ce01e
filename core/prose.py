"""How things are said: lists, counts and sentences."""

from collections.abc import Iterable


def listed(parts: Iterable[str], joint: str = "and") -> str:
    """a, b and c"""
    *others, last = [*parts] or [""]
    return f"{', '.join(others)} {joint} {last}" if others else last


def counted(number: int, one: str, many: str = "") -> str:
    """1 coin, 2 coins"""
    return f"{number} {one if number == 1 else many or one + 's'}"


def capital(sentence: str) -> str:
    """With its first letter large."""
    return sentence[:1].upper() + sentence[1:]
