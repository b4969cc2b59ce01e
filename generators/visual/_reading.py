"""Reading a scene back: which shapes a picture shows, found out from its pixels alone."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from puzzlemill.generators.visual._marks import crops
from puzzlemill.generators.visual._patches import cut_out
from puzzlemill.generators.visual._picture import INK, PAPER, Pixels
from puzzlemill.generators.visual._scene import INDEX, KINDS, Mask, inside, silhouette

SEEN = 0.6  # a shape of which less than this share can be seen is not read

Found = tuple[str, str, int]  # kind, colour, radius


def read_shapes(pixels: Pixels, radii: Sequence[int]) -> list[Found] | None:
    """The shapes of a picture, or None where one could be two different things.

    Each connected patch of one colour is a shape, the rest of which lies under something else. Of
    all kinds and sizes that it can be, it is the one that supposes least hidden; a tie is no
    reading.
    """
    colours = {index: name for name, index in INDEX.items()}
    shapes = []
    for index, patch, top, left in cut_out(pixels, (PAPER, INK)):
        if whole := _whole(pixels, patch, top, left, tuple(radii)):
            shapes.append((whole[0], colours[index], whole[1]))
            continue
        seen = int(patch.sum())
        readings = sorted(
            (size - seen, kind, radius)
            for kind in KINDS
            for radius in radii
            if SEEN * (size := _size(kind, radius)) <= seen <= size
        )
        possible = (
            reading for reading in readings if _could_be(pixels, patch, top, left, *reading[1:])
        )
        best = next(possible, None)
        if best is None or any(
            hidden == best[0] and _could_be(pixels, patch, top, left, kind, radius)
            for hidden, kind, radius in readings[readings.index(best) + 1 :]
        ):
            return None
        shapes.append((best[1], colours[index], best[2]))
    return shapes


def _whole(
    pixels: Pixels, patch: Mask, top: int, left: int, radii: tuple[int, ...]
) -> tuple[str, int] | None:
    """Kind and radius of the shape of which nothing is hidden, as of most: no other has the same
    patch."""
    found = crops(radii).get((patch.shape, patch.tobytes()))
    if found is None:
        return None
    kind, radius, down, right = found
    size, y, x = 2 * radius + 1, top - down, left - right
    if y < 0 or x < 0 or y + size > pixels.shape[0] or x + size > pixels.shape[1]:
        return None
    shown = pixels[y : y + size, x : x + size][silhouette(kind, radius)]
    return None if PAPER in shown else (kind, radius)


@cache
def _size(kind: str, radius: int) -> int:
    return int(inside(kind, radius).sum())


def _could_be(pixels: Pixels, patch: Mask, top: int, left: int, kind: str, radius: int) -> bool:
    """Whether the patch lies within such a shape at some place where no white shows through it."""
    whole, size = silhouette(kind, radius), 2 * radius + 1
    high, wide = patch.shape
    if high > size or wide > size:
        return False
    padded = np.zeros((high, size), dtype=bool)
    padded[:, :wide] = patch
    needed, outside = _bits(padded), _outside(kind, radius)
    for down in range(size - high + 1):
        for right in range(size - wide + 1):
            y, x = top - down, left - right
            if y < 0 or x < 0 or y + size > pixels.shape[0] or x + size > pixels.shape[1]:
                continue
            if needed << down * size + right & outside:
                continue
            if not (whole & (pixels[y : y + size, x : x + size] == PAPER)).any():
                return True
    return False


@cache
def _outside(kind: str, radius: int) -> int:
    return _bits(~inside(kind, radius))


def _bits(mask: Mask) -> int:
    """A mask as one number, row by row, the first pixel lowest."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")
