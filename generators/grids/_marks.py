"""Marks: rules of deduction for boards whose cells are marked or clear, and what follows by search.

A value is CLEAR, MARKED or OPEN (either), as in the sets of values of `_deduction`. `generate`s see
by it that a board is settled, and `steps` tell how; no `solve` and no `verify` knows of this file.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import groupby
from random import Random
from typing import TypeVar

from puzzlemill.generators import _cells
from puzzlemill.generators.grids import _deduction
from puzzlemill.generators.grids._deduction import Narrow, Rule, Rules, Values

T = TypeVar("T")
Said = Callable[[list[int], int], str]  # cells of one value in words: "star at (1, 2), (3, 4)"

CLEAR, MARKED, OPEN = 0b01, 0b10, 0b11

HANDFUL = 8  # clues that are first taken away at once
SOON = 4  # cells that may follow from a supposition before a shorter one is looked for


@cache
def counted(least: int, most: int) -> Narrow:
    """At least and at most so many of the cells are marked."""

    def narrow(values: Values) -> Values | None:
        marked, open_ = values.count(MARKED), values.count(OPEN)
        if marked > most or marked + open_ < least:
            return None
        if open_ and marked == most:
            return [CLEAR if value == OPEN else value for value in values]
        if open_ and marked + open_ == least:
            return [MARKED if value == OPEN else value for value in values]
        return values

    return narrow


@cache
def counted_if(least: int, most: int) -> Narrow:
    """The same of all cells but the first, where that one is marked."""
    within = counted(least, most)

    def narrow(values: Values) -> Values | None:
        if values[0] == CLEAR:
            return values
        after = within(values[1:])
        if after is None:
            return [values[0] & CLEAR, *values[1:]]
        return [MARKED, *after] if values[0] == MARKED else values

    return narrow


@cache
def connected(rows: int, columns: int, kind: int) -> Narrow:
    """The cells of one kind, marked or clear, hang together: none is cut off, and an open cell that
    alone joins two of them is one of them."""
    near = [
        [down * columns + right for down, right in _cells.beside(cell, rows, columns)]
        for cell in _cells.cells(rows, columns)
    ]

    def narrow(values: Values) -> Values | None:
        if kind not in values:
            return values
        reached, joints = _explored(near, values, kind)
        found = [OPEN ^ kind] * len(values)
        for cell in reached:
            found[cell] = values[cell]
        if found.count(kind) < values.count(kind):
            return None
        for cell in joints:
            found[cell] = kind
        return found

    return narrow


def _explored(
    near: Sequence[Sequence[int]], values: Values, kind: int
) -> tuple[list[int], list[int]]:
    """The cells that hang together with the first of a kind, and those among them that are needed
    for that: in a depth-first search, no way leads past them out of a part that holds the kind."""
    never = len(values) + 1
    order = [0 if value & kind else never for value in values]  # numbers from 1 on
    reached: list[int] = []
    joints: list[int] = []

    def visit(cell: int) -> tuple[int, bool]:
        """The lowest number that is beside the part from here on, and whether that part holds the
        kind."""
        reached.append(cell)
        lowest = own = order[cell] = len(reached)
        holds = values[cell] == kind
        for other in near[cell]:
            if seen := order[other]:
                if seen < lowest:
                    lowest = seen
            else:
                low, held = visit(other)
                if held:
                    holds = True
                    if low >= own:
                        joints.append(cell)
                if low < lowest:
                    lowest = low
        return lowest, holds

    visit(values.index(kind))
    return reached, joints


@cache
def apart_and_connected(side: int) -> tuple[Rule, ...]:
    """Marked cells share no side, and the clear ones of a square board hang together."""
    apart = [
        Rule(
            (
                row * side + column,
                *(r * side + c for r, c in _cells.beside((row, column), side, side)),
            ),
            counted_if(0, 0),
            f"the cells beside ({row + 1}, {column + 1})",
        )
        for row, column in _cells.cells(side, side)
    ]
    together = connected(side, side, CLEAR)
    return (*apart, Rule(tuple(range(side**2)), together, "the rest hangs together"))


def rival(
    rules: Rules,
    values: Values,
    solution: Values,
    tries: int,
    fresh: Iterable[int] | None = None,
) -> Values | None:
    """A completion other than the solution, or None where there is none; where the tries run out,
    one that is not complete. Rules that are not fresh, where some are named, say nothing yet."""
    waiting = [(list(values), fresh)]
    while waiting:
        values, fresh = waiting.pop()
        if not rules.narrow(values, fresh):
            continue
        cell = _deduction.tightest(values)
        if cell is None:
            if values != solution:
                return values
            continue
        tries -= 1
        if tries < 0:
            return values
        # What is not as in the solution comes last here, and so is looked at first.
        for value in sorted(
            _deduction.members(values[cell]), key=lambda value: not solution[cell] >> value & 1
        ):
            trial = list(values)
            trial[cell] = 1 << value
            waiting.append((trial, rules.touching[cell]))
    return None


def thinned(
    rng: Random, clues: Sequence[T], fewest: int, settles: Callable[[list[T]], bool]
) -> list[T] | None:
    """Clues that still settle the board when others are taken away, several at once while that
    goes; never fewer than so many. None where not even all of them settle it."""
    waiting, handful = rng.sample(clues, len(clues)), HANDFUL
    needed: list[T] = []
    if not settles(waiting):
        return None
    while waiting and (spare := len(needed) + len(waiting) - fewest) > 0:
        handful = min(handful, spare, len(waiting))
        if settles(needed + waiting[handful:]):
            waiting = waiting[handful:]
            handful += 1
        elif handful > 1:
            handful //= 2
        else:
            needed.append(waiting.pop(0))
    return needed + waiting


def worked(rules: Rules, values: Values, said: Said, certain: bool = False) -> list[str]:
    """How the board is settled, a line for each use of a rule; where rules say no more, the
    supposition that fails soonest, and where none fails at once, one that is followed up; or,
    where only the certain is asked for, the end."""
    lines: list[str] = []
    _work(rules, list(values), None, said, lines, certain)
    return lines


def _work(
    rules: Rules,
    values: Values,
    fresh: Iterable[int] | None,
    said: Said,
    lines: list[str],
    certain: bool,
) -> bool:
    while True:
        sound, notes = _narrowed(rules, values, fresh)
        lines += _told(notes, values, said)
        cell = _deduction.tightest(values)
        if not sound or cell is None:
            return sound
        refuted = _refuted(rules, values)
        if certain and not refuted:
            return True
        cell, value = refuted or (cell, _deduction.members(values[cell])[-1])
        lines.append(f"suppose {said([cell], value)}")
        trial = list(values)
        trial[cell] = 1 << value
        fresh = rules.touching[cell]
        if _work(rules, trial, fresh, said, lines, certain):
            return True
        values[cell] ^= 1 << value
        left = _deduction.members(values[cell])
        so = said([cell], left[0]) if len(left) == 1 else f"not {said([cell], value)}"
        lines.append(f"{_broken(rules, trial)} cannot be kept, so {so}")


def _narrowed(
    rules: Rules, values: Values, fresh: Iterable[int] | None
) -> tuple[bool, list[tuple[int, Rule]]]:
    """Whether no rule is broken, and which cells came down to one value by which rule."""
    notes: list[tuple[int, Rule]] = []
    sound = rules.narrow(values, fresh, lambda cell, rule: notes.append((cell, rule)))
    return sound, notes


def _refuted(rules: Rules, values: Values) -> tuple[int, int] | None:
    """The cell and the value whose supposition fails soonest of those that fail by rules alone."""
    best, shortest = None, len(values) + 1
    for cell in _deduction.undecided(values):
        for value in _deduction.members(values[cell]):
            trial = list(values)
            trial[cell] = 1 << value
            sound, notes = _narrowed(rules, trial, rules.touching[cell])
            if not sound and len(notes) < shortest:
                best, shortest = (cell, value), len(notes)
                if shortest <= SOON:
                    return best
    return best


def _broken(rules: Rules, values: Values) -> str:
    """The first of the rules that values have been found to break."""
    for rule in rules.rules:
        after = rule.narrow([values[cell] for cell in rule.cells])
        if after is None or 0 in after:
            return rule.says
    raise AssertionError("no rule is broken")


def _told(notes: list[tuple[int, Rule]], values: Values, said: Said) -> list[str]:
    """A line for each rule that was used, with all that it said at once."""
    lines = []
    for says, together in groupby(notes, key=lambda note: note[1].says):
        cells: defaultdict[int, list[int]] = defaultdict(list)
        for cell, _ in together:
            cells[values[cell].bit_length() - 1].append(cell)
        found = [said(cells[value], value) for value in sorted(cells, reverse=True)]
        lines.append(f"{says}: {'; '.join(found)}")
    return lines


def named(cell: int, columns: int) -> str:
    return f"({cell // columns + 1}, {cell % columns + 1})"


def telling(columns: int, clear: str, marked: str) -> Said:
    """The words for a board's values, and where they stand."""
    return telling_by(lambda cell: named(cell, columns), clear, marked)


def telling_by(name: Callable[[int], str], clear: str, marked: str) -> Said:
    """The same of cells with names of their own."""

    def said(cells: list[int], value: int) -> str:
        return f"{marked if value else clear} at {', '.join(map(name, cells))}"

    return said
