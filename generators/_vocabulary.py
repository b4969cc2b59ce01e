"""Common English words, and people's names.

The words are those of the levels 10 and 20 of SCOWL (Spell Checker Oriented Word Lists), in lower
case and without apostrophes; a few that nobody wants in a puzzle are left out. Their notice stands
at the head of _vocabulary.txt.
"""

from functools import cache
from pathlib import Path

NAMES = (
    "Anna", "Ben", "Carla", "David", "Emma", "Felix", "Grace", "Hugo", "Iris", "Jonas",
    "Karin", "Liam", "Maya", "Noah", "Olga", "Paul", "Rosa", "Simon", "Tara", "Victor",
)  # fmt: skip


@cache
def words(shortest: int = 2, longest: int = 12, rarer: bool = False) -> tuple[str, ...]:
    """Words of these lengths in order: the most common 3,900, or with rarer ones 10,600."""
    common, others = _lists()
    chosen = common + others if rarer else common
    return tuple(sorted(word for word in chosen if shortest <= len(word) <= longest))


@cache
def known() -> frozenset[str]:
    """Every word of both lists."""
    return frozenset(words(rarer=True))


@cache
def _lists() -> tuple[list[str], list[str]]:
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    _, common, rarer = text.split("=" * 10)
    return common.split(), rarer.split()
