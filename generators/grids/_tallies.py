"""Tallies: rules that count marked cells, applied to a whole board held in two integers.

A cell is clear (1), marked (2) or open (3). The integers have a bit for each cell: whether it may
be marked, and whether it may be clear. A rule is then two populations, where lists take a
comparison a cell. Rules that are no tallies get the values of their cells as ever.

What follows from rules does not depend on the order in which they are looked at, as long as each
says no less where less is open. So this gives what `_deduction.Rules.narrow` does.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

CLEAR, MARKED, OPEN = 0b01, 0b10, 0b11

Values = list[int]  # for each cell, the set of its possible values
# From the sets of a rule's cells to narrower ones, or to None where the rule cannot be kept.
Narrow = Callable[[Values], Values | None]
Marks: TypeAlias = tuple[int, int]  # the cells that may be marked, and those that may be clear
# The mask of the cells, how many they are, the least and the most of them that are marked, and the
# bit of the cell that must be marked for that to hold, if any.
Entry: TypeAlias = tuple[int, int, int, int, int]
# The cells, and the function that narrows their values.
Other: TypeAlias = tuple[tuple[int, ...], Narrow]
# What a rule that holds for every cell makes of the board; None at a contradiction.
Whole: TypeAlias = Callable[[int, int], Marks | None]

_MAY_BE_MARKED = bytes(48 + (value >> 1 & 1) for value in range(256))  # to the digits 0 and 1
_MAY_BE_CLEAR = bytes(48 + (value & 1) for value in range(256))


@dataclass(frozen=True, slots=True)
class Tally:
    """At least and at most so many of the cells are marked; with `given`, of all but the first,
    where that one is marked."""

    least: int
    most: int
    given: bool = False

    def __call__(self, values: Values) -> Values | None:
        if not self.given:
            return self._counted(values)
        if values[0] == CLEAR:
            return values
        after = self._counted(values[1:])
        if after is None:
            return [values[0] & CLEAR, *values[1:]]
        return [MARKED, *after] if values[0] == MARKED else values

    def _counted(self, values: Values) -> Values | None:
        marked, open_ = values.count(MARKED), values.count(OPEN)
        if marked > self.most or marked + open_ < self.least:
            return None
        if open_ and marked == self.most:
            return [CLEAR if value == OPEN else value for value in values]
        if open_ and marked + open_ == self.least:
            return [MARKED if value == OPEN else value for value in values]
        return values

    def entry(self, cells: Sequence[int]) -> Entry:
        first, rest = (cells[0], cells[1:]) if self.given else (None, cells)
        mask = sum(1 << cell for cell in rest)
        return mask, len(rest), self.least, self.most, 0 if first is None else 1 << first


class Tallies:
    """The rules of a board, each a bit; `touching` are those of each cell."""

    def __init__(self, cells: int) -> None:
        self.cells = cells
        self.entries: list[Entry | Other | tuple[Whole]] = []
        self.bits: list[int] = []  # of each rule; those that are applied at once have one
        self.touching = [0] * cells
        self.all = 0  # the bits of all rules

    def add(
        self, cells: tuple[int, ...], narrow: Narrow | None, whole: Whole | None = None
    ) -> None:
        """`whole`: what this rule and all others of its kind say together, once for all."""
        bit = 1 << len(self.entries)
        if whole and (whole,) in self.entries:
            bit = 1 << self.entries.index((whole,))
        elif whole:
            self.entries.append((whole,))
        elif isinstance(narrow, Tally):
            self.entries.append(narrow.entry(cells))
        elif narrow:
            self.entries.append((cells, narrow))
        self.bits.append(bit)
        self.all |= bit
        for cell in cells:
            self.touching[cell] |= bit

    def copy(self) -> "Tallies":
        """One that can be added to."""
        found = Tallies(self.cells)
        found.entries, found.bits, found.all = list(self.entries), list(self.bits), self.all
        found.touching = list(self.touching)
        return found

    def resize(self, number: int, cell: int) -> None:
        """A tally that counts one cell more, or that one no more."""
        mask, size, least, most, head = self.tally(1 << number)
        mask ^= 1 << cell
        self.entries[number] = mask, size + (1 if mask >> cell & 1 else -1), least, most, head
        self.touching[cell] ^= 1 << number

    def recount(self, number: int, many: int) -> None:
        """A tally that asks for another number."""
        mask, size, _, _, head = self.tally(1 << number)
        self.entries[number] = mask, size, many, many, head

    def only(self, numbers: Iterable[int]) -> "Tallies":
        """The same without the other rules."""
        return self.within(self.fresh(numbers))

    def within(self, kept: int) -> "Tallies":
        """The rules of which there are bits."""
        fewer = Tallies(self.cells)
        fewer.entries, fewer.bits, fewer.all = self.entries, self.bits, kept
        fewer.touching = [bits & kept for bits in self.touching]
        return fewer

    def fresh(self, numbers: Iterable[int] | None) -> int:
        """The bits of rules; of all, where none are named."""
        if numbers is None:
            return self.all
        bits = 0
        for number in numbers:
            bits |= self.bits[number]
        return bits

    def tally(self, bit: int) -> Entry:
        entry = self.entries[bit.bit_length() - 1]
        assert len(entry) == 5, "no tally"
        return entry

    def narrow(self, marks: Marks, waiting: int, solution: Marks | None = None) -> Marks | None:
        """What follows, by the rules that wait and those of every cell that changes; None at a
        contradiction. What is known to be a solution keeps all rules."""
        entries, touching = self.entries, self.touching
        may, free = marks  # be marked; be clear
        while waiting:
            low = waiting & -waiting
            waiting ^= low
            entry = entries[low.bit_length() - 1]
            if len(entry) < 3:
                if (may, free) == solution:
                    break
                after = entry[0](may, free) if len(entry) == 1 else _narrowed(entry, may, free)
                if after is None:
                    return None
                changed = (may ^ after[0]) | (free ^ after[1])
                may, free = after
                own = 0  # it may have more to say
            else:
                mask, size, least, most, head = entry
                if head and not may & head:
                    continue
                here = may & mask
                most_marked = here.bit_count()
                surely = size - (free & mask).bit_count()
                if surely > most or most_marked < least:
                    if not head or not free & head:
                        return None
                    changed = head
                    may ^= head
                elif most_marked == surely or head & free:
                    continue
                elif surely == most:
                    changed = here & free
                    may ^= changed
                elif most_marked == least:
                    changed = here & free
                    free ^= changed
                else:
                    continue
                own = low
            while changed:
                bit = changed & -changed
                changed ^= bit
                waiting |= touching[bit.bit_length() - 1]
            waiting &= ~own
        return may, free


def completions(tallies: Tallies, start: Marks, suppositions: float) -> int | None:
    """How many completions there are, 2 for more; None if that takes too many suppositions, those
    included that wait to be made."""
    complete, waiting = 0, [(start, tallies.all)]
    supposed = -1  # the start is none
    while waiting and complete < 2:
        if supposed + len(waiting) > suppositions:
            return None
        supposed += 1
        marks = tallies.narrow(*waiting.pop())
        if marks is None:
            continue
        may, free = marks
        open_ = may & free
        if not open_:
            complete += 1
            continue
        bit = open_ & -open_  # the first open cell
        touched = tallies.touching[bit.bit_length() - 1]
        waiting += [((may, free & ~bit), touched), ((may & ~bit, free), touched)]
    return complete


@cache
def lines(side: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The rows and the columns of a board, their cells as bits."""
    row, column = (1 << side) - 1, sum(1 << side * step for step in range(side))
    return (
        tuple(row << side * number for number in range(side)),
        tuple(column << number for number in range(side)),
    )


def packed(values: Sequence[int]) -> Marks:
    plain = bytes(values)[::-1]
    return int(plain.translate(_MAY_BE_MARKED), 2), int(plain.translate(_MAY_BE_CLEAR), 2)


def unpacked(marks: Marks, cells: int) -> Values:
    marked, clear = (format(mask, f"0{cells}b").encode() for mask in marks)
    return [(one & 1) << 1 | two & 1 for one, two in zip(marked[::-1], clear[::-1])]


@cache
def _edges(side: int) -> tuple[int, int, int]:
    """All cells of a square board, those but the first of each row, and those but the last."""
    full = (1 << side**2) - 1
    first = sum(1 << row * side for row in range(side))
    return full, full & ~first, full & ~(first << side - 1)


@cache
def across(side: int) -> Callable[[int], int]:
    """For cells of a square board, in bits, those to the left and right of any of them."""
    _, not_first, not_last = _edges(side)
    return lambda cells: (cells & not_last) << 1 | (cells & not_first) >> 1


@cache
def beside(side: int) -> Callable[[int], int]:
    """Those that share a side with any of them."""
    full, not_first, not_last = _edges(side)
    return lambda cells: (
        (cells << side | cells >> side | (cells & not_last) << 1 | (cells & not_first) >> 1) & full
    )


@cache
def apart(side: int, corners: bool = False) -> Whole:
    """No two marked cells share a side, or, where that counts, a corner."""
    full, level = (1 << side**2) - 1, across(side)

    def narrow(may: int, free: int) -> Marks | None:
        sure = may & ~free
        if not sure:
            return may, free
        near = level(sure)
        ends = near | sure if corners else sure
        near |= (ends << side | ends >> side) & full
        return None if near & sure else (may & ~near, free)

    return narrow


@cache
def connected(side: int, kind: int) -> Whole:
    """The cells of one kind, marked or clear, hang together: none is cut off, and an open cell that
    alone joins two of them is one of them."""
    flooded, pinched = flooding(side), _pinched(side)
    _, not_first, not_last = _edges(side)

    def narrow(may: int, free: int) -> Marks | None:
        here, other = (may, free) if kind == MARKED else (free, may)
        sure = here & ~other
        if not sure:
            return may, free
        reached = flooded(sure & -sure, here)
        if sure & ~reached:
            return None
        here &= reached
        if sure & (sure - 1):  # more than one
            open_ = here & other
            doubtful = pinched(here) & open_
            while doubtful:
                bit = doubtful & -doubtful
                doubtful ^= bit
                rest = here ^ bit
                near = bit << side | bit >> side | (bit & not_last) << 1 | (bit & not_first) >> 1
                near &= rest
                # Most often there is a short way round, from each cell beside it to the others.
                piece = flooded(near & -near, rest, near)
                if near & ~piece:
                    if not sure & piece:
                        piece = flooded(sure & -sure, rest, sure)
                    if sure & ~piece:
                        other ^= bit
        return (here, other) if kind == MARKED else (other, here)

    return narrow


@cache
def flooding(side: int) -> Callable[..., int]:
    """For cells of a square board, in bits, those of some that hang together with a few."""
    _, not_first, not_last = _edges(side)

    def flooded(start: int, within: int, goal: int = -1) -> int:
        """The cells that hang together with some; where there is a goal, perhaps no more than has
        all of that. Each round goes up and down and then across, so that it turns a corner."""
        found, before = start, 0
        while found != before and goal & ~found:
            before = found
            found |= (found << side | found >> side) & within
            found |= ((found & not_last) << 1 | (found & not_first) >> 1) & within
        return found

    return flooded


@cache
def _pinched(side: int) -> Callable[[int], int]:
    """The cells of some, in bits, whose neighbours among them do not hang together around them:
    only these can be needed to hold the rest together."""
    full, not_first, not_last = _edges(side)

    def pinched(cells: int) -> int:
        up, down = cells << side & full, cells >> side
        left, right = (cells & not_last) << 1, (cells & not_first) >> 1
        # For each side, whether one can go on from there around the corner that follows. Of those
        # that hang together all but the last can.
        corners = (
            up & right & ((up & not_first) >> 1),
            right & down & ((down & not_first) >> 1),
            down & left & ((down & not_last) << 1),
            left & up & ((up & not_last) << 1),
        )
        some = two = 0
        for there, corner in zip((up, right, down, left), corners):
            end = there & ~corner
            two |= some & end
            some |= end
        return two & cells

    return pinched


@cache
def no_blocks(side: int) -> Whole:
    """No 2x2 block is marked."""
    full = (1 << side**2) - 1
    corners = full & ~(sum(1 << row * side for row in range(side)) << side - 1)  # not last in a row

    def narrow(may: int, free: int) -> Marks | None:
        sure = may & ~free
        level = sure & sure >> 1 & corners  # marked, and so is the cell to the right
        if level & level >> side:
            return None
        one = (sure ^ sure >> 1) & corners  # one of the two is
        three = level & one >> side | one & level >> side
        block = three | three << 1 | (three | three << 1) << side
        return may & ~(block & free), free

    return narrow


@cache
def paired(side: int) -> Whole:
    """Each marked cell shares a side with exactly one other."""
    full, not_first, not_last = _edges(side)
    spread = beside(side)

    def narrow(may: int, free: int) -> Marks | None:
        sure = may & ~free
        up, down = may >> side, may << side & full
        left, right = (may & not_first) >> 1, (may & not_last) << 1
        upright, level = up | down, left | right
        if not sure:
            return may & (upright | level), free
        several = up & down | left & right | upright & level  # beside at least two that may be
        may &= upright | level
        up, down = sure >> side, sure << side & full
        left, right = (sure & not_first) >> 1, (sure & not_last) << 1
        upright, level = up | down, left | right
        may &= ~(up & down | left & right | upright & level)
        if sure & ~may:
            return None
        open_ = may & free
        if open_:
            may &= ~(spread(sure & (upright | level)) & open_)
            free &= ~(spread(sure & ~several) & may)
        return may, free

    return narrow


def _narrowed(rule: Other, may: int, free: int) -> Marks | None:
    cells, narrow = rule
    before = [(may >> cell & 1) << 1 | free >> cell & 1 for cell in cells]
    after = narrow(before)
    if after is None:
        return None
    if after != before:
        for cell, old, new in zip(cells, before, after):
            if new != old:
                if not new:
                    return None
                if not new & MARKED:
                    may &= ~(1 << cell)
                if not new & CLEAR:
                    free &= ~(1 << cell)
    return may, free
