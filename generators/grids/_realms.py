"""Realms: the regions of a board, grown around marked cells so that nothing else can be marked.

Cells are numbered row by row from 0; a board of regions gives each cell the number of its region.
"""

from bisect import bisect
from collections.abc import Callable, Sequence
from functools import cache, partial, reduce
from itertools import accumulate
from math import exp, isqrt
from operator import and_
from random import Random

from puzzlemill.generators import _cells
from puzzlemill.generators.grids import _marks, _tallies
from puzzlemill.generators.grids._deduction import Rule, Values
from puzzlemill.generators.grids._tallies import Marks, Tallies, Tally

Owners = list[int]

NOBODY = -1
APPETITE = 6.0  # how unlike in size the regions grow: the exponent of the greediest one's weight
ATTEMPTS = 20  # to grow the regions over a whole board
PATIENCE = 4  # attempts that may leave no fewer cells over
TRIES = 3000  # suppositions to prove that the cores have one solution
WAYWARD = 2  # how much farther than need be a partner may be taken from


def cores(side: int, marked: Sequence[int]) -> Owners:
    """A region for each marked cell."""
    return [marked.index(cell) if cell in marked else NOBODY for cell in range(side**2)]


def cores_of_pairs(rng: Random, side: int, marked: Sequence[int]) -> Owners | None:
    """The marked cells two by two, mostly with one near, each pair joined by a narrow path; None
    where one is left without a partner."""
    import networkx

    single = _spread(rng, side, marked)
    graph = networkx.Graph()
    for cell, owner in enumerate(single):
        for other in (single[beside] for beside in near(side)[cell]):
            if owner < other:
                length = sum(
                    abs(one - two)
                    for one, two in zip(divmod(marked[owner], side), divmod(marked[other], side))
                )
                graph.add_edge(owner, other, weight=2 * side - length + rng.randrange(WAYWARD))
    pairs = networkx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(pairs) < len(marked):
        return None
    owners = [NOBODY] * side**2
    for number, pair in enumerate(sorted(sorted(pair) for pair in pairs)):
        within = {cell for cell, owner in enumerate(single) if owner in pair}
        for cell in _path(within, marked[pair[0]], marked[pair[1]], side):
            owners[cell] = number
    return owners


def overgrown(
    rng: Random,
    begun: Owners,
    solution: Values,
    common: Sequence[Rule],
    region: Tally,
    tries: int = 0,
) -> Owners | None:
    """The cores grown over the board, where they have one solution, into regions that have it only.

    A cell joins a region only where rules, those of the board and those of the regions, show that
    it can never be marked there, or else so many suppositions do. Where cells are left over, the
    regions shrink around them, less or more, and grow once more; None where that does not help for
    a while.
    """
    tallies, right = _tallied(begun, common, region), _tallies.packed(solution)
    start = _Growing(begun, begun, tallies, right, 0).marks
    if _marks.rival_marks(tallies, start, tallies.all, right, TRIES) is not None:
        return None
    growing = [
        partial(_Growing, begun=begun, tallies=tallies, solution=right, tries=each)
        for each in sorted({0, tries})
    ]
    return _overgrown(rng, begun, growing)


def overgrown_singles(rng: Random, begun: Owners) -> Owners | None:
    """The same by rules alone, where each row, column and region has one marked cell, and none
    touches another. The cores are these cells."""
    return _overgrown(rng, begun, [_Singles])


def _overgrown(
    rng: Random,
    begun: Owners,
    growing: Sequence[Callable[[Owners], "_Growing | _Singles"]],  # one after the other
) -> Owners | None:
    owners, fewest, patience = list(begun), len(begun), PATIENCE
    for attempt in range(ATTEMPTS):
        for each in growing:
            owners = _grown(rng, each(owners))
        left = owners.count(NOBODY)
        if not left:
            return owners
        patience = PATIENCE if left < fewest else patience - 1
        fewest = min(left, fewest)
        if patience < 0:
            return None
        _shrink(owners, begun, 1 + attempt % 3)
    return None


def _grown(rng: Random, growing: "_Growing | _Singles") -> Owners:
    owners = growing.owners
    weights = [exp(APPETITE * rng.random()) for _ in range(max(owners) + 1)]
    ways: list[tuple[int, int]] = []  # a cell, and a region that it could join
    chances: list[float] = []  # of each, the weight of its region
    # What may be marked in a region may be so as well once regions have grown.
    failed = set[tuple[int, int]]()
    beside_of = near(_side(owners))

    def reach(cell: int) -> None:
        owner = owners[cell]
        for beside in beside_of[cell]:
            if owners[beside] == NOBODY and (way := (beside, owner)) not in ways:
                ways.append(way)
                chances.append(weights[owner])

    for cell, owner in enumerate(owners):
        if owner != NOBODY:
            reach(cell)
    while ways:
        sums = [*accumulate(chances)]  # as `rng.choices` does
        at = bisect(sums, rng.random() * sums[-1], 0, len(sums) - 1)
        way = cell, owner = ways.pop(at)
        del chances[at]
        if way in failed:
            continue
        growing.join(cell, owner)
        if growing.may_be_marked(cell):
            growing.leave(cell)
            if not growing.tries:
                failed.add(way)
        else:
            if any(owners[beside] not in (NOBODY, owner) for beside in beside_of[cell]):
                ways = [other for other in ways if other[0] != cell]
                chances = [weights[number] for _, number in ways]
            reach(cell)
    return owners


class _Growing:
    """Regions that grow cell by cell, and the rules that hold for them.

    On a board where nothing is marked most rules say nothing. Those that do are known, so that a
    supposition need not look at all of them.
    """

    def __init__(
        self, owners: Owners, begun: Owners, tallies: Tallies, solution: Marks, tries: int
    ):
        """The tallies are those of the cores."""
        self.tries = tries  # suppositions that may show that a cell cannot be marked
        self.owners, self.tallies, self.solution = list(owners), tallies.copy(), solution
        size = len(owners)
        self.marks = sum(1 << at for at in range(size) if owners[at] != NOBODY), (1 << size) - 1
        for cell, owner in enumerate(owners):
            if owner != begun[cell]:
                self.tallies.resize(owner, cell)
        # Rules that touch every cell are looked at in any case.
        self.local = tallies.all & ~reduce(and_, tallies.touching)
        self.telling = self.told_before = self._telling(0, self.local)  # the bits of rules

    def join(self, cell: int, owner: int) -> None:
        self.owners[cell] = owner
        self.tallies.resize(owner, cell)
        self.marks = self.marks[0] | 1 << cell, self.marks[1]
        self.told_before = self.telling
        self.telling = self._telling(self.telling, self.tallies.touching[cell] & self.local)

    def leave(self, cell: int) -> None:
        """The last to join goes again."""
        owner, self.owners[cell] = self.owners[cell], NOBODY
        self.marks = self.marks[0] & ~(1 << cell), self.marks[1]
        self.tallies.resize(owner, cell)
        self.telling = self.told_before

    def may_be_marked(self, cell: int) -> bool:
        may, free = self.marks
        fresh = self.tallies.touching[cell] | self.telling
        trial = may | 1 << cell, free & ~(1 << cell)
        if not self.tries:
            return self.tallies.narrow(trial, fresh) is not None
        return _marks.rival_marks(self.tallies, trial, fresh, self.solution, self.tries) is not None

    def _telling(self, telling: int, rules: int) -> int:
        """The rules that say something, after a change to some. Each lets a cell be marked; as
        nothing is, it speaks up where no more cells than it needs may be."""
        may, _ = self.marks
        while rules:
            low = rules & -rules
            rules ^= low
            mask, _, least, _, head = self.tallies.tally(low)
            many = (may & mask).bit_count()
            if may & head and many < least if head else many <= least and least:
                telling |= low
            else:
                telling &= ~low
        return telling


class _Singles:
    """Regions that grow cell by cell, each with one marked cell, as each row and column has one."""

    tries = 0  # rules alone show that a cell cannot be marked

    def __init__(self, owners: Owners):
        self.owners, side = list(owners), _side(owners)
        self.clashes = _clashes(side)
        self.lines = [line for lines in _tallies.lines(side) for line in lines]
        self.regions = [0] * side  # their cells as bits
        for cell, owner in enumerate(owners):
            if owner != NOBODY:
                self.regions[owner] |= 1 << cell

    def join(self, cell: int, owner: int) -> None:
        self.owners[cell] = owner
        self.regions[owner] |= 1 << cell

    def leave(self, cell: int) -> None:
        self.regions[self.owners[cell]] ^= 1 << cell
        self.owners[cell] = NOBODY

    def may_be_marked(self, cell: int) -> bool:
        """Whether a line or region is left without a cell once those are marked that are the last
        of theirs."""
        owners, regions, clashes = self.owners, self.regions, self.clashes
        marked, before = 1 << cell, 0
        may = sum(regions) & ~(clashes[cell] | regions[owners[cell]])  # no cell is in two regions
        while marked != before:
            before = marked
            for group in (*regions, *self.lines):
                if not group & marked:
                    last = group & may
                    if not last:
                        return False
                    if not last & (last - 1):
                        marked |= last
                        at = last.bit_length() - 1
                        may &= ~(clashes[at] | regions[owners[at]])
        return True


@cache
def _clashes(side: int) -> list[int]:
    """For each cell the bits of those that share its row or column or touch it, and its own."""
    rows, columns = _tallies.lines(side)
    return [
        sum(1 << r * side + c for r, c in _cells.around(cell, side, side))
        | rows[cell[0]]
        | columns[cell[1]]
        for cell in _cells.cells(side, side)
    ]


def _tallied(cores: Owners, common: Sequence[Rule], region: Tally) -> Tallies:
    tallies = Tallies(len(cores))
    inside: list[list[int]] = [[] for _ in range(max(cores) + 1)]
    for cell, owner in enumerate(cores):
        if owner != NOBODY:
            inside[owner].append(cell)
    for cells in inside:
        tallies.add(tuple(cells), region)
    for rule in common:  # dearer than those of the regions, so they come last
        tallies.add(rule.cells, rule.narrow, rule.whole)
    return tallies


def _shrink(owners: Owners, begun: Owners, rings: int) -> None:
    """Take away what lies so near to a cell that is left over, and what then is cut off."""
    side = _side(owners)
    free = {cell for cell, owner in enumerate(owners) if owner == NOBODY}
    for _ in range(rings):
        free |= {beside for cell in free for beside in near(side)[cell]}
    kept = {
        cell
        for cell, owner in enumerate(owners)
        if owner != NOBODY and (begun[cell] != NOBODY or cell not in free)
    }
    held = [cell for cell in sorted(kept) if begun[cell] != NOBODY]
    reached = set(held)
    while held:
        cell = held.pop()
        for beside in near(side)[cell]:
            if beside in kept and beside not in reached and owners[beside] == owners[cell]:
                reached.add(beside)
                held.append(beside)
    for cell in range(len(owners)):
        if cell not in reached:
            owners[cell] = NOBODY


@cache
def near(side: int) -> tuple[tuple[int, ...], ...]:
    """For each cell of a board, those that share a side with it."""
    return tuple(
        tuple(row * side + column for row, column in _cells.beside(cell, side, side))
        for cell in _cells.cells(side, side)
    )


def in_rows(owners: Owners, side: int) -> _cells.Board[int]:
    """The regions by a number each, from 0, in the order in which they first appear."""
    return _cells.renumbered([owners[start : start + side] for start in range(0, side**2, side)])


def _side(owners: Owners) -> int:
    return isqrt(len(owners))


def _spread(rng: Random, side: int, seeds: Sequence[int]) -> Owners:
    """The whole board, cut into one region around each seed."""
    owners = [NOBODY] * side**2
    for number, cell in enumerate(seeds):
        owners[cell] = number
    border = list(seeds)
    while border:
        place = rng.randrange(len(border))
        free = [cell for cell in near(side)[border[place]] if owners[cell] == NOBODY]
        if not free:
            border[place] = border[-1]
            border.pop()
            continue
        cell = rng.choice(free)
        owners[cell] = owners[border[place]]
        border.append(cell)
    return owners


def _path(within: set[int], start: int, goal: int, side: int) -> list[int]:
    """A shortest way from one cell to another."""
    before = {start: start}
    waiting = [start]
    for cell in waiting:
        for other in near(side)[cell]:
            if other in within and other not in before:
                before[other] = cell
                waiting.append(other)
    way = [goal]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way
