"""Boards: the tiles of a picture put together again, by how well they continue each other.

Of two sides that meet, each must match the other clearly better than it matches any side else: that
gives an arrangement without a search, and there must be one only. Branch and bound over the costs
of all seams then proves that no other arrangement comes near to what this one costs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import add

import numpy as np

from puzzlemill.generators.visual._picture import Colour, Pixels
from puzzlemill.generators.visual._seams import edges, seam_costs

CLEAR = 0.9  # a true seam costs at most this share of any rival's
SEEN = 300  # and so much less at least, in hundredths of a channel's step
SLACK = 0.7  # what the second-best arrangement costs more, in seams of an average tile of the best
STEPS = 30_000  # of the search; more than enough where one arrangement wins clearly
BLANK = -1  # in the place of a missing tile
_NEVER = 1 << 40  # costs more than any seam

Costs = list[list[int]]  # by the tile before and the tile after
Placed = tuple[int, ...]  # the tiles in their places, row by row


def costs(tiles: Sequence[Pixels], palette: Sequence[Colour], trim: int) -> tuple[Costs, Costs]:
    """What it costs to put the second tile to the right of the first, and below it."""
    return _across(tiles, palette, trim), _down(tiles, palette, trim)


def _across(tiles: Sequence[Pixels], palette: Sequence[Colour], trim: int) -> Costs:
    right, left = edges(tiles, palette, "right"), edges(tiles, palette, "left")
    found: Costs = seam_costs(right, left, trim).tolist()
    return found


def _down(tiles: Sequence[Pixels], palette: Sequence[Colour], trim: int) -> Costs:
    below, above = edges(tiles, palette, "below"), edges(tiles, palette, "above")
    found: Costs = seam_costs(below, above, trim).tolist()
    return found


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
    across = _across(tiles, palette, trim)
    right = _matches(across, names)
    if len(right) < rows * (columns - 1) - hidden:
        return None
    down = _down(tiles, palette, trim)
    below = _matches(down, names)
    if len(below) < (rows - 1) * columns - hidden:
        return None
    boards = list(_boards(rows, columns, names, across, down))
    found = [(board, placed) for board in boards for placed in _matched(board, right, below)]
    if len(found) != 1:
        return None
    (home, best), left = found[0], STEPS
    spent = total(across, down, columns, best)
    slack = int(spent * SLACK / len(best)) + 1
    for board in boards:
        # Around another hole there may be more seams, or fewer.
        rivals, left = board.within(spent * board.seams // home.seams + slack, left)
        if left <= 0 or any(rival != best for rival in rivals):
            return None
    return best


@dataclass(frozen=True, slots=True)
class _Board:
    """An empty board, which may have a hole. Places are filled row by row."""

    columns: int
    hole: int
    names: Sequence[int]
    across: Costs
    down: Costs
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
                stack += [
                    (cost + more, (*placed, tile), used | 1 << self.names[tile])
                    for tile, more in enumerate(self._to(placed))
                    if more <= room and not used >> self.names[tile] & 1
                ]
        return found, steps

    def _to(self, placed: Placed) -> list[int]:
        """What each tile's seams to those before it would cost."""
        left, above = self.meets[len(placed)]
        if left and above:
            rows = self.across[placed[-1]], self.down[placed[-self.columns]]
            return list(map(add, *rows))
        if left:
            return self.across[placed[-1]]
        return self.down[placed[-self.columns]] if above else [0] * len(self.across)


def _boards(
    rows: int, columns: int, names: Sequence[int], across: Costs, down: Costs
) -> Iterator[_Board]:
    """One with a hole in each place, if there are too few tiles to fill it."""
    count = rows * columns
    cheap = _cheapest(across, names), _cheapest(down, names)
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


def _matches(found: Costs, names: Sequence[int]) -> dict[int, int]:
    """For each tile the one that follows it, where each clearly fits the other best."""
    cost, named = np.array(found), np.array(names)
    cost[named[:, None] == named] = _NEVER
    best = cost.argmin(axis=1)
    rows, columns = np.partition(cost, 1, axis=1)[:, 1], np.partition(cost, 1, axis=0)[:2]
    own = cost[np.arange(len(best)), best]
    rivals = np.minimum(rows, np.where(columns[0, best] < own, columns[0, best], columns[1, best]))
    # Of two tiles only, the other order is the rival.
    least = np.where(rivals == _NEVER, cost[best, np.arange(len(best))], rivals)
    clear = own <= np.minimum(CLEAR * least, least - SEEN)
    return {one: int(best[one]) for one in np.flatnonzero(clear).tolist()}


def _cheapest(found: Costs, names: Sequence[int]) -> list[int]:
    """For each name the least cost of any seam that leads to it, in rising order."""
    least: dict[int, int] = {}
    for row, one in zip(found, names, strict=True):
        for cost, other in zip(row, names, strict=True):
            if one != other:
                least[other] = min(cost, least.get(other, cost))
    return sorted(least.values())
