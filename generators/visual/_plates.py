"""Plates: letters on a white ground, put into a picture and found there again."""

from collections.abc import Iterable
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


def find_plates(pixels: Pixels, letters: Iterable[str]) -> list[tuple[int, int] | None]:
    """The top and left of the only white plate with each letter."""
    white = pixels == PAPER
    corners = white.copy()  # white, and not so above or to the left
    corners[1:] &= ~white[:-1]
    corners[:, 1:] &= ~white[:, :-1]
    places = [divmod(at, pixels.shape[1]) for at in np.flatnonzero(corners).tolist()]
    found = []
    for letter in letters:
        signs = _pictured(letter)
        high, wide = signs.shape
        same = [
            (row, column)
            for row, column in places
            if row + high <= pixels.shape[0]
            and column + wide <= pixels.shape[1]
            and pixels[row + high // 2, column + wide // 2] == signs[high // 2, wide // 2]
            and (pixels[row : row + high, column : column + wide] == signs).all()
        ]
        found.append(same[0] if len(same) == 1 else None)
    return found


@cache
def _pictured(letter: str) -> Pixels:
    signs: Pixels = np.where(plate(letter), INK, PAPER).astype(np.uint8)
    return signs
