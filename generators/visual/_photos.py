"""Photographs: square parts of a user's own pictures, each with a palette of its own."""

from random import Random

import numpy as np
from PIL import Image

from puzzlemill.core.storage import image_files
from puzzlemill.generators.visual._picture import RESERVED, Picture

KEPT = 256 - len(RESERVED)  # colours: with those that are reserved they fill a byte


def photo(source: str, crop: Random, side: int) -> Picture:
    """A square part of a picture, with its own palette."""
    whole = image_files.opened(source)
    shorter = min(whole.size)
    wide = shorter * crop.randint(70, 100) // 100
    left, top = (crop.randint(0, length - wide) for length in whole.size)
    part = whole.resize(
        (side, side), Image.Resampling.BILINEAR, box=(left, top, left + wide, top + wide)
    )
    few = part.quantize(KEPT, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    flat = (few.getpalette() or [])[: 3 * KEPT]
    palette = [(flat[at], flat[at + 1], flat[at + 2]) for at in range(0, len(flat), 3)]
    pixels = np.array(few, dtype=np.uint8) + np.uint8(len(RESERVED))
    pixels.setflags(write=False)
    return Picture(pixels, (*RESERVED, *palette))
