"""Forcing: what must and what cannot be marked on a board, worked out one rule at a time.

Cells are numbered row by row from 0, and a set of cells is an integer: bit i for cell i. A board is
`marked` and `clear`, two such sets, that of a contradiction overlapping. `generate`s use it to see
that a board is settled, and `steps` to tell how; no `solve` and no `verify` knows of this file.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")

State: TypeAlias = tuple[int, int]  # cells that are marked, cells that are clear
# What else follows: cells to mark, cells to clear, and why. It says so by sets that overlap with
# what is known where the rules are broken.
Further: TypeAlias = Callable[[int, int], tuple[int, int, str]]

HANDFUL = 8  # clues that are first taken away at once
SOON = 6  # cells that may follow from a supposition before a shorter one is looked for


class Count(NamedTuple):  # taken apart a million times a second; a dataclass takes twice as long
    """Of some cells, at least and at most so many are marked."""

    cells: int
    least: int
    most: int
    name: str  # "row 3"
    when: int = 0  # a cell: the rule holds where it is marked


def _no_more(marked: int, clear: int) -> tuple[int, int, str]:
    return 0, 0, ""


@dataclass(frozen=True, slots=True)
class Rules:
    columns: int
    cells: int  # those that could be marked
    counts: tuple[Count, ...]
    mark: str  # "a star"
    blank: str  # "no star"
    further: Further = _no_more
    swapped: int = 0  # cells that are told of the other way round: clear as the mark

    def open(self, state: State) -> int:
        return self.cells & ~(state[0] | state[1])


def settle(
    rules: Rules, state: State = (0, 0), fresh: int = -1, lines: list[str] | None = None
) -> State:
    """All that follows by one rule after the other, where only the fresh cells are news."""
    marked, clear = state
    while not marked & clear:
        before = marked, clear
        open_ = ~(marked | clear)
        for cells, least, most, name, when in rules.counts:
            if not (cells & fresh or when & fresh):
                continue
            left = cells & open_
            least -= (some := (cells & marked).bit_count())
            if some > most or least > (more := left.bit_count()):
                # It fails; where it holds only if a cell is marked, that cell must be clear.
                new = (0, when) if when & ~marked else (cells | when, cells | when)
            elif not left or when & ~marked:
                continue
            elif some == most:
                new = 0, left
            elif least == more:
                new = left, 0
            else:
                continue
            known = marked, clear
            marked, clear = marked | new[0], clear | new[1]
            if known == (marked, clear):
                continue
            if lines is not None:
                lines.append(_told(rules, name, known, (marked, clear)))
            if marked & clear:
                return marked, clear
            open_ &= ~(new[0] | new[1])
            fresh |= new[0] | new[1]
        if before == (marked, clear):
            found, lost, why = rules.further(marked, clear)
            marked, clear = marked | found, clear | lost
            if before == (marked, clear):
                break
            if lines is not None:
                lines.append(_told(rules, why, before, (marked, clear)))
        fresh = (marked ^ before[0]) | (clear ^ before[1])
    return marked, clear


def confined(groups: Sequence[Count]) -> Further:
    """What follows where all that a group can still mark lies inside another group."""

    def further(marked: int, clear: int) -> tuple[int, int, str]:
        known = marked | clear
        needs = [
            (group.cells & ~known, group.least - (group.cells & marked).bit_count(), group.name)
            for group in groups
        ]
        for inner, least, name in needs:
            for outer, need, around in needs:
                if 0 < need <= least and not inner & ~outer and inner != outer:
                    return 0, outer & ~inner, f"{around}, of which {name} takes all"
        return 0, 0, ""

    return further


def fails(rules: Rules, state: State, depth: int) -> bool:
    """Whether suppositions, one inside another down to the depth, show a settled state wrong."""
    going = depth > 0
    while going and not state[0] & state[1]:
        going = False
        for cell in bits(rules.open(state)):
            for mark in (True, False) if cell & rules.open(state) else ():
                if fails(rules, settle(rules, supposed(state, cell, mark), cell), depth - 1):
                    state = settle(rules, supposed(state, cell, not mark), cell)
                    going = True
                    break
    return bool(state[0] & state[1])


def completed(rules: Rules, state: State, tries: int) -> int | None:
    """The marked cells of one way to complete a settled state; None where there is no way. Where
    the tries run out, those of a way begun."""
    waiting = [state]
    while waiting:
        state = waiting.pop()
        if state[0] & state[1]:
            continue
        tries -= 1
        if tries < 0 or not rules.open(state):
            return state[0]
        cell = _tightest(rules, state)
        for mark in (False, True):
            waiting.append(settle(rules, supposed(state, cell, mark), cell))
    return None


def rival(rules: Rules, solution: int, depth: int = 1) -> State | None:
    """How another solution could begin, or None where it is proved that there is none.

    Each cell that no rule settles is supposed to be other than in the solution. Where that fails,
    the cell is as in the solution; where it does not for any cell, a rival has begun.
    """
    state = settle(rules)
    left, begun = list(bits(rules.open(state))), None
    while left:
        waiting, left = left, []
        for cell in waiting:
            if not cell & rules.open(state):
                continue
            wrong = settle(rules, supposed(state, cell, not cell & solution), cell)
            if fails(rules, wrong, depth - 1):
                state = settle(rules, supposed(state, cell, bool(cell & solution)), cell)
            else:
                begun = wrong
                left.append(cell)
        if len(left) == len(waiting):
            return begun
    return None


def thinned(
    rng: Random, clues: Sequence[T], fewest: int, proves: Callable[[list[T]], bool]
) -> list[T] | None:
    """Clues that still prove the solution when others are taken away, several at once while that
    goes; never fewer than so many. None where not even all of them prove it."""
    waiting, handful = rng.sample(clues, len(clues)), HANDFUL
    needed: list[T] = []
    if not proves(waiting):
        return None
    while waiting and (spare := len(needed) + len(waiting) - fewest) > 0:
        handful = min(handful, spare, len(waiting))
        if proves(needed + waiting[handful:]):
            waiting = waiting[handful:]
            handful += 1
        elif handful > 1:
            handful //= 2
        else:
            needed.append(waiting.pop(0))
    return needed + waiting


def supposed(state: State, cell: int, mark: bool) -> State:
    return (state[0] | cell, state[1]) if mark else (state[0], state[1] | cell)


def worked(rules: Rules, depth: int = 1) -> list[str]:
    """The forced cells in order; where rules say no more, a supposition that fails."""
    lines: list[str] = []
    state = settle(rules, lines=lines)
    while rules.open(state) and (found := _refuted(rules, state, depth, lines)):
        state = found
    return lines


def bits(cells: int) -> Iterator[int]:
    """The cells of a set, each as a set of its own, in order."""
    while cells:
        cell = cells & -cells
        yield cell
        cells ^= cell


def numbers(cells: int) -> list[int]:
    return [cell.bit_length() - 1 for cell in bits(cells)]


def spread(start: int, within: int, rows: int, columns: int) -> int:
    """The cells that hang together with those at the start, side by side."""
    found, edge = start, start
    while edge:
        edge = beside(edge, rows, columns) & within & ~found
        found |= edge
    return found


def beside(cells: int, rows: int, columns: int) -> int:
    """The cells that share a side with one of these; some of these may be among them."""
    everything, first, last = _edges(rows, columns)
    across = (cells & ~first) >> 1 | (cells & ~last) << 1
    return across | cells >> columns | cells << columns & everything


@cache
def _edges(rows: int, columns: int) -> tuple[int, int, int]:
    """All cells, those of the first column and those of the last."""
    first = sum(1 << row * columns for row in range(rows))
    return (1 << rows * columns) - 1, first, first << columns - 1


def set_of(cells: list[tuple[int, int]], columns: int) -> int:
    return sum(1 << row * columns + column for row, column in cells)


def _tightest(rules: Rules, state: State) -> int:
    """An open cell of the rule that leaves the fewest to choose from."""
    left, marked = rules.open(state), state[0]
    best, fewest = left, left.bit_count() + 1
    for cells, least, _, _, when in rules.counts:
        if not when & ~marked and (cells & marked).bit_count() < least:
            some = (cells & left).bit_count()
            if 0 < some < fewest:
                best, fewest = cells & left, some
    return best & -best


def _refuted(rules: Rules, state: State, depth: int, lines: list[str]) -> State | None:
    """What follows when a supposition has failed: the one that fails soonest, of those of least
    depth. None where none fails."""
    for deep in range(depth):
        soonest: tuple[int, int, bool] | None = None
        for cell in bits(rules.open(state)):
            for mark in (True, False):
                wrong = settle(rules, supposed(state, cell, mark), cell)
                if fails(rules, wrong, deep):
                    length = (wrong[0] | wrong[1]).bit_count()
                    soonest = min(soonest or (length, cell, mark), (length, cell, mark))
            if soonest and (deep or soonest[0] < (state[0] | state[1]).bit_count() + SOON):
                break
        if soonest:
            _, cell, mark = soonest
            return _narrated(rules, state, cell, mark, deep, lines)
    return None


def _narrated(
    rules: Rules, state: State, cell: int, mark: bool, depth: int, lines: list[str]
) -> State:
    lines.append(f"suppose {_said(rules, supposed((0, 0), cell, mark))}")
    wrong: State | None = settle(rules, supposed(state, cell, mark), cell, lines)
    while wrong and not wrong[0] & wrong[1]:
        wrong = _refuted(rules, wrong, depth, lines)
    lines.append(f"so {_said(rules, supposed((0, 0), cell, not mark))}")
    return settle(rules, supposed(state, cell, not mark), cell, lines)


def _told(rules: Rules, name: str, before: State, after: State) -> str:
    if after[0] & after[1]:
        return f"{name}: cannot be right any more"
    return f"{name}: {_said(rules, (after[0] & ~before[0], after[1] & ~before[1]))}"


def _said(rules: Rules, state: State) -> str:
    marked, clear = state
    marks = marked & ~rules.swapped | clear & rules.swapped
    blanks = clear & ~rules.swapped | marked & rules.swapped
    parts = [
        f"{word} at {_where(rules, cells)}"
        for word, cells in ((rules.mark, marks), (rules.blank, blanks))
        if cells
    ]
    return " and ".join(parts)


def _where(rules: Rules, cells: int) -> str:
    places = (divmod(number, rules.columns) for number in numbers(cells))
    return ", ".join(f"({row + 1}, {column + 1})" for row, column in places)
