"""Misreadings: the answers to puzzles that are like this one but for a detail."""

from collections.abc import Callable, Iterator
from random import Random
from typing import TypeVar

P = TypeVar("P")
A = TypeVar("A")

MISREAD = 24  # details, of which some have no answer or no new one


def misreadings(
    solve: Callable[[P], A | None], misread: Callable[[Random, P], P | None]
) -> Callable[[Random, P, A], Iterator[A]]:
    """A family's slips: each puzzle is the one before, misread, so that none is their middle."""

    def slips(rng: Random, puzzle: P, gold: A) -> Iterator[A]:
        for _ in range(MISREAD):
            other = misread(rng, puzzle)
            answer = None if other is None else solve(other)
            if other is not None and answer is not None:
                puzzle = other
                yield answer

    return slips
