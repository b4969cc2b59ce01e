"""Marks: rules of deduction for boards whose cells are marked or clear, and what follows by search.

A value is CLEAR, MARKED or OPEN (either), as in the sets of values of `_deduction`. `generate`s see
by it that a board is settled, and `steps` tell how; no `solve` and no `verify` knows of this file.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, reduce
from itertools import groupby
from operator import or_
from random import Random
from typing import TypeVar

from puzzlemill.generators import _cells
from puzzlemill.generators.grids import _deduction, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules, Values
from puzzlemill.generators.grids._tallies import Marks, Tallies, Tally

T = TypeVar("T")
Said = Callable[[list[int], int], str]  # cells of one value in words: "star at (1, 2), (3, 4)"

CLEAR, MARKED, OPEN = _tallies.CLEAR, _tallies.MARKED, _tallies.OPEN

HANDFUL = 8  # clues that are first taken away at once
SOON = 4  # cells that may follow from a supposition before a shorter one is looked for


@cache
def counted(least: int, most: int) -> Tally:
    """At least and at most so many of the cells are marked."""
    return Tally(least, most)


@cache
def counted_if(least: int, most: int) -> Tally:
    """The same of all cells but the first, where that one is marked."""
    return Tally(least, most, given=True)


def connected(side: int, kind: int) -> Rule:
    """The cells of one kind, marked or clear, hang together: none is cut off, and an open cell that
    alone joins two of them is one of them."""
    whole = _tallies.connected(side, kind)

    def narrow(values: Values) -> Values | None:
        marks = whole(*_tallies.packed(values))
        return None if marks is None else _tallies.unpacked(marks, len(values))

    what = "the wall" if kind == MARKED else "the rest"
    return Rule(tuple(range(side**2)), narrow, f"{what} hangs together", whole)


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
            _tallies.apart(side),
        )
        for row, column in _cells.cells(side, side)
    ]
    return (*apart, connected(side, CLEAR))


def rival(rules: Rules, values: Values, solution: Values, tries: int) -> Values | None:
    """A completion other than the solution, or None where there is none; where the tries run out,
    one that is not complete."""
    tallies = rules.tallies()
    start, right = _tallies.packed(values), _tallies.packed(solution)
    other = rival_marks(tallies, start, tallies.fresh(None), right, tries)
    return None if other is None else _tallies.unpacked(other, tallies.cells)


def rival_marks(
    tallies: Tallies, start: Marks, fresh: int, solution: Marks, tries: int
) -> Marks | None:
    """The same of a board in two integers. Rules that are not fresh say nothing yet."""
    waiting = [(start, fresh)]
    while waiting:
        marks = tallies.narrow(*waiting.pop(), solution)
        if marks is None:
            continue
        may, free = marks
        open_ = may & free
        if not open_:
            if marks != solution:
                return marks
            continue
        tries -= 1
        if tries < 0:
            return marks
        bit = open_ & -open_  # the first open cell
        touched = tallies.touching[bit.bit_length() - 1]
        marked, clear = (may, free & ~bit), (may & ~bit, free)
        # What is not as in the solution comes last here, and so is looked at first.
        for trial in (marked, clear) if solution[0] & bit else (clear, marked):
            waiting.append((trial, touched))
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


def thinned_rules(
    rng: Random,
    tallies: Tallies,
    start: Marks,
    solution: Marks,
    bit_of: Mapping[T, int],
    fewest: int,
    suppositions: int,
) -> list[T] | None:
    """`thinned` of clues by the bits of their rules, where each board must be settled by so many
    suppositions. What follows without any clue is found once; where some clues have not settled it,
    more of them start from what followed, and fewer do not settle it either: of less, less follows,
    and the first open cell is never a later one."""
    common = tallies.all & ~reduce(or_, bit_of.values(), 0)
    known = tallies.within(common).narrow(start, common)
    assert known, "a board has this solution"
    refused: dict[int, Marks] = {}

    def settles(shown: list[T]) -> bool:
        clues = 0
        for clue in shown:
            clues |= bit_of[clue]
        if any(not clues & ~more for more in refused):
            return False
        fewer = max((less for less in refused if not less & ~clues), key=int.bit_count, default=0)
        kept = tallies.within(common | clues)
        after = kept.narrow(refused.get(fewer, known), clues & ~fewer, solution)
        assert after, "a board has this solution"
        if rival_marks(kept, after, 0, solution, suppositions // 2) is None:
            return True
        refused[clues] = after
        return False

    return thinned(rng, list(bit_of), fewest, settles)


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
