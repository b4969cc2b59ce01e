"""Jigsaw: say which numbered tile belongs where in a picture that was cut up and shuffled.

`verify` compares with the order in which the tiles were laid out, and pays a fifth of the share of
tiles in place, if the answer really names each tile once. `solve` never looks at that order: it
puts the picture together again from the pixels of the page, by how well the tiles continue each
other, and gives no answer unless one arrangement clearly wins.
"""

from dataclasses import dataclass
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._picture import (
    Colour,
    Pixels,
    corner,
    cut,
    painting,
    png,
    sheet,
)
from puzzlemill.generators.visual._seams import Colours, edge, seam_costs

SIDE = 264  # pixels of the picture; 3 and 4 divide it
PARTIAL = 0.2  # the score of a permutation is at most this until all tiles are in place
CLEAR = 0.9  # a true seam costs at most this share of any rival's
MARGIN = 1.08  # the second-best arrangement costs at least this many times the best
STEPS = 30_000  # of the search; more than enough where one arrangement wins clearly


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int
    columns: int
    trim: int  # pixels lost on every side of each tile


@dataclass(frozen=True, slots=True)
class Jigsaw:
    seed: int  # of the painting
    rows: int
    columns: int
    trim: int
    order: tuple[int, ...]  # the cell of the picture, from 0, that each numbered tile shows


def generate(rng: Random, knobs: Knobs) -> Jigsaw | None:
    cells = list(range(knobs.rows * knobs.columns))
    order = rng.sample(cells, len(cells))
    puzzle = Jigsaw(rng.randrange(2**32), knobs.rows, knobs.columns, knobs.trim, tuple(order))
    return puzzle if order != cells and _is_clear(puzzle) else None


def solve(jigsaw: Jigsaw) -> tuple[int, ...] | None:
    """Reassembly: branch and bound over the costs of all seams between tiles of the page."""
    pixels, palette = _page(jigsaw)
    colours = np.array(palette, dtype=np.int16)[pixels]
    high, wide = SIDE // jigsaw.rows - 2 * jigsaw.trim, SIDE // jigsaw.columns - 2 * jigsaw.trim
    tiles = []
    for place in range(jigsaw.rows * jigsaw.columns):
        top, left = corner(place, jigsaw.columns, high, wide)
        tiles.append(colours[top : top + high, left : left + wide])
    board = _board(jigsaw.rows, jigsaw.columns, *_costs(tiles, jigsaw.trim))
    arrangement = board.clear_winner()
    return arrangement and tuple(tile + 1 for tile in arrangement)


def verify(jigsaw: Jigsaw, tiles: tuple[int, ...]) -> float:
    count = len(jigsaw.order)
    if sorted(tiles) != list(range(1, count + 1)):
        return 0.0
    right = sum(jigsaw.order[tile - 1] == place for place, tile in enumerate(tiles))
    return 1.0 if right == count else PARTIAL * right / count


def render(jigsaw: Jigsaw, style: Style) -> Prompt:
    count = len(jigsaw.order)
    rows = f"{jigsaw.rows} row{'s' * (jigsaw.rows > 1)}"
    grid = f"{rows} and {jigsaw.columns} columns"
    trimmed = " A thin strip was cut off every side of each tile." if jigsaw.trim else ""
    return Prompt(
        style.pick(
            f"<image>\nA picture was cut into {count} equal tiles, in {grid}. The tiles were then"
            " shuffled, without turning them, and laid out as shown, each with its number above"
            f" it.{trimmed} Put the picture together again.",
            "Here are the pieces of a jigsaw puzzle, each with its number above it.\n<image>\nThe"
            f" finished picture has {grid} of pieces. The pieces are in the wrong places, but none"
            f" is turned.{trimmed} Which piece belongs where?",
            f"Rebuild a picture from its {count} tiles. It had {grid}; here its tiles are mixed up"
            f" (not turned), and the number above each tile is its name.{trimmed}\n<image>",
        ),
        form=f"the numbers of all {count} tiles in the order in which they stand in the original"
        " picture, row by row from the top and each row from left to right, separated by commas",
        images=(png(*_page(jigsaw)),),
    )


def steps(jigsaw: Jigsaw) -> list[str]:
    lines = []
    for place in range(len(jigsaw.order)):
        row, column = divmod(place, jigsaw.columns)
        tile = jigsaw.order.index(place) + 1
        lines.append(f"Row {row + 1}, column {column + 1} of the picture: tile {tile}.")
    return lines


def _page(jigsaw: Jigsaw) -> tuple[Pixels, tuple[Colour, ...]]:
    picture = painting(jigsaw.seed, SIDE)
    tiles = cut(picture.pixels, jigsaw.rows, jigsaw.columns, jigsaw.trim)
    return sheet([tiles[cell] for cell in jigsaw.order], jigsaw.columns), picture.palette


def _costs(tiles: list[Colours], trim: int) -> tuple[list[list[int]], list[list[int]]]:
    """What it costs to put the second tile to the right of the first, and below it."""
    across = seam_costs(
        [edge(tile, "right") for tile in tiles], [edge(tile, "left") for tile in tiles], trim
    )
    down = seam_costs(
        [edge(tile, "below") for tile in tiles], [edge(tile, "above") for tile in tiles], trim
    )
    return across.tolist(), down.tolist()


def _is_clear(jigsaw: Jigsaw) -> bool:
    """Whether every true seam beats all rivals for either of its sides.

    Flat tiles, and tiles that could change places unseen, fail here.
    """
    colours = painting(jigsaw.seed, SIDE).colours
    tiles = cut(colours, jigsaw.rows, jigsaw.columns, jigsaw.trim)
    across, down = _costs(tiles, jigsaw.trim)
    for cell in range(len(tiles)):
        if (cell + 1) % jigsaw.columns and not _beats_rivals(across, cell, cell + 1):
            return False
        below = cell + jigsaw.columns
        if below < len(tiles) and not _beats_rivals(down, cell, below):
            return False
    return True


def _beats_rivals(costs: list[list[int]], one: int, other: int) -> bool:
    rest = [tile for tile in range(len(costs)) if tile not in (one, other)]
    rivals = [costs[one][tile] for tile in rest] + [costs[tile][other] for tile in rest]
    return costs[one][other] <= CLEAR * min(rivals)


@dataclass(frozen=True, slots=True)
class _Board:
    """Which arrangements of the tiles are cheap. Places are filled row by row."""

    columns: int
    across: list[list[int]]
    down: list[list[int]]
    rest: list[int]  # the least that the seams of all places from each one on can cost

    def clear_winner(self) -> tuple[int, ...] | None:
        limit = self.rest[0] + 1
        while not (found := self.within(limit)):
            if found is None:
                return None
            limit += limit // 4 + 1
        best = min(cost for cost, _ in found)
        close = self.within(int(best * MARGIN) + 1)
        return close[0][1] if close is not None and len(close) == 1 else None

    def within(self, limit: int) -> list[tuple[int, tuple[int, ...]]] | None:
        """All arrangements that cost at most the limit, or None if the search grows too long."""
        found: list[tuple[int, tuple[int, ...]]] = []
        stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        for _ in range(STEPS):
            if not stack:
                return found
            cost, placed = stack.pop()
            place = len(placed)
            if place == len(self.across):
                found.append((cost, placed))
                continue
            for tile in range(len(self.across)):
                if tile not in placed:
                    more = cost + self._added(placed, tile)
                    if more + self.rest[place + 1] <= limit:
                        stack.append((more, (*placed, tile)))
        return None

    def _added(self, placed: tuple[int, ...], tile: int) -> int:
        place, cost = len(placed), 0
        if place % self.columns:
            cost += self.across[placed[-1]][tile]
        if place >= self.columns:
            cost += self.down[placed[-self.columns]][tile]
        return cost


def _board(rows: int, columns: int, across: list[list[int]], down: list[list[int]]) -> _Board:
    cheap = [_cheapest(across), _cheapest(down)]
    rest = []
    for place in range(rows * columns + 1):
        seams = [
            sum(later % columns > 0 for later in range(place, rows * columns)),
            sum(later >= columns for later in range(place, rows * columns)),
        ]
        rest.append(sum(sum(least[:count]) for least, count in zip(cheap, seams, strict=True)))
    return _Board(columns, across, down, rest)


def _cheapest(costs: list[list[int]]) -> list[int]:
    """For each tile the least cost of any seam that leads to it, in rising order."""
    count = range(len(costs))
    return sorted(min(costs[one][other] for one in count if one != other) for other in count)


LADDER = (Knobs(1, 3, 0), Knobs(2, 3, 0), Knobs(3, 3, 0), Knobs(3, 4, 1), Knobs(4, 4, 1))
FAMILY = Family(
    Jigsaw,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the tiles' numbers in order", reorders=True, rows=True),
    hardness=lambda jigsaw: len(jigsaw.order) + jigsaw.trim,
    proof="unique",
    solver="reassembly from pixels by branch and bound over seams",
    guess_rate=0.2,
    steps=steps,
    skills=("vision", "assembly"),
    peers=("Jigsaw-R1/full", "Visual-Jigsaw/image", "KORGym/9-Jigsaw_puzzle"),
)
