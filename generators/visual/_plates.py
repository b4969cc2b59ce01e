"""Plates: letters on a white ground, put into a picture and found there again."""

from functools import cache

import numpy as np

from puzzlemill.generators._lettering import lettering
from puzzlemill.generators.visual._picture import INK, PAPER, Pixels, stamp
from puzzlemill.generators.visual._scene import Mask

RIM = 3  # pixels around a letter on its plate


def put_plate(pixels: Pixels, letter: str, x: int, y: int) -> None:
    mask = plate(letter)
    stamp(pixels, np.ones_like(mask), x, y, PAPER)
    stamp(pixels, mask, x, y, INK)


@cache
def plate(letter: str) -> Mask:
    """A letter with room around it."""
    return np.pad(lettering(letter), RIM)


def find_plate(pixels: Pixels, letter: str) -> tuple[int, int] | None:
    """The top and left of the only white plate with a letter."""
    mask = plate(letter)
    high, wide = mask.shape
    found = set()
    white = np.pad(pixels == PAPER, ((1, 0), (1, 0)))
    corners = white[1:, 1:] & ~white[:-1, 1:] & ~white[1:, :-1]
    rows, columns = np.nonzero(corners[: 1 - high, : 1 - wide])
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        part = pixels[row : row + high, column : column + wide]
        if (part == np.where(mask, INK, PAPER)).all():
            found.add((row, column))
    return found.pop() if len(found) == 1 else None
