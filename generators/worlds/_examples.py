"""Examples that settle what a hidden rule says, none of them needless."""

from collections.abc import Callable, Sequence
from typing import TypeVar

E = TypeVar("E")
A = TypeVar("A")


def fewest(
    examples: Sequence[E], agreed: Callable[[tuple[E, ...]], A | None], gold: A
) -> tuple[E, ...] | None:
    """Examples under which all rules give gold; None if even all of them leave a doubt.

    Fewer examples leave more rules, so that one that is needed stays needed.
    """
    kept = tuple(examples)
    if agreed(kept) != gold:
        return None
    for example in examples:
        fewer = tuple(each for each in kept if each != example)
        if fewer and agreed(fewer) == gold:
            kept = fewer
    return kept
