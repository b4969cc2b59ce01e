"""Exchanged boxes: two rectangles of a picture have changed places; mark either of them.

An answer is right where it overlaps one of the boxes by half: common area by joint area, which
`verify` computes from the corners and `recheck` counts in pixels. `solve` sees the picture only: it
looks for rectangles whose four sides all break off, and for two of one size whose exchange mends
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.knobs import Within
from puzzlemill.generators.visual import _sources
from puzzlemill.generators.visual._picture import Colour, Pixels, drawn_once, png
from puzzlemill.generators.visual._seams import table
from puzzlemill.generators.visual._sources import Source, picture

SIDE = 264  # pixels of the picture
STEP = 8  # pixels: boxes begin and end at multiples of it
LINES = SIDE // STEP + 1  # that a box's side may lie on, in each direction
LEAST, MOST = 40, 96  # pixels of a box's side
ENOUGH = 0.5  # the overlap of a right answer
SEEN = 24  # how far a box's every side breaks off, in steps of a channel, on average
TRIES = 40  # places looked at for two boxes that keep apart, and whose sides break off
CLEAR = 0.6  # of what the boxes' sides break off, no other rectangle's do this share

Box = tuple[int, int, int, int]  # left, top, and the first pixel to the right and below


@dataclass(frozen=True, slots=True)
class Knobs:
    most: int  # pixels of a box's longer side, at most
    partial: Annotated[float, Within(0.0, 1.0)]  # of a lesser overlap, this share counts
    source: Source


@dataclass(frozen=True, slots=True)
class Boxes:
    source: str  # of the picture
    licence: str  # of a user's picture, where one is told
    seed: int
    wide: int
    high: int
    one: tuple[int, int]  # left and top
    other: tuple[int, int]
    partial: float


def generate(rng: Random, knobs: Knobs) -> Boxes | None:
    most = max(knobs.most // STEP * STEP, LEAST)
    wide, high = (rng.randrange(max(LEAST, most - 3 * STEP), most + 1, STEP) for _ in range(2))
    made = _sources.chosen(rng, knobs.source)
    for _ in range(TRIES):  # a picture takes longer to draw than to look at
        one, other = (
            (rng.randrange(STEP, SIDE - wide, STEP), rng.randrange(STEP, SIDE - high, STEP))
            for _ in range(2)
        )
        if abs(one[0] - other[0]) >= wide + STEP or abs(one[1] - other[1]) >= high + STEP:
            boxes = Boxes(*made, wide, high, one, other, knobs.partial)
            if _break_off(boxes):  # a picture with other boxes to be seen in it has more of them
                gold = solve(boxes)
                return boxes if gold and verify(boxes, gold) == 1 else None
    return None


def _break_off(boxes: Boxes) -> bool:
    """Whether all sides of both boxes do, without a look at the rest of the picture."""
    both = _both(boxes)
    breaks = _breaks(*_page(boxes), _lines(both))
    return min(_least_break(breaks, box) for box in both) >= SEEN


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(boxes: Boxes) -> tuple[int, ...] | None:
    """The two rectangles whose sides all break off, if exchanging them mends the picture."""
    pixels, palette = _page(boxes)
    breaks = _breaks(pixels, palette)
    found = sorted(_rectangles(breaks), reverse=True)
    if len(found) < 2 or found[1][0] < SEEN:
        return None
    (_, one), (least, other), *rest = found
    if rest and rest[0][0] > CLEAR * least:
        return None
    if one[2] - one[0] != other[2] - other[0] or one[3] - one[1] != other[3] - other[1]:
        return None
    mended = _breaks(_exchanged(pixels, one, other), palette, _lines((one, other)))
    if max(_least_break(mended, one), _least_break(mended, other)) > CLEAR * least:
        return None
    return min(one, other)


def verify(boxes: Boxes, said: tuple[int, ...]) -> float:
    if len(said) != 4 or not (0 <= said[0] < said[2] <= SIDE and 0 <= said[1] < said[3] <= SIDE):
        return 0.0
    overlap = max(_overlap((said[0], said[1], said[2], said[3]), box) for box in _both(boxes))
    return 1.0 if overlap >= ENOUGH else boxes.partial * overlap


def recheck(boxes: Boxes, said: tuple[int, ...]) -> bool:
    if len(said) != 4 or min(said) < 0 or max(said) > SIDE:
        return False
    left, top, right, bottom = said
    marked = {(x, y) for x in range(left, right) for y in range(top, bottom)}
    for start in (boxes.one, boxes.other):
        box = {
            (start[0] + right, start[1] + down)
            for right in range(boxes.wide)
            for down in range(boxes.high)
        }
        if 2 * len(box & marked) >= len(box | marked):
            return True
    return False


def render(boxes: Boxes, style: Style) -> Prompt:
    size = f"{SIDE} x {SIDE} pixels"
    told = (
        "A box counts as found if its overlap with the true one (the area of both in common divided"
        " by the area of both together) is at least one half."
    )
    return Prompt(
        style.pick(
            f"<image>\nIn this picture of {size}, two rectangular boxes of the same size have been"
            f" exchanged. Mark one of the two. {told}",
            "Two equal boxes were cut out of this picture, and each was put where the other had"
            f" been.\n<image>\nThe picture has {size}. Where is one of these boxes? {told}",
            f"<image>\nSomething is wrong in this picture ({size}): two boxes of the same"
            f" size have exchanged their contents. Find either box. {told}",
        ),
        form="four integers separated by commas, the pixel coordinates of the box's left, top,"
        " right and bottom sides, where x grows to the right and y grows downwards from the"
        " picture's upper left corner, which is 0, 0",
        images=(png(*_page(boxes)),),
    )


def _both(boxes: Boxes) -> tuple[Box, Box]:
    (left, top), (x, y) = boxes.one, boxes.other
    wide, high = boxes.wide, boxes.high
    return (left, top, left + wide, top + high), (x, y, x + wide, y + high)


def _overlap(one: Box, other: Box) -> float:
    wide = max(0, min(one[2], other[2]) - max(one[0], other[0]))
    high = max(0, min(one[3], other[3]) - max(one[1], other[1]))
    joint = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)) - wide * high
    return wide * high / joint


@drawn_once
def _page(boxes: Boxes) -> tuple[Pixels, tuple[Colour, ...]]:
    shown = picture(boxes.source, boxes.seed, SIDE)
    return _exchanged(shown.pixels, *_both(boxes)), shown.palette


def _lines(boxes: Sequence[Box]) -> list[int]:
    return sorted({side // STEP for box in boxes for side in box})


def _exchanged(pixels: Pixels, one: Box, other: Box) -> Pixels:
    changed = pixels.copy()
    parts = [pixels[box[1] : box[3], box[0] : box[2]] for box in (one, other)]
    for box, part in zip((one, other), reversed(parts), strict=True):
        changed[box[1] : box[3], box[0] : box[2]] = part
    return changed


Sums = NDArray[np.int64]


def _breaks(
    pixels: Pixels, palette: tuple[Colour, ...], lines: Sequence[int] = range(1, LINES - 1)
) -> tuple[Sums, Sums]:
    """How far the picture breaks off along each line that a box's side may lie on, or along some of
    them alone, summed up to each pixel: upright lines by line and pixel, then level ones."""
    channels, found = table(palette), []
    at = np.array(lines) * STEP
    for turned in (pixels.T, pixels):
        rows = np.stack([turned[at + beside] for beside in (-2, -1, 0, 1)])
        colours = channels.take(rows, axis=1)
        red, green, blue = np.abs(colours[:, 1:] - colours[:, :-1])
        before, across, after = red + green + blue
        # A soft or slanting edge is no break: it goes on beside the line.
        sharp = np.clip((across - np.maximum(before, after)) // 3, 0, 80)
        padded = np.zeros((LINES, SIDE + 1), dtype=np.int64)
        padded[lines, 1:] = sharp.cumsum(axis=1, dtype=np.int64)
        found.append(padded)
    return found[0], found[1]


def _rectangles(breaks: tuple[Sums, Sums]) -> list[tuple[int, Box]]:
    """Rectangles all of whose sides break off, with the least of the four; of one size the three
    that break off most."""
    upright, level = (part[:, ::STEP] for part in breaks)
    found: list[tuple[int, Box]] = []
    posts, sides = _lengths(upright), _lengths(level)
    starts = {high: _bits(post.T >= SEEN * CLEAR) for high, post in posts.items()}
    for wide, side in sides.items():
        level_starts = _bits(side >= SEEN * CLEAR)
        for high, post in posts.items():
            upright_starts = starts[high]
            corners = level_starts & level_starts >> high * LINES
            corners &= upright_starts & upright_starts >> wide
            if not corners:  # as of most sizes
                continue
            rows, columns = LINES - high, LINES - wide
            least = np.minimum(
                np.minimum(side[:rows], side[high:]),
                np.minimum(post.T[:, :columns], post.T[:, wide:]),
            )
            least = least.ravel()
            for at in np.argpartition(least, -3)[-3:].tolist():
                top, left = divmod(at, columns)
                if least[at] >= SEEN * CLEAR:
                    box = (left * STEP, top * STEP, (left + wide) * STEP, (top + high) * STEP)
                    found.append((int(least[at]), box))
    return found


def _bits(mask: NDArray[np.bool_]) -> int:
    """The places that are set, as the bits of a number, row by row."""
    square = np.zeros((LINES, LINES), dtype=bool)
    square[: mask.shape[0], : mask.shape[1]] = mask
    return int.from_bytes(np.packbits(square, bitorder="little").tobytes(), "little")


def _lengths(breaks: Sums) -> dict[int, Sums]:
    """For each length of a box's side, in steps, how far each stretch of it breaks off; without
    those lengths of which no two do."""
    found = {}
    for length in range(LEAST // STEP, MOST // STEP + 1):
        means = (breaks[:, length:] - breaks[:, :-length]) // (length * STEP)
        if np.count_nonzero(means >= SEEN * CLEAR) > 1:
            found[length] = means
    return found


def _least_break(breaks: tuple[Sums, Sums], box: Box) -> int:
    """By how much the least broken side of a rectangle breaks off."""
    upright, level = breaks
    left, top, right, bottom = box
    posts = [upright[x // STEP, bottom] - upright[x // STEP, top] for x in (left, right)]
    sides = [level[y // STEP, right] - level[y // STEP, left] for y in (top, bottom)]
    return int(min(min(posts) // (bottom - top), min(sides) // (right - left)))


LADDER = (
    Knobs(96, 0.2, "any"),
    Knobs(84, 0.2, "any"),
    Knobs(72, 0.2, "any"),
    Knobs(56, 0.2, "any"),
    Knobs(40, 0.2, "any"),
)
FAMILY = Family(
    Boxes,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="a box: left, top, right, bottom"),
    hardness=lambda boxes: SIDE**2 / (boxes.wide * boxes.high),
    proof="solved",
    solver="rectangles whose sides break off, read from the pixels",
    guess_rate=0.2,
    recheck=recheck,
    kin=_sources.kin,
    redraws=True,
    skills=("vision", "comparison"),
    peers=("Jigsaw-R1/box",),
    theme="jigsaws",
    version=5,
)
