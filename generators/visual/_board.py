"""Boards: the tiles of a picture put together again, by how well they continue each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from puzzlemill.generators.visual._picture import Colour, Pixels
from puzzlemill.generators.visual._seams import edges, seam_costs

CLEAR = 0.9  # a true seam costs at most this share of any rival's
SEEN = 150  # and so much less at least, in hundredths of a channel's step
SLACK = 0.7  # what the second-best arrangement costs more, in seams of an average tile of the best
STEPS = 30_000  # of the search; more than enough where one arrangement wins clearly

Costs = list[list[int]]  # by the tile before and the tile after
Placed = tuple[int, ...]  # the tiles in their places, row by row


def costs(tiles: Sequence[Pixels], palette: Sequence[Colour], trim: int) -> tuple[Costs, Costs]:
    """What it costs to put the second tile to the right of the first, and below it."""
    right, left, below, above = (
        edges(tiles, palette, which) for which in ("right", "left", "below", "above")
    )
    return seam_costs(right, left, trim).tolist(), seam_costs(below, above, trim).tolist()


def is_clear(
    tiles: Sequence[Pixels],
    palette: Sequence[Colour],
    columns: int,
    trim: int,
    strangers: int = 0,
) -> bool:
    """Whether, of tiles in their places, every seam beats all rivals for either of its sides.

    Flat tiles, and tiles that could change places unseen, fail here. Behind them may be strangers,
    which have no place and are rivals only.
    """
    across, down = costs(tiles, palette, trim)
    count = len(tiles) - strangers
    for cell in range(count):
        if (cell + 1) % columns and not _beats_rivals(across, cell, cell + 1):
            return False
        below = cell + columns
        if below < count and not _beats_rivals(down, cell, below):
            return False
    return True


def reassembled(
    tiles: Sequence[Pixels],
    palette: Sequence[Colour],
    columns: int,
    trim: int,
    strangers: int = 0,
    missing: bool = False,
) -> Placed | None:
    """The arrangement that clearly wins, by branch and bound over the costs of all seams.

    Where a tile is missing, a blank one with the next number stands for it, and its seams cost what
    a good one does.
    """
    across, down = costs(tiles, palette, trim)
    if missing:
        across, down = _with_blank(across), _with_blank(down)
    return _board((len(across) - strangers) // columns, columns, across, down).clear_winner()


def total(across: Costs, down: Costs, columns: int, placed: Sequence[int]) -> int:
    """What the seams of an arrangement cost together."""
    spent = 0
    for place, tile in enumerate(placed):
        if place % columns:
            spent += across[placed[place - 1]][tile]
        if place >= columns:
            spent += down[placed[place - columns]][tile]
    return spent


def _beats_rivals(found: Costs, one: int, other: int) -> bool:
    # Of two tiles only, the other order is the rival.
    rivals = [cost for tile, cost in enumerate(found[one]) if tile not in (one, other)]
    rivals += [row[other] for tile, row in enumerate(found) if tile not in (one, other)]
    least = min(rivals or [found[other][one]])
    return found[one][other] <= min(CLEAR * least, least - SEEN)


@dataclass(frozen=True, slots=True)
class _Board:
    """Which arrangements of the tiles are cheap. Places are filled row by row."""

    rows: int
    columns: int
    across: Costs
    down: Costs
    rest: list[int]  # the least that the seams of all places from each one on can cost

    @property
    def places(self) -> int:
        return self.rows * self.columns

    def clear_winner(self) -> Placed | None:
        first = self.quickly()
        slack = int(first * SLACK / self.places) + 1
        found = self.within(first + slack)
        if not found:
            return None
        best = min(found)
        close = [cost for cost, _ in found if cost <= best[0] + slack]
        return best[1] if len(close) == 1 else None

    def quickly(self) -> int:
        """The cost of a good arrangement, by a beam of the best beginnings, as many as places."""
        beam: list[tuple[int, Placed]] = [(0, ())]
        for _ in range(self.places):
            beam = sorted(
                (cost + self._added(placed, tile), (*placed, tile))
                for cost, placed in beam
                for tile in range(len(self.across))
                if tile not in placed
            )[: self.places]
        return beam[0][0]

    def within(self, limit: int) -> list[tuple[int, Placed]] | None:
        """All arrangements that cost at most the limit, or None if the search grows too long."""
        found: list[tuple[int, Placed]] = []
        stack: list[tuple[int, Placed]] = [(0, ())]
        for _ in range(STEPS):
            if not stack:
                return found
            cost, placed = stack.pop()
            place = len(placed)
            if place == self.places:
                found.append((cost, placed))
                continue
            for tile in range(len(self.across)):
                if tile not in placed:
                    more = cost + self._added(placed, tile)
                    if more + self.rest[place + 1] <= limit:
                        stack.append((more, (*placed, tile)))
        return None

    def _added(self, placed: Placed, tile: int) -> int:
        place, cost = len(placed), 0
        if place % self.columns:
            cost += self.across[placed[-1]][tile]
        if place >= self.columns:
            cost += self.down[placed[-self.columns]][tile]
        return cost


def _board(rows: int, columns: int, across: Costs, down: Costs) -> _Board:
    cheap = [_cheapest(across), _cheapest(down)]
    rest = []
    for place in range(rows * columns + 1):
        seams = [
            sum(later % columns > 0 for later in range(place, rows * columns)),
            sum(later >= columns for later in range(place, rows * columns)),
        ]
        rest.append(sum(sum(least[:count]) for least, count in zip(cheap, seams, strict=True)))
    return _Board(rows, columns, across, down, rest)


def _with_blank(found: Costs) -> Costs:
    usual = median_low(_cheapest(found))
    return [[*row, usual] for row in found] + [[usual] * (len(found) + 1)]


def _cheapest(found: Costs) -> list[int]:
    """For each tile the least cost of any seam that leads to it, in rising order."""
    count = range(len(found))
    return sorted(min(found[one][other] for one in count if one != other) for other in count)
