"""Patches of a page: what is of one colour and hangs together."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators.visual._picture import Pixels

Patches = NDArray[np.intp]
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
    first = _joined(page, runs, corners, ())
    own = first == np.arange(len(first))
    number = np.cumsum(own) - 1
    return np.repeat(number[first], runs.lengths).reshape(page.shape), int(own.sum())


def cut_out(page: Pixels, but: Collection[int]) -> Iterator[tuple[int, Mask, int, int]]:
    """Of each patch, joined at corners too, that is of none of some colours: its colour, its
    pixels, its top and its left."""
    runs = _runs(page)
    wide = page.shape[1]
    first = _joined(page, runs, True, but).tolist()
    starts, lengths, colours = runs.starts.tolist(), runs.lengths.tolist(), runs.colours.tolist()
    members: dict[int, list[tuple[int, int, int]]] = {}
    for start, length, colour, patch in zip(starts, lengths, colours, first):
        if colour not in but:
            row, left = divmod(start, wide)
            members.setdefault(patch, []).append((row, left, left + length))
    for patch, group in members.items():
        top, bottom = group[0][0], group[-1][0]
        left = min(start for _, start, _ in group)
        right = max(stop for _, _, stop in group)
        mask = np.zeros((bottom - top + 1, right - left), dtype=bool)
        for row, start, stop in group:
            mask[row - top, start - left : stop - left] = True
        yield colours[patch], mask, top, left


def touching(numbers: Patches) -> set[tuple[int, int]]:
    """Which patches lie side by side, each pair both ways."""
    count = int(numbers.max()) + 1
    codes = [
        np.unique(one[unlike] * count + other[unlike])
        for one, other in ((numbers[:, :-1], numbers[:, 1:]), (numbers[:-1], numbers[1:]))
        if (unlike := one != other).any()
    ]
    pairs = {divmod(code, count) for each in codes for code in each.tolist()}
    return pairs | {(b, a) for a, b in pairs}


def _runs(page: Pixels) -> _Runs:
    begins = np.ones(page.shape, dtype=bool)
    np.not_equal(page[:, 1:], page[:, :-1], out=begins[:, 1:])
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=page.size)
    return _Runs(starts, lengths, page.ravel().take(starts), begins)


def _joined(page: Pixels, runs: _Runs, corners: bool, but: Collection[int]) -> Patches:
    """The first run of each run's patch; those of some colours are left alone."""
    number = np.repeat(np.arange(len(runs.starts)), runs.lengths)
    here, above = runs.begins[1:], runs.begins[:-1]
    wide = page.shape[1]
    # Two runs first meet where one of them begins.
    meet = np.flatnonzero((page[1:] == page[:-1]) & (here | above))
    pairs = [(meet, meet + wide)]
    if corners:  # which matter where neither side is shared
        cross = (here & above)[:, 1:]
        for one, two, back in (
            (page[:-1, :-1], page[1:, 1:], 0),
            (page[:-1, 1:], page[1:, :-1], 1),
        ):
            rows, columns = np.nonzero((one == two) & cross)
            meet = rows * wide + columns + back
            pairs.append((meet, meet + wide + 1 - 2 * back))
    upper, lower = (number[np.concatenate(ends)] for ends in zip(*pairs))
    if len(but):
        kept = ~np.isin(runs.colours[upper], list(but))
        upper, lower = upper[kept], lower[kept]
    first = np.arange(len(runs.starts))
    while True:
        one, other = first[upper], first[lower]
        apart = one != other
        if not apart.any():
            return first
        upper, lower, one, other = (part[apart] for part in (upper, lower, one, other))
        np.minimum.at(first, np.maximum(one, other), np.minimum(one, other))
        # From what each run leads to, on to where that leads, until nothing leads any further.
        while ((further := first[first]) != first).any():
            first = further
