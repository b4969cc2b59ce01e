"""Pictures: arrays of palette indices, tiles, numbered sheets, PNG.

A picture has one byte a pixel, an index into a palette: quick to draw, small as a PNG, and exact,
so that a solver can read a picture back. All drawing is in whole numbers, because numpy's sine
differs in its last bit from one processor to another, and one pixel would change an item's bytes.
"""

import struct
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from itertools import chain
from random import Random
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators._lettering import TALL, lettering

Pixels = NDArray[np.uint8]  # rows of palette indices
Colour = tuple[int, int, int]
T = TypeVar("T", bound=np.generic)
A = ParamSpec("A")
R = TypeVar("R")

# Every palette begins with these.
PAPER, INK, GUTTER = range(3)
RESERVED: tuple[Colour, ...] = ((255, 255, 255), (24, 24, 28), (222, 222, 226))

INDEXED, UP = 3, 2  # PNG's numbers of a picture of palette indices, and of a row's difference
FLAT = 64  # colours at most of a picture that is areas of one colour; others are photographs

GAP = 6  # pixels of gutter around each panel of a sheet
HEADER = 2 * TALL + 4  # pixels above a panel, for its number

# The C library keeps blocks up to the largest that was ever freed: pictures would else be painted
# into new pages each time, and the system takes longer to clear those than it takes to paint.
np.empty(8 << 20, dtype=np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    pixels: Pixels
    palette: tuple[Colour, ...]

    @property
    def colours(self) -> NDArray[np.int16]:
        """The picture in red, green and blue."""
        return np.array(self.palette, dtype=np.int16)[self.pixels]


def drawn_once(draw: Callable[A, R]) -> Callable[A, R]:
    """A function that draws pages, which solving and rendering an item both look at."""

    kept = lru_cache(maxsize=2)(draw)

    @wraps(draw)
    def once(*puzzle: A.args, **named: A.kwargs) -> R:
        made: R = kept(*puzzle, **named)  # type: ignore[arg-type]
        for page in made if isinstance(made, tuple) else (made,):
            if isinstance(page, np.ndarray):
                page.setflags(write=False)
        return made

    return once


def png(pixels: Pixels, palette: Sequence[Colour]) -> bytes:
    """Each row is told as its difference from the one above it: most rows are like theirs, and
    little is left to pack. Pillow tells each as it is, and takes twice as long."""
    high, wide = pixels.shape
    rows = np.full((high, 1 + wide), UP, dtype=np.uint8)
    rows[0, 1:] = pixels[0]
    np.subtract(pixels[1:], pixels[:-1], out=rows[1:, 1:])
    strategy = zlib.Z_RLE if len(palette) <= FLAT else zlib.Z_DEFAULT_STRATEGY
    packer = zlib.compressobj(1, strategy=strategy)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, INDEXED, 0, 0, 0)),
            _palette_chunk(tuple(palette)),
            _chunk(b"IDAT", packer.compress(rows.data) + packer.flush()),
            _chunk(b"IEND", b""),
        )
    )


@lru_cache(maxsize=256)  # many pictures share a palette
def _palette_chunk(palette: tuple[Colour, ...]) -> bytes:
    return _chunk(b"PLTE", bytes(chain.from_iterable(palette)))


def _chunk(name: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(data, zlib.crc32(name))
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", checksum)


def cut(pixels: NDArray[T], rows: int, columns: int, trim: int) -> list[NDArray[T]]:
    """The tiles row by row, each with `trim` pixels lost on every side."""
    high, wide = pixels.shape[0] // rows, pixels.shape[1] // columns
    return [
        pixels[
            row * high + trim : (row + 1) * high - trim,
            column * wide + trim : (column + 1) * wide - trim,
        ]
        for row in range(rows)
        for column in range(columns)
    ]


def clockwise(tile: NDArray[T], quarters: int) -> NDArray[T]:
    """A tile turned by 0 to 3 quarters of a turn; `np.rot90` takes ten times as long."""
    tile = tile.T[:, ::-1] if quarters % 2 else tile
    return tile[::-1, ::-1] if quarters > 1 else tile


def masked(tile: Pixels, border: int) -> Pixels:
    """A tile with so many pixels of every side blacked out."""
    if not border:
        return tile
    inner = tile[border:-border, border:-border]
    return np.pad(inner, border, constant_values=INK)


def bared(tile: Pixels, border: int) -> Pixels:
    """What a mask leaves of a tile."""
    return tile[border:-border, border:-border] if border else tile


def sheet(panels: Sequence[Pixels], columns: int, names: Sequence[str] = ()) -> Pixels:
    """Panels of one size row by row, each with its number, from 1, or its name above it."""
    high, wide = panels[0].shape
    page = _named(len(panels), columns, high, wide, tuple(names)).copy()
    for place, panel in enumerate(panels):
        top, left = corner(place, columns, high, wide)
        page[top : top + high, left : left + wide] = panel
    return page


@lru_cache(maxsize=8)
def _named(count: int, columns: int, high: int, wide: int, names: tuple[str, ...]) -> Pixels:
    """A sheet with room for its panels."""
    rows = -(-count // columns)
    page = np.full(
        (rows * (high + HEADER + GAP) + GAP, columns * (wide + GAP) + GAP), GUTTER, dtype=np.uint8
    )
    for place in range(count):
        top, left = corner(place, columns, high, wide)
        name = lettering(names[place] if names else str(place + 1))
        stamp(page, name, left + wide // 2, top - HEADER // 2 - 1, INK)
    return page


def columns(count: int) -> int:
    """Into how many columns so many views or frames are laid out."""
    return min(count, 4) if count != 6 else 3


def panels(page: Pixels, count: int, columns: int, high: int, wide: int) -> list[Pixels]:
    """The panels of a sheet, read back from it."""
    corners = (corner(place, columns, high, wide) for place in range(count))
    return [page[top : top + high, left : left + wide] for top, left in corners]


def corner(place: int, columns: int, high: int, wide: int) -> tuple[int, int]:
    """The top and the left pixel of a sheet's panel, counted from 0."""
    row, column = divmod(place, columns)
    return GAP + HEADER + row * (high + HEADER + GAP), GAP + column * (wide + GAP)


def tiles_and_stranger(
    pixels: NDArray[T],
    window: int,
    corner: tuple[int, int],
    place: tuple[int, int],
    rows: int,
    columns: int,
    trim: int,
) -> list[NDArray[T]]:
    """The tiles of a window in a picture, and behind them one that is cut from elsewhere."""
    left, top = corner
    tiles = cut(pixels[top : top + window, left : left + window], rows, columns, trim)
    high, wide = tiles[0].shape
    left, top = (start + trim for start in place)
    return [*tiles, pixels[top : top + high, left : left + wide]]


def extents(page: Pixels, colours: Iterable[int]) -> dict[int, tuple[int, int, int, int]]:
    """The top, bottom, left and right pixel of what is of each colour that is seen."""
    flat, wide, found = page.tobytes(), page.shape[1], {}
    for colour in colours:
        first = flat.find(colour)
        if first >= 0:
            top, bottom = first // wide, flat.rfind(colour) // wide
            seen = (page[top : bottom + 1] == colour).any(axis=0).tobytes()
            found[colour] = top, bottom, seen.find(1), seen.rfind(1)
    return found


def cover(page: Pixels, mask: NDArray[np.bool_], colour: int) -> None:
    """Colour the page where a mask of its size is set. For a whole picture this is several times as
    fast as `page[mask] = colour`, which asks at each pixel."""
    page ^= (page ^ np.uint8(colour)) * mask.view(np.uint8)


def stamp(page: Pixels, mask: NDArray[np.bool_], x: int, y: int, colour: int) -> None:
    """Colour the page where a mask, centred at x, y, is set. The mask must lie on the page."""
    high, wide = mask.shape
    top, left = y - high // 2, x - wide // 2
    page[top : top + high, left : left + wide][mask] = colour


def window_and_place(
    rng: Random, side: int, window: int, wide: int, high: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """The left and top of a window in a corner of a picture, and of a part of it beside that."""
    corner = rng.choice((0, side - window)), rng.choice((0, side - window))
    place = [rng.randint(0, side - wide), rng.randint(0, side - high)]
    axes = [axis for axis in range(2) if (wide, high)[axis] <= side - window]
    axis = axes[rng.randrange(len(axes))]  # along which it lies beside the window
    start, stop = (0, side - window) if corner[axis] else (window, side)
    place[axis] = rng.randint(start, stop - (wide, high)[axis])
    return corner, (place[0], place[1])
