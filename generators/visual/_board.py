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
from puzzlemill.generators.visual._seams import Colours, edges, rims, seam_costs, table

CLEAR = 0.9  # a true seam costs at most this share of any rival's
SEEN = 300  # and so much less at least, in hundredths of a channel's step
SLACK = 0.7  # what the second-best arrangement costs more, in seams of an average tile of the best
STEPS = 10_000  # of the search; more than enough where one arrangement wins clearly
BLANK = -1  # in the place of a missing tile
_NEVER = 1 << 40  # costs more than any seam

CostTable = NDArray[np.int64]  # by the tile before and the tile after
Placed = tuple[int, ...]  # the tiles in their places, row by row


def costs(
    tiles: Sequence[Pixels], palette: Sequence[Colour], trim: int
) -> tuple[CostTable, CostTable]:
    """What it costs to put the second tile to the right of the first, and below it."""
    shown, colours = np.asarray(tiles), table(tuple(palette))
    return _across(shown, colours, trim), _down(shown, colours, trim)


def clear_share(
    tiles: Sequence[Pixels], palette: Sequence[Colour], rows: int, columns: int, trim: int
) -> float:
    """Of tiles that lie in order, with others behind them or not, the share of seams that are
    clear: of those side by side, and if all of these are, of the others."""
    cells, shown, colours = range(rows * columns), np.asarray(tiles), table(tuple(palette))
    for seams, step, ones in (
        (_across, 1, [cell for cell in cells if (cell + 1) % columns]),
        (_down, columns, cells[:-columns]),
    ):
        matches = _matches(_between(seams(shown, colours, trim), range(len(tiles)))) if ones else {}
        clear = sum(matches.get(one) == one + step for one in ones)
        if clear < len(ones):
            return clear / len(ones)
    return 1.0


def _across(tiles: Pixels, colours: Colours, trim: int) -> CostTable:
    ends, starts = edges(tiles, colours, "right"), edges(tiles, colours, "left")
    return seam_costs(ends[:, :, None], starts[:, None], trim)


def _down(tiles: Pixels, colours: Colours, trim: int) -> CostTable:
    ends, starts = edges(tiles, colours, "below"), edges(tiles, colours, "above")
    return seam_costs(ends[:, :, None], starts[:, None], trim)


def total(across: CostTable, down: CostTable, columns: int, placed: Sequence[int]) -> int:
    """What the seams of an arrangement cost together, without those of a blank."""
    spent = 0
    for place, tile in enumerate(placed):
        for seams, other in (
            (across, placed[place - 1] if place % columns else BLANK),
            (down, placed[place - columns] if place >= columns else BLANK),
        ):
            if BLANK not in (tile, other):
                spent += int(seams[other, tile])
    return spent


def reassembled(
    tiles: Sequence[Pixels],
    palette: Sequence[Colour],
    rows: int,
    columns: int,
    trim: int,
) -> Placed | None:
    """The arrangement that clearly wins: with a blank where a tile is missing, and without the one
    too many where there is such a one.

    Flat tiles, and tiles that could change places unseen, have none.
    """
    shown, colours = np.asarray(tiles), table(tuple(palette))
    tables = (side(shown, colours, trim) for side in (_across, _down))
    return _arranged(tables, rows, columns, range(len(tiles)))


def turned_and_reassembled(
    tiles: Sequence[Pixels],
    positions: Sequence[tuple[int, int]],
    palette: Sequence[Colour],
    cells: int,
    trim: int,
) -> Placed | None:
    """The arrangement of square tiles that clearly wins, told by positions: each is a tile, and by
    how many quarters it is turned anticlockwise."""
    count, sides = len(tiles), rims(np.asarray(tiles), table(tuple(palette)))
    # A seam costs the same from either side, and however both tiles are turned together.
    ones, others = np.triu_indices(count, 1)
    met = seam_costs(sides[:, ones, :, None], sides[:, others, None, :, ::-1], trim)
    between = np.full((count, 4, count, 4), _NEVER)
    between[ones, :, others] = met
    between[others, :, ones] = met.swapaxes(1, 2)
    names, turns = np.array(positions).T
    above, right, below, left = ((names, (side + turns) % 4) for side in range(4))
    tables = (
        between[one[:, None], first[:, None], other, second]
        for (one, first), (other, second) in ((right, left), (below, above))
    )
    return _arranged(tables, cells, cells, names.tolist())


def _arranged(
    tables: Iterator[CostTable], rows: int, columns: int, names: Sequence[int]
) -> Placed | None:
    """The arrangement that clearly wins by the costs across, and then down. Several of the tiles
    may show the same one, turned in several ways, and then have one name."""
    hidden = 2 if len(set(names)) < rows * columns else 0  # seams around a hole, of each kind
    across = _between(next(tables), names)
    right = _matches(across)
    if len(right) < rows * (columns - 1) - hidden:
        return None
    down = _between(next(tables), names)
    below = _matches(down)
    if len(below) < (rows - 1) * columns - hidden:
        return None
    boards = _boards(rows, columns, names)
    found = [(board, placed) for board in boards for placed in _matched(board, names, right, below)]
    if len(found) != 1:
        return None
    (home, best), left = found[0], STEPS
    spent = total(across, down, columns, best)
    slack, seams = int(spent * SLACK / len(best)) + 1, _seams(across, down, names)
    for board in boards:
        # Around another hole there may be more seams, or fewer.
        limit = spent * board.seams // home.seams + slack
        rivals, left = board.within(seams, limit, left)
        if left <= 0 or any(
            rival != best and total(across, down, columns, rival) <= limit for rival in rivals
        ):
            return None
    return best


def _between(table: CostTable, names: Sequence[int]) -> CostTable:
    """The costs of seams between tiles of unlike names; no others are to be."""
    named = np.array(names)
    return np.where(named[:, None] == named, _NEVER, table)


@dataclass(frozen=True, slots=True)
class _Seams:
    """What it costs to put one tile after another, less the cheapest seams, across and down, that
    lead to the same name: the sum of those of all names is always paid, but for tiles that nothing
    leads to."""

    names: Sequence[int]
    # By whether a tile has one to its left, and one above it: by the one to the left, or else the
    # one above, the cost of each tile, and which.
    rising: dict[tuple[bool, bool], list[list[tuple[int, int]]]]
    down: list[list[int]]  # what a tile above adds to one to the left
    dearest: list[list[int]]  # the cheapest seams across to each name, then down; the dearest first


def _seams(across: CostTable, down: CostTable, names: Sequence[int]) -> _Seams:
    named = np.array(names)
    same = named[:, None] == named
    right, below = (
        np.where(same, table.min(axis=0), _NEVER).min(axis=1) for table in (across, down)
    )
    rising = {
        (True, True): _rising(across - right),
        (True, False): _rising(across - right - below),
        (False, True): _rising(down - right - below),
        (False, False): _rising(-(right + below)[None]),
    }
    dearest = [sorted(dict(zip(names, least.tolist())).values())[::-1] for least in (right, below)]
    return _Seams(names, rising, (down - below).tolist(), dearest)


def _rising(table: CostTable) -> list[list[tuple[int, int]]]:
    """Each row's costs, each with its column, the least first."""
    order = table.argsort(axis=1)
    costs = table[np.arange(len(table))[:, None], order]
    return [list(zip(*row)) for row in zip(costs.tolist(), order.tolist())]


@dataclass(frozen=True, slots=True)
class _Board:
    """An empty board, which may have a hole. Places are filled row by row."""

    columns: int
    hole: int
    meets: list[tuple[bool, bool]]  # whether a tile has one to its left, and one above it

    @property
    def seams(self) -> int:
        return sum(left + above for left, above in self.meets)

    def within(self, seams: _Seams, limit: int, steps: int) -> tuple[list[Placed], int]:
        """All arrangements that cost at most the limit, and perhaps some more where a tile is left
        over; and how many steps are left."""
        found: list[Placed] = []
        spare = self._spare(seams)
        stack: list[tuple[int, Placed, int]] = [(sum(map(sum, seams.dearest)), (), 0)]
        while stack and steps > 0:
            steps -= 1
            cost, placed, used = stack.pop()
            place = len(placed)
            if place == len(self.meets):
                found.append(placed)
            elif place == self.hole:
                stack.append((cost, (*placed, BLANK), used))
            else:
                room = limit + spare[place + 1] - cost
                for more, tile in self._to(seams, placed, room):
                    name = 1 << seams.names[tile]
                    if not used & name:
                        stack.append((cost + more, (*placed, tile), used | name))
        return found, steps

    def _spare(self, seams: _Seams) -> list[int]:
        """From each place on, the most that tiles can save to which no seam leads, on the board or
        left over."""
        right, below = seams.dearest
        across = down = len(right) - len(self.meets) + (self.hole >= 0)  # tiles left over
        spare = [sum(right[:across]) + sum(below[:down])]
        for place in reversed(range(len(self.meets))):
            if place != self.hole:
                left, above = self.meets[place]
                across, down = across + (not left), down + (not above)
            spare.append(sum(right[:across]) + sum(below[:down]))
        return spare[::-1]

    def _to(self, seams: _Seams, placed: Placed, room: int) -> list[tuple[int, int]]:
        """What each tile's seams to those before it would cost, if it is no more than the room."""
        left, above = self.meets[len(placed)]
        upper = placed[-self.columns] if above else 0
        rising = seams.rising[left, above][placed[-1] if left else upper]
        found = rising[: bisect_right(rising, (room, len(seams.names)))]
        if left and above:
            more = seams.down[upper]
            return [(both, tile) for cost, tile in found if (both := cost + more[tile]) <= room]
        return found


def _boards(rows: int, columns: int, names: Sequence[int]) -> list[_Board]:
    """One with a hole in each place, if there are too few tiles to fill it."""
    count, boards = rows * columns, []
    for hole in range(count) if len(set(names)) < count else (BLANK,):
        meets = [
            (
                place % columns > 0 and hole not in (place, place - 1),
                place >= columns and hole not in (place, place - columns),
            )
            for place in range(count)
        ]
        boards.append(_Board(columns, hole, meets))
    return boards


def _matched(
    board: _Board, names: Sequence[int], right: dict[int, int], below: dict[int, int]
) -> Iterator[Placed]:
    """The arrangements in which all sides that meet match."""
    beside: list[list[tuple[int, dict[int, int]]]] = [[] for _ in board.meets]
    across, down = (
        (matches, {after: one for one, after in matches.items()}) for matches in (right, below)
    )
    for place, (left, above) in enumerate(board.meets):
        for meets, other, matches in (
            (left, place - 1, across),
            (above, place - board.columns, down),
        ):
            if meets:
                beside[other].append((place, matches[0]))
                beside[place].append((other, matches[1]))
    start = int(board.hole == 0)
    for first in range(len(names)):
        placed = _laid(start, first, beside)
        tiles = [names[tile] for tile in placed.values()]
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
