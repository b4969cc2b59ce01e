"""Islands: the sizes of all connected pieces of land on a map.

The sizes are one multiset, so their order does not matter. `solve` joins neighbours with
union-find, the smaller island to the larger; `verify` paints one island after the other, all its
shores at once: a map is an integer with a bit for each cell.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _cells

LAND, SEA = "#", "."


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # rows and columns
    land: float  # share of the cells
    corners: bool  # whether cells that meet at a corner hang together too; denser maps otherwise


@dataclass(frozen=True, slots=True)
class Map:
    rows: tuple[str, ...]
    corners: bool


def generate(rng: Random, knobs: Knobs) -> Map | None:
    side = knobs.side
    share = knobs.land * (0.7 if knobs.corners else 1)  # corners join islands to few large ones
    signs = [SEA] * side**2
    for cell in rng.sample(range(side**2), max(3, round(share * side**2))):
        signs[cell] = LAND
    drawn = "".join(signs)
    rows = tuple(drawn[start : start + side] for start in range(0, side**2, side))
    map_ = Map(rows, knobs.corners)
    return map_ if len(solve(map_)) > 1 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(map_: Map) -> tuple[int, ...]:
    return tuple(sorted(map(len, _joined(map_))))


def verify(map_: Map, sizes: tuple[int, ...]) -> float:
    wide = len(map_.rows[0]) + 1  # a cell of sea at the end of each row keeps rows apart
    left = int(SEA.join(map_.rows).translate(_BITS), 2)
    found = []
    while left:
        island, before = left & -left, 0
        while island != before:
            before = island
            sideways = island << 1 | island | island >> 1
            upright = sideways if map_.corners else island
            island = (sideways | upright << wide | upright >> wide) & left
        left ^= island
        found.append(island.bit_count())
    return float(Counter(found) == Counter(sizes))


def render(map_: Map, style: Style) -> Prompt:
    board = "\n".join(map_.rows)
    if map_.corners:
        joined = style.pick(
            "Two land cells belong to the same island if they share a side or a corner, or if a"
            " chain of such neighbours leads from one to the other.",
            "Cells are connected across sides and also diagonally, across corners.",
            "From a cell one may step to any of the up to 8 cells around it, diagonal steps"
            " included.",
        )
    else:
        joined = style.pick(
            "Two land cells belong to the same island if they share a side, or if a chain of such"
            " neighbours leads from one to the other. Cells that only meet at a corner are not"
            " neighbours.",
            "Cells are connected across sides only, not diagonally.",
            "From a cell one may step up, down, left or right, never diagonally.",
        )
    return Prompt(
        style.pick(
            f'On this map "{LAND}" is land and "{SEA}" is sea.\n\n{board}\n\n{joined} How many'
            " cells does each island have? Give the size of every island; sizes that occur several"
            " times are repeated.",
            f"{board}\n\nThe cells marked {LAND} form groups. {joined} Give the number of cells of"
            " every group, one number for each group, even where two groups are equally large.",
            f"A map of land ({LAND}) and water ({SEA}):\n\n{board}\n\n{joined} An island is all the"
            " land that can be reached in this way from one land cell, without leaving the land."
            " List the areas of all the islands, in cells; islands of the same area are listed"
            " one by one.",
        ),
        form="the sizes in any order, separated by commas",
    )


def steps(map_: Map) -> list[str]:
    wide = len(map_.rows[0]) + 1
    lines = []
    for island in _joined(map_):
        cells = [divmod(place, wide) for place in sorted(island)]
        places = " ".join(f"({row + 1}, {column + 1})" for row, column in cells)
        lines.append(f"an island of {len(island)}, at (row, column) {places}")
    return lines


def canon(map_: Map) -> list[object]:
    """The least of the map's turns and reflections."""
    return [map_.corners, ["".join(row) for row in min(_cells.turns(map_.rows))]]


def hardness(map_: Map) -> int:
    """Land cells, and islands to keep apart."""
    return sum(line.count(LAND) for line in map_.rows) + len(_joined(map_))


def _joined(map_: Map) -> list[list[int]]:
    """The islands by union-find, row by row; a cell of sea at the end of each keeps rows apart."""
    wide = len(map_.rows[0]) + 1
    earlier = (1, wide - 1, wide, wide + 1) if map_.corners else (1, wide)
    islands: dict[int, list[int]] = {}  # of each cell of land, all the cells of its island
    for place, sign in enumerate(SEA.join(map_.rows)):
        if sign != LAND:
            continue
        own = None
        for step in earlier:
            other = islands.get(place - step)
            if other is None or other is own:
                continue
            if own is None:
                own = other
                continue
            if len(own) < len(other):
                own, other = other, own
            own += other
            for cell in other:
                islands[cell] = own
        if own is None:
            own = []
        own.append(place)
        islands[place] = own
    return list({id(island): island for island in islands.values()}.values())


_BITS = str.maketrans({LAND: "1", SEA: "0"})
LADDER = (
    Knobs(5, 0.4, False),
    Knobs(8, 0.48, False),
    Knobs(11, 0.5, True),
    Knobs(15, 0.52, False),
    Knobs(20, 0.54, True),
)
FAMILY = Family(
    Map,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntBag(),
    hardness=hardness,
    proof="unique",
    solver="union-find",
    guess_rate=0.08,
    steps=steps,
    canon=canon,
    skills=("tracking", "counting"),
    peers=("reasoning-gym/largest_island", "RLVE/grid_component"),
    theme="floods",
    version=2,
)
