"""What stories are told with: lists, plurals, capitals, and things that come in numbers."""

from collections.abc import Sequence

from puzzlemill.generators.arithmetic._story_words import PEOPLE, PLACES, THINGS

__all__ = ["ORDINALS", "PEOPLE", "PLACES", "THINGS", "capital", "counted", "listed"]


def listed(parts: Sequence[str]) -> str:
    """a, b and c"""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def counted(number: int, one: str, many: str = "") -> str:
    """1 day, 2 days"""
    return f"{number} {one if number == 1 else many or one + 's'}"


def capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
