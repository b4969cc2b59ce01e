"""Plates: letters on a white ground, put into a picture and found there again."""

from collections.abc import Iterable
from functools import cache

import numpy as np

from puzzlemill.generators._lettering import lettering
from puzzlemill.generators.visual._picture import INK, PAPER, Pixels
from puzzlemill.generators.visual._scene import Mask

RIM = 3  # pixels around a letter on its plate


def put_plate(pixels: Pixels, letter: str, x: int, y: int) -> None:
    signs = _pictured(letter)
    high, wide = signs.shape
    top, left = y - high // 2, x - wide // 2
    pixels[top : top + high, left : left + wide] = signs


@cache
def plate(letter: str) -> Mask:
    """A letter with room around it."""
    return np.pad(lettering(letter), RIM)


def find_plates(pixels: Pixels, letters: Iterable[str]) -> list[tuple[int, int] | None]:
    """The top and left of the only white plate with each letter."""
    white = pixels == PAPER
    (high, wide), (rows, columns) = plate("A").shape, white.shape
    corners = white.copy()  # white, and not so above or to the left
    corners[1:] &= ~white[:-1]
    corners[:, 1:] &= ~white[:, :-1]
    # The other three corners of a plate are white too.
    corners = corners[: rows - high + 1, : columns - wide + 1]
    for down, right in ((high - 1, 0), (0, wide - 1), (high - 1, wide - 1)):
        corners &= white[down : down + len(corners), right : right + corners.shape[1]]
    places: dict[bytes, list[tuple[int, int]]] = {}
    for at in np.flatnonzero(corners).tolist():
        row, column = divmod(at, corners.shape[1])
        sign = pixels[row : row + high, column : column + wide].tobytes()
        places.setdefault(sign, []).append((row, column))
    found = [places.get(_pictured(letter).tobytes(), []) for letter in letters]
    return [same[0] if len(same) == 1 else None for same in found]


@cache
def _pictured(letter: str) -> Pixels:
    signs: Pixels = np.where(plate(letter), INK, PAPER).astype(np.uint8)
    return signs
