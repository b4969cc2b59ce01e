"""Turns away prompts that are nearly another's: by the runs of three words that both have.

Exact, without sketches: two sets of which so large a share is common must meet among the rarest
runs of each, so only those are looked up (prefix filtering), and where they meet tells how much can
be common at most (positional filtering, as in PPJoin). Numbers are words like others. It needs all
rows, as `duplicates` does: one pass counts how rare each run is, the next looks for the earlier
prompt, and the first one stands. Of a prompt, its rarest runs are in memory, the others on disk.
"""

import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt

from puzzlemill.filters import Rule
from puzzlemill.filters._words import Numbers, runs, words_of

RUN = 3  # words
CELLS = 1 << 22  # in which runs are counted; two that share one seem more common than they are
FRESH = 1 << 16  # entries of the index that are not sorted yet, at most
CRUMB = 1e-9  # a little less is asked for than `least`, so that rounding loses no pair

Texts = Iterable[str | None]  # prompts in order; None is like nothing
Indices = npt.NDArray[np.signedinteger[Any]]


def later_likes(
    texts: Callable[[], Texts], least: float, scratch: Path | None = None
) -> Iterator[tuple[int, int, float]]:
    """(place, that of the first standing prompt like it, how like: Jaccard, `least` or more)."""
    counts = np.zeros(CELLS, np.uint32)
    for text in texts():
        if text is not None:
            counts[np.unique(_runs(text) % np.uint64(CELLS))] += 1
    index = _Index()
    places, sizes, starts = array("q"), array("q"), array("q", [0])  # of what stands
    with TemporaryFile(buffering=0, dir=scratch) as whole:
        for place, text in enumerate(texts()):
            if text is None:
                continue
            here = _runs(text)
            rarest = here[np.argsort(counts[here % np.uint64(CELLS)], kind="stable")]
            prefix = rarest[: len(here) - ceil(least * len(here) - CRUMB) + 1]
            for near in index.near(prefix, len(here), sizes, least):
                size, start = sizes[near], starts[near]
                there = np.frombuffer(os.pread(whole.fileno(), 8 * size, start), np.uint64)
                if (share := _jaccard(there, here)) >= least:
                    yield place, places[near], share
                    break
            else:
                index.add(prefix, len(places))
                places.append(place)
                sizes.append(len(here))
                starts.append(starts[-1] + whole.write(here.tobytes()))


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Entries of the index by run: which standing prompt has it, and as its how manieth."""

    runs: Numbers
    places: Indices
    positions: Indices

    def found(self, prefix: Numbers) -> tuple[Indices, Indices, Indices]:
        """(place, position there, position in the prefix) of all that meet it."""
        first = np.searchsorted(self.runs, prefix, "left")
        many = np.searchsorted(self.runs, prefix, "right") - first
        ends = np.cumsum(many)
        rows = np.arange(ends[-1]) + np.repeat(first - ends + many, many)
        return self.places[rows], self.positions[rows], np.repeat(np.arange(len(prefix)), many)


@dataclass(slots=True)
class _Index:
    """Rare runs of what stands: sorted parts of growing size, and what was added last."""

    parts: list[_Sorted] = field(default_factory=list)
    fresh: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    held: int = 0  # entries that are fresh

    def add(self, prefix: Numbers, place: int) -> None:
        for position, run in enumerate(prefix.tolist()):
            self.fresh.setdefault(run, []).append((place, position))
        self.held += len(prefix)
        if self.held > FRESH:
            entries = [(run, *each) for run, some in self.fresh.items() for each in some]
            numbers, places, positions = zip(*entries, strict=True)
            self.fresh, self.held = {}, 0
            made = np.array(numbers, np.uint64), np.array(places), np.array(positions)
            self.parts.append(_sorted([_Sorted(*made)]))
            while len(self.parts) > 1 and len(self.parts[-2].runs) < 2 * len(self.parts[-1].runs):
                self.parts[-2:] = [_sorted(self.parts[-2:])]

    def near(self, prefix: Numbers, size: int, sizes: "array[int]", least: float) -> Iterator[int]:
        """What may be as like a prompt of so many runs as is asked for, in order."""
        found = [part.found(prefix) for part in self.parts if len(prefix)]
        met = [
            (*each, position)
            for position, run in enumerate(prefix.tolist())
            for each in self.fresh.get(run, ())
        ]
        if met:
            found.append(tuple(np.array(met).T))
        if not any(len(places) for places, _, _ in found):
            return
        places, theirs, ours = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.lexsort((ours, places))
        places, theirs, ours = places[order], theirs[order], ours[order]
        last = np.append(np.flatnonzero(np.diff(places)), len(places) - 1)
        common = np.diff(last, prepend=-1)
        others = np.array([sizes[place] for place in places[last].tolist()])
        # What is common and not among the rarest of both comes after the last that is.
        most = common + np.minimum(size - 1 - ours[last], others - 1 - theirs[last])
        enough = most >= least / (1 + least) * (size + others) - CRUMB
        yield from places[last][enough].tolist()


def _sorted(parts: list[_Sorted]) -> _Sorted:
    """Several parts as one; small numbers, since this is what memory goes into."""
    numbers = np.concatenate([part.runs for part in parts])
    order = np.argsort(numbers, kind="stable")
    places = np.concatenate([part.places for part in parts]).astype(np.int32)
    positions = np.concatenate([part.positions for part in parts]).astype(np.int32)
    return _Sorted(numbers[order], places[order], positions[order])


def _runs(text: str) -> Numbers:
    """The runs of a prompt, each once, in order of their numbers."""
    words = words_of(text)
    return np.unique(runs(words, min(RUN, max(len(words), 1))))


def _jaccard(one: Numbers, other: Numbers) -> float:
    """The share that is common of all that either has."""
    common = len(np.intersect1d(one, other, assume_unique=True))
    return common / (len(one) + len(other) - common)


FILTER = Rule("apart")
