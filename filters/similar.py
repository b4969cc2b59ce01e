"""Turns away prompts that are nearly another's: by the runs of three words that both have.

Exact, without sketches: two sets of which so large a share is common must meet among the rarest
runs of each, so only those are looked up (prefix filtering). Numbers are words like others. It
needs all rows, as `duplicates` does: one pass counts how rare each run is, the next looks for the
earlier prompt, and the first one stands.
"""

from collections.abc import Callable, Iterable, Iterator
from math import ceil

import numpy as np

from puzzlemill.filters._words import Numbers, runs, words_of

RUN = 3  # words
CELLS = 1 << 22  # in which runs are counted; two that share one seem more common than they are

Texts = Iterable[tuple[str, str | None]]  # uid and prompt, in order; None is like nothing


def later_likes(texts: Callable[[], Texts], least: float) -> Iterator[tuple[int, str]]:
    """(place, the first standing prompt like it and how like it is: Jaccard, `least` or more)."""
    counts = np.zeros(CELLS, np.uint32)
    for _, text in texts():
        if text is not None:
            counts[np.unique(_runs(text) % np.uint64(CELLS))] += 1
    standing: list[tuple[str, Numbers]] = []
    index: dict[int, list[int]] = {}  # a rare run → the standing prompts that have it
    for place, (uid, text) in enumerate(texts()):
        if text is None:
            continue
        here = _runs(text)
        rarest = here[np.argsort(counts[here % np.uint64(CELLS)], kind="stable")]
        # A little less than asked for, so that rounding loses no pair.
        prefix = rarest[: len(here) - ceil(least * len(here) - 1e-9) + 1].tolist()
        near = sorted({earlier for each in prefix for earlier in index.get(each, ())})
        alike = ((earlier, _jaccard(standing[earlier][1], here, least)) for earlier in near)
        first = next(((earlier, share) for earlier, share in alike if share >= least), None)
        if first:
            yield place, f"{standing[first[0]][0]}, {first[1]:.0%} alike"
            continue
        for each in prefix:
            index.setdefault(each, []).append(len(standing))
        standing.append((uid, here))


def _runs(text: str) -> Numbers:
    """The runs of a prompt, each once, in order of their numbers."""
    words = words_of(text)
    return np.unique(runs(words, min(RUN, max(len(words), 1))))


def _jaccard(one: Numbers, other: Numbers, least: float) -> float:
    """The share that is common of all that either has; 0 where the sizes alone rule `least` out."""
    few, many = sorted((len(one), len(other)))
    if not few or few < least * many:
        return 0.0
    common = len(np.intersect1d(one, other, assume_unique=True))
    return common / (few + many - common)
