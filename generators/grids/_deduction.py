"""Deduction on boards: cells, the values that each may still have, and rules that narrow them.

A set of values is an integer with bit v for value v; cells are numbered from 0, row by row. What
deduction alone leaves open is decided by supposing a value and going on. Generators choose clues by
it, and worked solutions are its traces.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from operator import itemgetter
from typing import TypeAlias

from puzzlemill.generators.grids import _tallies
from puzzlemill.generators.grids._tallies import Tallies, Whole

Values: TypeAlias = _tallies.Values  # for each cell, the set of its possible values
Narrow: TypeAlias = _tallies.Narrow


@dataclass(frozen=True, slots=True)
class Rule:
    cells: tuple[int, ...]
    narrow: Narrow
    says: str  # what a worked solution calls it
    whole: Whole | None = None  # what all rules of its kind say together, on a board of marks


class Rules:
    """`marks`: whether each cell is marked or clear, so that all rules may be applied at once."""

    def __init__(self, cells: int, rules: Iterable[Rule] = (), marks: bool = False) -> None:
        self.marks = marks
        self.rules: list[Rule] = []
        self.numbers: Sequence[int] = []  # of the rules that hold
        self.touching: list[list[int]] = [[] for _ in range(cells)]
        self._around = [0] * cells  # the same, a bit for each rule
        self._picks: list[Callable[[Values], Iterable[int]]] = []  # of each rule's cells
        self._tallies: Tallies | None = None
        for rule in rules:
            self.add(rule)

    def add(self, rule: Rule) -> int:
        number = len(self.rules)
        self.rules.append(rule)
        self.numbers = range(len(self.rules))
        self._picks.append(_picking(rule.cells))
        for cell in rule.cells:
            self.touching[cell].append(number)
            self._around[cell] |= 1 << number
        self._tallies = None
        return number

    def copy(self) -> "Rules":
        """One that can be added to."""
        found = Rules(0, marks=self.marks)
        found.rules, found._picks = list(self.rules), list(self._picks)
        found.numbers, found._around = self.numbers, list(self._around)
        found.touching = [list(numbers) for numbers in self.touching]
        return found

    def tallies(self) -> Tallies:
        """The rules of a board whose cells are marked or clear, to be applied to all at once."""
        if self._tallies is None:
            self._tallies = Tallies(len(self.touching))
            for rule in self.rules:
                self._tallies.add(rule.cells, rule.narrow, rule.whole)
        return self._tallies

    def narrow(
        self,
        values: Values,
        fresh: Iterable[int] | None = None,
        found: Callable[[int, Rule], object] | None = None,
    ) -> bool:
        """Apply rules, the fresh ones first, until none says more; False at a contradiction.

        `found` is told of each cell that comes down to one value, and the rule that did it.
        """
        if not found:
            return (self._narrow_marks if self.marks else self._narrow_soon)(values, fresh)
        waiting = deque(self.numbers if fresh is None else fresh)
        queued = set(waiting)
        while waiting:
            number = waiting.popleft()
            queued.discard(number)
            rule = self.rules[number]
            before = [values[cell] for cell in rule.cells]
            after = rule.narrow(before)
            if after is None:
                return False
            if after == before:
                continue
            for cell, old, new in zip(rule.cells, before, after):
                if new == old:
                    continue
                if not new:
                    return False
                values[cell] = new
                if not new & (new - 1):
                    found(cell, rule)
                for other in self.touching[cell]:
                    if other not in queued:
                        queued.add(other)
                        waiting.append(other)
        return True

    def _narrow_soon(self, values: Values, fresh: Iterable[int] | None) -> bool:
        """The same in rounds, where nobody asks which rule said what: no rule's turn matters."""
        rules, picks, around, waiting = self.rules, self._picks, self._around, 0
        for number in self.numbers if fresh is None else fresh:
            waiting |= 1 << number
        while waiting:
            turn, waiting = waiting, 0
            while turn:
                low = turn & -turn
                turn ^= low
                number = low.bit_length() - 1
                rule = rules[number]
                before = [*picks[number](values)]
                after = rule.narrow(before)
                if after is None:
                    return False
                if after is before or after == before:
                    continue
                for cell, old, new in zip(rule.cells, before, after):
                    if new != old:
                        if not new:
                            return False
                        values[cell] = new
                        waiting |= around[cell]
                waiting &= ~turn  # these have their turn still
        return True

    def _narrow_marks(self, values: Values, fresh: Iterable[int] | None) -> bool:
        tallies = self.tallies()
        marks = tallies.narrow(_tallies.packed(values), tallies.fresh(fresh))
        if marks is None:
            return False
        values[:] = _tallies.unpacked(marks, len(values))
        return True

    def narrow_around(self, values: Values, cell: int) -> bool:
        """The same, after a change of one cell."""
        return self.narrow(values, self.touching[cell])

    def show(self, values: Values, full: Sequence[int], cells: Sequence[int]) -> set[int]:
        """Give cells their values; the rules that this concerns."""
        for cell in cells:
            values[cell] = 1 << full[cell]
        return {number for cell in cells for number in self.touching[cell]}

    def settles(self, values: Values, suppositions: int, only: Iterable[int] | None = None) -> bool:
        """Whether one completion, and no more, is shown within so many suppositions, by all rules
        or by some only."""
        return self.completions(values, suppositions, only) == 1

    def singles_out(
        self,
        values: Values,
        full: Sequence[int],
        suppositions: int,
        fresh: Iterable[int] | None = None,
    ) -> bool:
        """What `settles` says of values that leave one completion at least, which is known. Its
        branches come first: they tell how many others there are to try, and what lies beside them
        is where another completion is found soonest. Rules that are not fresh say nothing yet."""
        board, made = list(values), 0
        waiting: list[tuple[Values, int, int]] = []  # a cell of a board, and a value to suppose
        while True:
            self.narrow(board, fresh)
            cell = tightest(board)
            if cell is None:
                break
            made += 1
            waiting += [(board, cell, each) for each in members(board[cell]) if each != full[cell]]
            if made + len(waiting) > suppositions:
                return False
            board, fresh = list(board), self.touching[cell]
            board[cell] = 1 << full[cell]
        while waiting:
            board, cell, value = waiting.pop()
            made += 1
            trial = list(board)
            trial[cell] = 1 << value
            if not self.narrow(trial, self.touching[cell]):
                continue
            other = tightest(trial)
            if other is None:
                return False
            waiting += [(trial, other, each) for each in members(trial[other])]
            if made + len(waiting) > suppositions:
                return False
        return True

    def needed(
        self, values: Values, full: Sequence[int], shown: list[int], spare: int, suppositions: int
    ) -> list[int]:
        """Of cells that are shown, those that stay when one after the other is hidden, so many at
        most, where the rest still singles out the full board. The values are what follows without
        these cells; what follows from half of them is found once for all trials in the other half.
        """
        if spare <= 0 or not shown:
            return shown
        if len(shown) == 1:
            return [] if self.singles_out(values, full, suppositions, ()) else shown
        first, second = shown[: len(shown) // 2], shown[len(shown) // 2 :]
        kept = self.needed(self._showing(values, full, second), full, first, spare, suppositions)
        spare -= len(first) - len(kept)
        known = self._showing(values, full, kept)
        return kept + self.needed(known, full, second, spare, suppositions)

    def _showing(self, values: Values, full: Sequence[int], cells: Sequence[int]) -> Values:
        values = list(values)
        self.narrow(values, self.show(values, full, cells))
        return values

    def completions(
        self, values: Values, suppositions: int | None, only: Iterable[int] | None = None
    ) -> int | None:
        """How many completions there are, 2 for more; None if that takes too many suppositions,
        which is known as soon as those that are still to be made are too many."""
        most = inf if suppositions is None else suppositions
        if self.marks:
            tallies = self.tallies() if only is None else self.tallies().only(only)
            return _tallies.completions(tallies, _tallies.packed(values), most)
        counter = _Counter(self if only is None else self._only(set(only)), most)
        counter.search(list(values), None)
        return counter.complete if counter.left >= 0 else None

    def _only(self, kept: set[int]) -> "Rules":
        fewer = Rules(0)
        fewer.rules, fewer._picks = self.rules, self._picks
        fewer.numbers = sorted(kept)
        fewer.touching = [[number for number in each if number in kept] for each in self.touching]
        bits = sum(1 << number for number in kept)
        fewer._around = [around & bits for around in self._around]
        return fewer


class _Counter:
    """Counts completions up to two, until the suppositions run out or are sure to."""

    def __init__(self, rules: Rules, suppositions: float) -> None:
        self.rules, self.left, self.complete = rules, suppositions, 0

    def search(self, values: Values, changed: int | None, owed: int = 0) -> None:
        """Besides this one, so many suppositions must be made in any case."""
        fresh = None if changed is None else self.rules.touching[changed]
        if not self.rules.narrow(values, fresh):
            return
        cell = tightest(values)
        if cell is None:
            self.complete += 1
            return
        choices = members(values[cell])
        owed += len(choices)
        for value in choices:
            self.left, owed = self.left - 1, owed - 1
            if self.left < owed:
                self.left = -1
            if self.left < 0 or self.complete > 1:
                return
            trial = list(values)
            trial[cell] = 1 << value
            self.search(trial, cell, owed)


def remembered(narrow: Narrow) -> Narrow:
    """A rule's function that keeps what it has found, for a puzzle on which it is asked often."""
    known: dict[tuple[int, ...], Values | None] = {}

    def narrowed(values: Values) -> Values | None:
        key = tuple(values)
        try:
            return known[key]
        except KeyError:
            known[key] = found = narrow(values)
            return found

    return narrowed


@lru_cache(maxsize=1 << 12)
def _picking(cells: tuple[int, ...]) -> Callable[[Values], Iterable[int]]:
    """Takes some of the cells; a third of the time of a comprehension."""
    if len(cells) > 1:
        return itemgetter(*cells)
    return lambda values: [values[cell] for cell in cells]


def tightest(values: Sequence[int]) -> int | None:
    """The first of the undecided cells with the fewest values."""
    best, least = None, 0
    for cell, mask in enumerate(values):
        if mask & (mask - 1):
            size = mask.bit_count()
            if best is None or size < least:
                best, least = cell, size
                if size == 2:
                    break
    return best


@lru_cache(maxsize=1 << 12)
def members(mask: int) -> tuple[int, ...]:
    return tuple(value for value in range(mask.bit_length()) if mask >> value & 1)


def named(columns: int) -> Callable[[int], str]:
    """How a worked solution calls the cells of a board with so many columns."""
    return lambda cell: f"row {cell // columns + 1} column {cell % columns + 1}"


def undecided(values: Sequence[int]) -> list[int]:
    return [cell for cell, mask in enumerate(values) if mask & (mask - 1)]


def each_once(values: Values) -> Values | None:
    """As many values as cells: what a cell has, no other has; what has one place stands there."""
    taken = once = twice = 0  # values that a cell has, and that one or two others may have
    for value in values:
        if value & (value - 1):
            twice |= once & value
            once |= value
        elif taken & value:
            return None
        else:
            taken |= value
    if (once | taken).bit_count() < len(values):
        return None
    if once & taken:
        values = [value & ~taken if value & (value - 1) else value for value in values]
    hidden = once & ~twice & ~taken
    if not hidden:
        return values
    found = []
    for value in values:
        own = value & hidden
        if own & (own - 1):
            return None
        found.append(own or value)
    return found


def worked(rules: Rules, values: Values, name: Callable[[int], str]) -> list[str]:
    """How the cells are filled one by one; where rules say no more, a supposition and its end."""
    lines: list[str] = []
    _work(rules, list(values), None, name, lines)
    return lines


def _work(
    rules: Rules,
    values: Values,
    fresh: Iterable[int] | None,
    name: Callable[[int], str],
    lines: list[str],
) -> bool:
    def note(cell: int, rule: Rule) -> None:
        lines.append(f"{name(cell)} = {values[cell].bit_length() - 1}: {rule.says}")

    if not rules.narrow(values, fresh, note):
        return False
    cell = tightest(values)
    if cell is None:
        return True
    for value in members(values[cell]):
        lines.append(f"suppose {name(cell)} = {value}")
        trial = list(values)
        trial[cell] = 1 << value
        if _work(rules, trial, rules.touching[cell], name, lines):
            return True
        lines.append(f"that ends in a contradiction: {name(cell)} is not {value}")
    return False
