"""Realms: the regions of a board, grown around marked cells so that nothing else can be marked.

Cells are numbered row by row from 0; a board of regions gives each cell the number of its region.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import exp, isqrt
from random import Random

from puzzlemill.generators import _cells
from puzzlemill.generators.grids import _marks
from puzzlemill.generators.grids._deduction import Rule, Rules, Values

Owners = list[int]
RuleOf = Callable[[int, tuple[int, ...]], Rule]  # that of a region, by its number and cells

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
    rule_of: RuleOf,
    tries: int = 0,
) -> Owners | None:
    """The cores grown over the board, where they have one solution, into regions that have it only.

    A cell joins a region only where rules, those of the board and those of the regions, show that
    it can never be marked there, or else so many suppositions do. Where cells are left over, the
    regions shrink around them, less or more, and grow once more; None where that does not help for
    a while.
    """
    growing = _Growing(begun, common, rule_of)
    if _marks.rival(growing.rules, growing.values, solution, TRIES) is not None:
        return None
    owners, fewest, patience = list(begun), len(begun), PATIENCE
    for attempt in range(ATTEMPTS):
        for more in sorted({0, tries}):
            owners = _grown(rng, _Growing(owners, common, rule_of), solution, more)
        left = owners.count(NOBODY)
        if not left:
            return owners
        patience = PATIENCE if left < fewest else patience - 1
        fewest = min(left, fewest)
        if patience < 0:
            return None
        _shrink(owners, begun, 1 + attempt % 3)
    return None


def _grown(rng: Random, growing: "_Growing", solution: Values, tries: int) -> Owners:
    owners = growing.owners
    weights = [exp(APPETITE * rng.random()) for _ in range(max(owners) + 1)]
    ways: list[tuple[int, int]] = []  # a cell, and a region that it could join

    def reach(cell: int) -> None:
        for beside in near(_side(owners))[cell]:
            way = beside, owners[cell]
            if owners[beside] == NOBODY and way not in ways:
                ways.append(way)

    for cell, owner in enumerate(owners):
        if owner != NOBODY:
            reach(cell)
    while ways:
        [way] = rng.choices(ways, [weights[number] for _, number in ways])
        ways.remove(way)
        cell, owner = way
        growing.join(cell, owner)
        if growing.may_be_marked(cell, solution, tries):
            growing.leave(cell)
        else:
            ways = [other for other in ways if other[0] != cell]
            reach(cell)
    return owners


class _Growing:
    """Regions that grow cell by cell, and the rules that hold for them.

    On a board where nothing is marked most rules say nothing. Those that do are known, so that a
    supposition need not look at all of them.
    """

    def __init__(self, owners: Owners, common: Sequence[Rule], rule_of: RuleOf):
        self.owners, self.rule_of = list(owners), rule_of
        self.values = [_marks.CLEAR if owner == NOBODY else _marks.OPEN for owner in owners]
        cells: list[list[int]] = [[] for _ in range(max(owners) + 1)]
        for cell, owner in enumerate(owners):
            if owner != NOBODY:
                cells[owner].append(cell)
        regions = [rule_of(number, tuple(inside)) for number, inside in enumerate(cells)]
        self.first = len(common)  # the number of the first region's rule
        self.rules = Rules(len(owners), (*common, *regions))
        self.telling: set[int] = set()
        self._look_at(range(len(self.rules.rules)))

    def join(self, cell: int, owner: int) -> None:
        number = self.first + owner
        self.rules.rules[number] = self.rule_of(owner, (*self.rules.rules[number].cells, cell))
        self.rules.touching[cell].append(number)
        self._set(cell, owner, _marks.OPEN)

    def leave(self, cell: int) -> None:
        """The last to join goes again."""
        owner, number = self.owners[cell], self.rules.touching[cell].pop()
        self.rules.rules[number] = self.rule_of(owner, self.rules.rules[number].cells[:-1])
        self._look_at([number])
        self._set(cell, NOBODY, _marks.CLEAR)

    def may_be_marked(self, cell: int, solution: Values, tries: int) -> bool:
        values = list(self.values)
        values[cell] = _marks.MARKED
        fresh = [*self.rules.touching[cell], *self.telling]
        return _marks.rival(self.rules, values, solution, tries, fresh) is not None

    def _set(self, cell: int, owner: int, value: int) -> None:
        self.owners[cell], self.values[cell] = owner, value
        self._look_at(self.rules.touching[cell])

    def _look_at(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            rule = self.rules.rules[number]
            values = [self.values[cell] for cell in rule.cells]
            if rule.narrow(values) == values:
                self.telling.discard(number)
            else:
                self.telling.add(number)


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
