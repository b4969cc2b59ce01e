"""Films: a user's own clips, each a folder of frames named in their order."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random

import numpy as np
from PIL import Image

from puzzlemill.core.storage import image_files
from puzzlemill.generators.visual._clips import FRAME
from puzzlemill.generators.visual._photos import KEPT
from puzzlemill.generators.visual._picture import RESERVED, Colour, Pixels
from puzzlemill.generators.visual._seams import table

CLEAR = 0.9  # the next frame differs from one by at most this share of any later one
SEEN = 100  # and two frames differ by so much at least, in hundredths of a channel's step
TOLD = "Each frame follows from the one before it with as little change as can be."

Frames = tuple[tuple[Pixels, ...], tuple[Colour, ...]]  # with the palette that they share


def chosen(rng: Random, source: str, frames: int, haste: int) -> tuple[str, str, tuple[int, int]]:
    """A clip, its licence where one is told, and the first frame and the step to the next."""
    name, licence, count = image_files.clip(rng, source, frames)
    step = min(1 + haste // 10, (count - 1) // (frames - 1))
    return name, licence, (rng.randrange(count - step * (frames - 1)), step)


@lru_cache(maxsize=4)  # generating, rendering and solving an item all look at its frames
def frames(clip: str, plan: tuple[int, ...], times: tuple[int, ...]) -> Frames:
    first, step = plan
    row = Image.new("RGB", (FRAME * len(times), FRAME))
    for place, time in enumerate(times):
        whole = image_files.frame(clip, first + step * time)
        side = min(whole.size)
        left, top = ((length - side) // 2 for length in whole.size)
        box = (left, top, left + side, top + side)
        row.paste(whole.resize((FRAME, FRAME), Image.Resampling.BILINEAR, box), (place * FRAME, 0))
    few = row.quantize(KEPT, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    flat = (few.getpalette() or [])[: 3 * KEPT]
    palette = [(flat[at], flat[at + 1], flat[at + 2]) for at in range(0, len(flat), 3)]
    pixels = np.array(few, dtype=np.uint8) + np.uint8(len(RESERVED))
    pixels.setflags(write=False)
    parts = np.split(pixels, len(times), axis=1)
    return tuple(parts), (*RESERVED, *palette)


def order(shown: Sequence[Pixels], palette: Sequence[Colour], first: int) -> list[int] | None:
    """From the first frame on always to the one most like it, if that is clear every time."""
    colours = [table(tuple(palette))[:, each].astype(np.int32) for each in shown]
    found, rest = [first], [place for place in range(len(shown)) if place != first]
    while rest:
        here = colours[found[-1]]
        costs = sorted((int(np.abs(colours[place] - here).mean() * 100), place) for place in rest)
        if costs[0][0] < SEEN or (len(costs) > 1 and costs[0][0] > CLEAR * costs[1][0]):
            return None
        found.append(costs[0][1])
        rest.remove(costs[0][1])
    return found
