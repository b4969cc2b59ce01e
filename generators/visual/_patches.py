"""Patches of a page: what is of one colour and hangs together."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators.visual._picture import Pixels

Patches = NDArray[np.integer[Any]]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """Stretches of one colour along the rows of a page, from the top, each from the left."""

    starts: Patches  # pixels, counted row by row
    lengths: Patches
    colours: Pixels
    begins: Mask  # by pixel, whether a run begins there


def patches(page: Pixels, corners: bool = False) -> tuple[Patches, int]:
    """The number, from 0, of the patch that each pixel belongs to, and how many there are.

    A patch is of one colour and hangs together side by side, or at corners too. They are numbered
    as their first pixels come, row by row.
    """
    runs = _runs(page)
    number, own = _numbered(_joined(page, runs, corners, ()))
    return number.repeat(runs.lengths).reshape(page.shape), len(own)


def cut_out(page: Pixels, but: Collection[int]) -> Iterator[tuple[int, Mask, int, int]]:
    """Of each patch, joined at corners too, that is of none of some colours: its colour, its
    pixels, its top and its left."""
    runs = _runs(page)
    first = _joined(page, runs, True, but)
    kept = np.flatnonzero(_all_but(but).take(runs.colours))
    if not len(kept):
        return
    order = kept[first[kept].argsort(kind="stable")]  # the runs of a patch together, from the top
    begins = np.flatnonzero(np.diff(first[order], prepend=-1))
    rows, lefts = np.divmod(runs.starts[order], page.shape[1])
    rights = lefts + runs.lengths[order]
    ends = np.append(begins[1:], len(order))
    numbers = np.arange(1, len(begins) + 1, dtype=np.min_scalar_type(len(begins)))
    number = np.zeros(len(first), dtype=numbers.dtype)
    number[order] = numbers.repeat(ends - begins)
    seen = number.repeat(runs.lengths).reshape(page.shape)
    extents = (
        runs.colours[order[begins]],
        numbers,
        rows[begins],
        rows[ends - 1] + 1,
        np.minimum.reduceat(lefts, begins),
        np.maximum.reduceat(rights, begins),
    )
    for colour, patch, top, bottom, left, right in zip(*(part.tolist() for part in extents)):
        yield colour, seen[top:bottom, left:right] == patch, top, left


def sizes(page: Pixels, corners: bool = False) -> list[tuple[int, int]]:
    """The colour and the number of pixels of each patch, in their order."""
    runs = _runs(page)
    first = _joined(page, runs, corners, ())
    counts = np.bincount(first, weights=runs.lengths)  # floats, exact up to 2**53
    own = np.flatnonzero(counts)
    return list(zip(runs.colours[own].tolist(), counts[own].astype(int).tolist()))


def touching(page: Pixels) -> tuple[Patches, list[int], set[tuple[int, int]]]:
    """The patch that each pixel belongs to, as `patches` numbers them, their colours, and which of
    them lie side by side, each pair both ways."""
    runs, wide = _runs(page), page.shape[1]
    number, own = _numbered(_joined(page, runs, False, ()))
    numbers = number.repeat(runs.lengths)
    follow = np.flatnonzero(runs.starts % wide)  # a run of the same row
    meet = np.flatnonzero(runs.begins[1:] | runs.begins[:-1])
    beside = np.zeros((len(own), len(own)), dtype=bool)
    beside[number.take(follow - 1), number.take(follow)] = True
    beside[numbers.take(meet), numbers.take(meet + wide)] = True
    np.fill_diagonal(beside, False)
    pairs = np.argwhere(beside | beside.T).tolist()
    colours = runs.colours[own].tolist()
    return numbers.reshape(page.shape), colours, {(one, other) for one, other in pairs}


def _numbered(first: Patches) -> tuple[Patches, Patches]:
    """From the first run of each run's patch the patches' numbers, and those first runs."""
    own = first == np.arange(len(first))
    begins = np.flatnonzero(own)
    # Small, as there is one a pixel.
    number = np.cumsum(own, dtype=np.min_scalar_type(len(begins))) - 1
    return number[first], begins


def _runs(page: Pixels) -> _Runs:
    begins = np.ones(page.shape, dtype=bool)
    np.not_equal(page[:, 1:], page[:, :-1], out=begins[:, 1:])
    starts = np.flatnonzero(begins)
    lengths = np.append(starts[1:], page.size) - starts
    return _Runs(starts, lengths, page.ravel().take(starts), begins)


def _all_but(but: Collection[int]) -> Mask:
    """By colour, whether it is none of some."""
    others = np.ones(256, dtype=bool)
    others[list(but)] = False
    return others


def _joined(page: Pixels, runs: _Runs, corners: bool, but: Collection[int]) -> Patches:
    """The first run of each run's patch; those of some colours are left alone."""
    here, above = runs.begins[1:], runs.begins[:-1]
    flat, wide = page.ravel(), page.shape[1]
    # Two runs first meet where one of them begins.
    meet = np.flatnonzero(here | above)
    pairs = [(meet, meet + wide)]
    if corners:  # which matter where neither side is shared
        cross = here & above
        cross[:, 0] = False
        meet = np.flatnonzero(cross)
        pairs += [(meet - 1, meet + wide), (meet, meet + wide - 1)]
    upper, lower = (np.concatenate(ends) for ends in zip(*pairs))
    colours = flat.take(upper)
    alike = colours == flat.take(lower)
    if len(but):
        alike &= _all_but(but).take(colours)
    first = np.arange(len(runs.starts))
    number = first.repeat(runs.lengths)
    upper, lower = (number.take(end[alike]) for end in (upper, lower))
    while True:
        one, other = first.take(upper), first.take(lower)
        apart = one != other
        if not apart.any():
            return first
        upper, lower, one, other = (part[apart] for part in (upper, lower, one, other))
        np.minimum.at(first, np.maximum(one, other), np.minimum(one, other))
        # From what each run leads to, on to where that leads, until nothing leads any further.
        while ((further := first.take(first)) != first).any():
            first = further
