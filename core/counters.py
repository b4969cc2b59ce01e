"""Counters of what happens on the way, gathered by whoever wants to tell of it.

What counts knows nothing of who listens; where nobody does, nothing is kept.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Counts: TypeAlias = defaultdict[str, float]

_now: ContextVar[Counts | None] = ContextVar("counted", default=None)


def count(what: str, number: float = 1) -> None:
    """Add to a counter of the innermost block that listens."""
    counters = _now.get()
    if counters is not None and number:
        counters[what] += number


@contextmanager
def counted() -> Iterator[Counts]:
    """What is counted in this block and in those within; an outer block hears of it too."""
    outer, inner = _now.get(), Counts(float)
    token = _now.set(inner)
    try:
        yield inner
    finally:
        _now.reset(token)
        if outer is not None:
            for what, number in inner.items():
                outer[what] += number
