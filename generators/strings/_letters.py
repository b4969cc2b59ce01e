"""Letters for strings that mean nothing, and strings without regard to which letters they use."""

from collections.abc import Iterable
from random import Random

# Without vowels no word of English comes out, least of all one that says something of an answer.
CONSONANTS = "bcdfghjklmnpqrstvwxz"


def drawn(rng: Random, letters: str, length: int) -> str:
    return "".join(rng.choice(letters) for _ in range(length))


def renamed(texts: Iterable[str]) -> list[list[int]]:
    """Letters by the order in which they first appear, so that their names do not matter."""
    new: dict[str, int] = {}
    return [[new.setdefault(letter, len(new)) for letter in text] for text in texts]
