"""Shapes that lie apart from one another: put down at a place, and recognised there."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from puzzlemill.generators.visual._patches import cut_out
from puzzlemill.generators.visual._picture import GUTTER, INK, PAPER, Pixels, stamp
from puzzlemill.generators.visual._scene import INDEX, KINDS, Shape, inside, silhouette

_NAMES = {index: name for name, index in INDEX.items()}


def put(page: Pixels, kind: str, colour: str, radius: int, x: int, y: int) -> None:
    stamp(page, silhouette(kind, radius), x, y, INK)
    stamp(page, inside(kind, radius), x, y, INDEX[colour])


def shape_at(page: Pixels, x: int, y: int, radii: Sequence[int]) -> tuple[str, str, int] | None:
    """Kind, colour and radius of the shape whose centre is here, if there is one.

    Nothing of its colour may lie nearer than the largest radius.
    """
    colour = int(page[y, x])
    if colour not in _NAMES:
        return None
    reach = max(radii)
    patch = page[y - reach : y + reach + 1, x - reach : x + reach + 1] == colour
    found = _masks(tuple(radii)).get(patch.tobytes())
    return found and (found[0], _NAMES[colour], found[1])


def find_shapes(page: Pixels, radii: Sequence[int]) -> list[Shape] | None:
    """All shapes of a picture in which none touches another, or None where one is unknown."""
    shapes = []
    for index, patch, top, left in cut_out(page, (PAPER, INK, GUTTER)):
        found = crops(tuple(radii)).get((patch.shape, patch.tobytes()))
        if found is None:
            return None
        kind, radius, down, right = found
        shapes.append((kind, _NAMES[index], radius, left - right + radius, top - down + radius))
    return shapes


@cache
def crops(
    radii: tuple[int, ...],
) -> dict[tuple[tuple[int, ...], bytes], tuple[str, int, int, int]]:
    """By its patch of colour: kind, radius, and where the patch begins in the shape's square."""
    crops = {}
    for kind in KINDS:
        for radius in radii:
            mask = inside(kind, radius)
            rows, columns = np.nonzero(mask)
            top, left = int(rows.min()), int(columns.min())
            patch = mask[top : rows.max() + 1, left : columns.max() + 1]
            crops[patch.shape, patch.tobytes()] = kind, radius, top, left
    assert len(crops) == len(KINDS) * len(radii), "two shapes look the same"
    return crops


@cache
def _masks(radii: tuple[int, ...]) -> dict[bytes, tuple[str, int]]:
    reach = max(radii)
    masks = {
        np.pad(inside(kind, radius), reach - radius).tobytes(): (kind, radius)
        for kind in KINDS
        for radius in radii
    }
    assert len(masks) == len(KINDS) * len(radii), "two shapes look the same"
    return masks
