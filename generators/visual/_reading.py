"""Reading a scene back: which shapes a picture shows, found out from its pixels alone."""

from collections.abc import Iterator, Sequence

import numpy as np

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
    for patch, top, left in _patches(pixels):
        seen = int(patch.sum())
        readings = sorted(
            (int(inside(kind, radius).sum()) - seen, kind, radius)
            for kind in KINDS
            for radius in radii
            if SEEN * inside(kind, radius).sum() <= seen <= inside(kind, radius).sum()
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
        colour = colours[int(pixels[top, left + int(patch[0].argmax())])]
        shapes.append((best[1], colour, best[2]))
    return shapes


def _could_be(pixels: Pixels, patch: Mask, top: int, left: int, kind: str, radius: int) -> bool:
    """Whether the patch lies within such a shape at some place where no white shows through it."""
    whole, area = silhouette(kind, radius), inside(kind, radius)
    size = 2 * radius + 1
    high, wide = patch.shape
    for down in range(size - high + 1):
        for right in range(size - wide + 1):
            y, x = top - down, left - right
            if y < 0 or x < 0 or y + size > pixels.shape[0] or x + size > pixels.shape[1]:
                continue
            if (patch & ~area[down : down + high, right : right + wide]).any():
                continue
            if not (whole & (pixels[y : y + size, x : x + size] == PAPER)).any():
                return True
    return False


def _patches(pixels: Pixels) -> Iterator[tuple[Mask, int, int]]:
    """Patches of one colour other than paper and ink, each with its top and left.

    Pixels that touch at a corner hang together: a star has such tips.
    """
    runs = _runs(pixels)
    patch_of = list(range(len(runs)))

    def root(run: int) -> int:
        while patch_of[run] != run:
            patch_of[run] = run = patch_of[patch_of[run]]
        return run

    above: list[int] = []
    here: list[int] = []
    last = -1
    for run, (row, start, stop, colour) in enumerate(runs):
        if row != last:
            above, here, last = (here if row == last + 1 else []), [], row
        for other in above:
            _, begin, end, same = runs[other]
            if same == colour and begin <= stop and start <= end:
                patch_of[root(run)] = root(other)
        here.append(run)
    members: dict[int, list[int]] = {}
    for run in range(len(runs)):
        members.setdefault(root(run), []).append(run)
    for group in members.values():
        top, left = runs[group[0]][0], min(runs[run][1] for run in group)
        bottom, right = runs[group[-1]][0], max(runs[run][2] for run in group)
        patch = np.zeros((bottom - top + 1, right - left), dtype=bool)
        for run in group:
            row, start, stop, _ = runs[run]
            patch[row - top, start - left : stop - left] = True
        yield patch, top, left


def _runs(pixels: Pixels) -> list[tuple[int, int, int, int]]:
    """Stretches of one colour along the rows, but for paper and ink: row, start, stop, colour."""
    high, wide = pixels.shape
    change = np.ones((high, wide + 1), dtype=bool)
    change[:, 1:-1] = pixels[:, 1:] != pixels[:, :-1]
    runs = []
    rows, starts = np.nonzero(change)
    for row, start, later, stop in zip(rows, starts, rows[1:], starts[1:], strict=False):
        if row == later and (colour := int(pixels[row, start])) not in (PAPER, INK):
            runs.append((int(row), int(start), int(stop), colour))
    return runs
