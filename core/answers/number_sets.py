"""Sets of real numbers that are unions of intervals.

A cut lies just before or just after a number, or at either end of the line; a span lies between two
cuts. So open and closed ends need no cases of their own.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import TypeAlias

from puzzlemill.core.fraction import Fraction

# (low, whether low belongs to it, high, whether high does); None is infinite.
Piece: TypeAlias = tuple[Fraction | None, bool, Fraction | None, bool]
Union: TypeAlias = tuple[Piece, ...]  # apart from each other, in order

Cut: TypeAlias = tuple[int, Fraction, bool]  # -1, 0 or 1 for the ends and a number; whether after
Span: TypeAlias = tuple[Cut, Cut]

_START: Cut = (-1, Fraction(0), False)
_END: Cut = (1, Fraction(0), False)
LINE: Span = (_START, _END)
ALL: Union = ((None, False, None, False),)


def span(low: Fraction | None, low_in: bool, high: Fraction | None, high_in: bool) -> Span | None:
    """The span of an interval, or None where it would be empty."""
    start = _START if low is None else (0, low, not low_in)
    end = _END if high is None else (0, high, high_in)
    return (start, end) if start < end else None


def point(number: Fraction) -> Span:
    return ((0, number, False), (0, number, True))


def overlap(spans: Iterable[Span]) -> bool:
    return any(left[1] > right[0] for left, right in pairwise(sorted(spans)))


def joined(spans: Iterable[Span]) -> list[Span]:
    """The union, in order, with what touches made one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def common(one: Iterable[Span], other: Iterable[Span]) -> list[Span]:
    """The intersection."""
    others = list(other)
    pairs = ((max(a[0], b[0]), min(a[1], b[1])) for a in one for b in others)
    return joined((start, end) for start, end in pairs if start < end)


def without(spans: Iterable[Span]) -> list[Span]:
    """The complement."""
    found, start = list[Span](), _START
    for low, high in joined(spans):
        if start < low:
            found.append((start, low))
        start = high
    return [*found, (start, _END)] if start < _END else found


def union(spans: Iterable[Span]) -> Union:
    """The canonical value."""
    return tuple(
        (
            None if start[0] else start[1],
            not start[0] and not start[2],
            None if end[0] else end[1],
            not end[0] and end[2],
        )
        for start, end in joined(spans)
    )


def spans(found: Union) -> list[Span]:
    made = (span(*piece) for piece in found)
    return [one for one in made if one is not None]


def points_of(found: Union) -> list[Fraction] | None:
    """The numbers of a set that is a few points."""
    points = [low for low, _, high, _ in found if low is not None and low == high]
    return points if len(points) == len(found) else None
