"""Jigsaw pair: say where tile B was, seen from tile A, in the picture that both were cut from.

`verify` knows from which cells the tiles were taken. `solve` sees only the two tiles as shown: it
compares the edges (or corners) that each relation would bring together.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Annotated

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.knobs import Within
from puzzlemill.generators.visual import _prose, _sources
from puzzlemill.generators.visual._picture import Pixels, bared, cut, masked, png
from puzzlemill.generators.visual._seams import Colours, rims, seam_costs, table
from puzzlemill.generators.visual._sources import Source, picture

SIDE = 264  # pixels of the picture
ZOOM = 2  # how much larger the tiles are shown
PATCH = 4  # pixels along a corner that are compared
CLEAR = 0.5  # the right relation costs less than this share of any other
SEEN = 300  # and so much less at least, in hundredths of a channel's step
PICTURES = 6  # looked at for one relation, so that rare relations come up as often as others
TRIES = 4  # tiles looked at in each

# Rows down and columns to the right, from A to B.
SIDES = {"left": (0, -1), "right": (0, 1), "above": (-1, 0), "below": (1, 0)}
CORNERS = {
    "above left": (-1, -1),
    "above right": (-1, 1),
    "below left": (1, -1),
    "below right": (1, 1),
}
RELATIONS = SIDES | CORNERS
_CLOCKWISE = ("above", "right", "below", "left")


@dataclass(frozen=True, slots=True)
class Knobs:
    cells: int  # the picture is cut into cells x cells tiles
    trim: int  # pixels lost on every side of each tile
    mask: Annotated[float, Within(0.0, 0.1)]  # share of a side blacked out at each border
    corners: bool  # whether the tiles may touch at a corner only
    source: Source


@dataclass(frozen=True, slots=True)
class Pair:
    source: str  # of the picture
    licence: str  # of a user's picture, where one is told
    seed: int
    cells: int
    trim: int
    mask: int  # pixels of a shown tile that are black at each border
    corners: bool
    a: tuple[int, int]  # row and column of the tile, from 0
    b: tuple[int, int]


def generate(rng: Random, knobs: Knobs) -> Pair | None:
    relation = rng.choice(list(RELATIONS if knobs.corners else SIDES))
    down, right = RELATIONS[relation]
    mask = round(knobs.mask * SIDE / knobs.cells)
    for _ in range(PICTURES):
        made = _sources.chosen(rng, knobs.source)
        for _ in range(TRIES):
            a = _start(rng, knobs.cells, down), _start(rng, knobs.cells, right)
            b = a[0] + down, a[1] + right
            pair = Pair(*made, knobs.cells, knobs.trim, mask, knobs.corners, a, b)
            # Most tiles do not even match best among the sides, or the corners.
            alike = _corner_costs if relation in CORNERS else _side_costs
            if _clear(alike(pair)) == relation == _best_match(pair):
                return pair
    return None


def solve(pair: Pair) -> str | None:
    """The relation under which edges or corners match, if it matches far better than any other."""
    return _best_match(pair)


def verify(pair: Pair, relation: str) -> float:
    (row_a, column_a), (row_b, column_b) = pair.a, pair.b
    return float(RELATIONS.get(relation) == (row_b - row_a, column_b - column_a))


def render(pair: Pair, style: Style) -> Prompt:
    touch = (
        "They touched there along a whole side, or at one corner only."
        if pair.corners
        else "They touched there along a whole side."
    )
    trimmed = _prose.trimmed(pair.trim, mask=pair.mask)
    names = ", ".join(_options(pair))
    palette = picture(pair.source, pair.seed, SIDE).palette
    a, b = (png(tile.repeat(ZOOM, 1).repeat(ZOOM, 0), palette) for tile in _tiles(pair))
    return Prompt(
        style.pick(
            "Tile A: <image>\nTile B: <image>\nBoth tiles were cut from one picture, and neither is"
            f" turned. {touch}{trimmed} Where was tile B in the picture, seen from tile A?",
            f"Two square tiles of one picture, A and B, lay next to each other in it. {touch}"
            f" Neither has been turned.{trimmed}\nA: <image>\nB: <image>\nIn which direction from A"
            " does B belong?",
            f"A picture was cut into square tiles. Here are two that were neighbours. {touch} They"
            f" are shown the right way up.{trimmed}\nThe first, A: <image>\nThe second, B: <image>"
            "\nTo put the picture together again, on which side of A must B lie?",
        ),
        form=f"one of: {names} (where B is, seen from A)",
        images=(a, b),
    )


def _start(rng: Random, cells: int, step: int) -> int:
    """A row or column from which a step stays inside the picture."""
    return rng.randrange(max(0, -step), cells - max(0, step))


def _options(pair: Pair) -> list[str]:
    return list(RELATIONS if pair.corners else SIDES)


def _tiles(pair: Pair) -> tuple[Pixels, Pixels]:
    tiles = cut(picture(pair.source, pair.seed, SIDE).pixels, pair.cells, pair.cells, pair.trim)
    a, b = (tiles[row * pair.cells + column] for row, column in (pair.a, pair.b))
    return masked(a, pair.mask), masked(b, pair.mask)


@lru_cache(maxsize=2)
def _best_match(pair: Pair) -> str | None:
    return _clear(_side_costs(pair) | (_corner_costs(pair) if pair.corners else {}))


def _clear(costs: dict[str, int]) -> str | None:
    """The relation that costs far less than any other."""
    best, second = sorted(costs, key=costs.__getitem__)[:2]
    return best if costs[best] < min(CLEAR * costs[second], costs[second] - SEEN) else None


@lru_cache(maxsize=2)
def _side_costs(pair: Pair) -> dict[str, int]:
    ones, others = rims(*_bared(pair)).swapaxes(0, 1)
    facing = others[:, [2, 3, 0, 1], ::-1]
    return dict(zip(_CLOCKWISE, seam_costs(ones, facing, pair.trim + pair.mask).tolist()))


@lru_cache(maxsize=2)
def _corner_costs(pair: Pair) -> dict[str, int]:
    """How far the mean colours at each two facing corners differ, in hundredths of a channel's
    step."""
    (a, b), colours = _bared(pair)
    ones = [_patch(a, down, right) for down, right in CORNERS.values()]
    others = [_patch(b, -down, -right) for down, right in CORNERS.values()]
    sums = colours.take(np.stack(ones + others), axis=1).sum(axis=(2, 3))
    gaps = np.abs(sums[:, : len(CORNERS)] - sums[:, len(CORNERS) :]).sum(axis=0)
    return dict(zip(CORNERS, (gaps * 100 // (3 * ones[0].size)).tolist()))


@lru_cache(maxsize=2)
def _bared(pair: Pair) -> tuple[Pixels, Colours]:
    """What is to be seen of both tiles, and the colours of their palette."""
    palette = picture(pair.source, pair.seed, SIDE).palette
    return np.stack([bared(tile, pair.mask) for tile in _tiles(pair)]), table(palette)


def _patch(tile: Pixels, down: int, right: int) -> Pixels:
    rows = slice(-PATCH, None) if down > 0 else slice(PATCH)
    columns = slice(-PATCH, None) if right > 0 else slice(PATCH)
    return tile[rows, columns]


LADDER = (
    Knobs(2, 0, 0.0, False, "any"),
    Knobs(3, 1, 0.0, False, "any"),
    Knobs(3, 1, 0.0, True, "any"),
    Knobs(4, 2, 0.0, True, "any"),
    Knobs(4, 3, 0.0, True, "any"),
)
FAMILY = Family(
    Pair,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Choice(tuple(RELATIONS)),
    hardness=lambda pair: len(_options(pair)) + pair.cells + pair.trim + pair.mask,
    proof="unique",
    solver="comparison of edges and corners by pixels",
    guess_rate=0.25,
    kin=_sources.kin,
    redraws=True,
    skills=("vision", "assembly"),
    peers=("Jigsaw-R1/pair",),
    theme="jigsaws",
    version=5,
)
