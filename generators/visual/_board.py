"""Boards: the tiles of a picture put together again, by how well they continue each other.

Of two sides that meet, each must match the other clearly better than it matches any side else: that
gives an arrangement without a search, and there must be one only. Branch and bound over the costs
of all seams then proves that no other arrangement comes near to what this one costs.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlemill.generators.visual._picture import Colour, Pixels
from puzzlemill.generators.visual._seams import edges, seam_costs

CLEAR = 0.9  # a true seam costs at most this share of any rival's
SEEN = 300  # and so much less at least, in hundredths of a channel's step
SLACK = 0.7  # what the second-best arrangement costs more, in seams of an average tile of the best
STEPS = 30_000  # of the search; more than enough where one arrangement wins clearly
BLANK = -1  # in the place of a missing tile
_NEVER = 1 << 40  # costs more than any seam

Costs = list[list[int]]  # by the tile before and the tile after
CostTable = NDArray[np.int64]  # the same
Placed = tuple[int, ...]  # the tiles in their places, row by row


def costs(tiles: Sequence[Pixels], palette: Sequence[Colour], trim: int) -> tuple[Costs, Costs]:
    """What it costs to put the second tile to the right of the first, and below it."""
    return _across(tiles, palette, trim).tolist(), _down(tiles, palette, trim).tolist()


def _across(tiles: Sequence[Pixels], palette: Sequence[Colour], trim: int) -> CostTable:
    return seam_costs(edges(tiles, palette, "right"), edges(tiles, palette, "left"), trim)


def _down(tiles: Sequence[Pixels], palette: Sequence[Colour], trim: int) -> CostTable:
    return seam_costs(edges(tiles, palette, "below"), edges(tiles, palette, "above"), trim)


def total(across: Costs, down: Costs, columns: int, placed: Sequence[int]) -> int:
    """What the seams of an arrangement cost together, without those of a blank."""
    spent = 0
    for place, tile in enumerate(placed):
        for table, other in (
            (across, placed[place - 1] if place % columns else BLANK),
            (down, placed[place - columns] if place >= columns else BLANK),
        ):
            if BLANK not in (tile, other):
                spent += table[other][tile]
    return spent


def reassembled(
    tiles: Sequence[Pixels],
    palette: Sequence[Colour],
    rows: int,
    columns: int,
    trim: int,
    names: Sequence[int] = (),
) -> Placed | None:
    """The arrangement that clearly wins: with a blank where a tile is missing, and without the one
    too many where there is such a one.

    Flat tiles, and tiles that could change places unseen, have none. Several of the tiles may show
    the same one, turned in several ways, and then have one name.
    """
    names = names or range(len(tiles))
    hidden = 2 if len(set(names)) < rows * columns else 0  # seams around a hole, of each kind
    across = _between(_across(tiles, palette, trim), names)
    right = _matches(across)
    if len(right) < rows * (columns - 1) - hidden:
        return None
    down = _between(_down(tiles, palette, trim), names)
    below = _matches(down)
    if len(below) < (rows - 1) * columns - hidden:
        return None
    boards = list(_boards(rows, columns, names, _seams(across, names), _seams(down, names)))
    found = [(board, placed) for board in boards for placed in _matched(board, right, below)]
    if len(found) != 1:
        return None
    (home, best), left = found[0], STEPS
    spent = total(home.across.costs, home.down.costs, columns, best)
    slack = int(spent * SLACK / len(best)) + 1
    for board in boards:
        # Around another hole there may be more seams, or fewer.
        rivals, left = board.within(spent * board.seams // home.seams + slack, left)
        if left <= 0 or any(rival != best for rival in rivals):
            return None
    return best


@dataclass(frozen=True, slots=True)
class _Seams:
    """What it costs to put one tile after another."""

    costs: Costs
    rising: list[list[tuple[int, int]]]  # by the first tile, the cost of each second one, and which
    cheapest: list[int]  # of the seams that lead to each name, in rising order


def _seams(table: CostTable, names: Sequence[int]) -> _Seams:
    costs = table.tolist()
    rising = [sorted((cost, tile) for tile, cost in enumerate(row)) for row in costs]
    least: dict[int, int] = {}
    for cost, name in zip(table.min(axis=0).tolist(), names, strict=True):
        least[name] = min(cost, least.get(name, cost))
    return _Seams(costs, rising, sorted(least.values()))


def _between(table: CostTable, names: Sequence[int]) -> CostTable:
    """The costs of seams between tiles of unlike names; no others are to be."""
    named = np.array(names)
    table[named[:, None] == named] = _NEVER
    return table


@dataclass(frozen=True, slots=True)
class _Board:
    """An empty board, which may have a hole. Places are filled row by row."""

    columns: int
    hole: int
    names: Sequence[int]
    across: _Seams
    down: _Seams
    meets: list[tuple[bool, bool]]  # whether a tile has one to its left, and one above it
    rest: list[int]  # the least that the seams of all places from each one on can cost

    @property
    def seams(self) -> int:
        return sum(left + above for left, above in self.meets)

    def within(self, limit: int, steps: int) -> tuple[list[Placed], int]:
        """All arrangements that cost at most the limit, and how many steps are left."""
        found: list[Placed] = []
        stack: list[tuple[int, Placed, int]] = [(0, (), 0)]
        while stack and steps > 0:
            steps -= 1
            cost, placed, used = stack.pop()
            place = len(placed)
            if place == len(self.meets):
                found.append(placed)
            elif place == self.hole:
                stack.append((cost, (*placed, BLANK), used))
            else:
                room = limit - cost - self.rest[place + 1]
                for more, tile in self._to(placed, room):
                    name = 1 << self.names[tile]
                    if not used & name:
                        stack.append((cost + more, (*placed, tile), used | name))
        return found, steps

    def _to(self, placed: Placed, room: int) -> list[tuple[int, int]]:
        """What each tile's seams to those before it would cost, if it is no more than the room."""
        left, above = self.meets[len(placed)]
        if not (left or above):
            return [(0, tile) for tile in range(len(self.names)) if room >= 0]
        rising = self.across.rising[placed[-1]] if left else self.down.rising[placed[-self.columns]]
        found = rising[: bisect_right(rising, (room, len(rising)))]
        if left and above:
            more = self.down.costs[placed[-self.columns]]
            return [(both, tile) for cost, tile in found if (both := cost + more[tile]) <= room]
        return found


def _boards(
    rows: int, columns: int, names: Sequence[int], across: _Seams, down: _Seams
) -> Iterator[_Board]:
    """One with a hole in each place, if there are too few tiles to fill it."""
    count = rows * columns
    cheap = across.cheapest, down.cheapest
    for hole in range(count) if len(set(names)) < count else (BLANK,):
        meets = [
            (
                place % columns > 0 and hole not in (place, place - 1),
                place >= columns and hole not in (place, place - columns),
            )
            for place in range(count)
        ]
        rest = [
            sum(sum(least[: sum(later)]) for least, later in zip(cheap, zip(*meets[place:])))
            for place in range(count + 1)
        ]
        yield _Board(columns, hole, names, across, down, meets, rest)


def _matched(board: _Board, right: dict[int, int], below: dict[int, int]) -> Iterator[Placed]:
    """The arrangements in which all sides that meet match."""
    beside: list[list[tuple[int, dict[int, int]]]] = [[] for _ in board.meets]
    for place, (left, above) in enumerate(board.meets):
        for meets, other, matches in (
            (left, place - 1, right),
            (above, place - board.columns, below),
        ):
            if meets:
                beside[other].append((place, matches))
                beside[place].append((other, {after: one for one, after in matches.items()}))
    start = int(board.hole == 0)
    for first in range(len(board.names)):
        placed = _laid(start, first, beside)
        tiles = [board.names[tile] for tile in placed.values()]
        if len(tiles) == len(board.meets) - (board.hole >= 0) == len(set(tiles)):
            yield tuple(placed.get(place, BLANK) for place in range(len(board.meets)))


def _laid(
    start: int, first: int, beside: Sequence[Sequence[tuple[int, dict[int, int]]]]
) -> dict[int, int]:
    """The tile in each place, from one to the next; or nothing, where sides do not match."""
    placed, queue = {start: first}, [start]
    for place in queue:
        for other, matches in beside[place]:
            tile = matches.get(placed[place], BLANK)
            if tile == BLANK or placed.setdefault(other, tile) != tile:
                return {}
            if other not in queue:
                queue.append(other)
    return placed


def _matches(cost: CostTable) -> dict[int, int]:
    """For each tile the one that follows it, where each clearly fits the other best."""
    best = cost.argmin(axis=1)
    rows, columns = np.partition(cost, 1, axis=1)[:, 1], np.partition(cost, 1, axis=0)[:2]
    own = cost[np.arange(len(best)), best]
    rivals = np.minimum(rows, np.where(columns[0, best] < own, columns[0, best], columns[1, best]))
    # Of two tiles only, the other order is the rival.
    least = np.where(rivals == _NEVER, cost[best, np.arange(len(best))], rivals)
    clear = own <= np.minimum(CLEAR * least, least - SEEN)
    return {one: int(best[one]) for one in np.flatnonzero(clear).tolist()}
