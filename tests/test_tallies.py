"""Rules in integers say what rules on lists say, and orders are drawn as `random` draws them."""

from collections.abc import Callable
from random import Random

import pytest

from puzzlemill.generators.grids import _marks, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules, Values

SIDE = 5
CELLS = tuple(range(SIDE**2))


def _near(cell: int, corners: bool = False) -> tuple[int, ...]:
    row, column = divmod(cell, SIDE)
    return tuple(
        other
        for other in CELLS
        if other != cell
        and max(abs(other // SIDE - row), abs(other % SIDE - column)) == 1
        and (corners or other // SIDE == row or other % SIDE == column)
    )


def _apart(corners: bool) -> list[Rule]:
    whole = _tallies.apart(SIDE, corners)
    return [
        Rule((cell, *_near(cell, corners)), _marks.counted_if(0, 0), "", whole) for cell in CELLS
    ]


def _paired() -> list[Rule]:
    whole = _tallies.paired(SIDE)
    return [Rule((cell, *_near(cell)), _marks.counted_if(1, 1), "", whole) for cell in CELLS]


def _no_blocks() -> list[Rule]:
    corners = [cell for cell in CELLS if cell % SIDE < SIDE - 1 and cell < SIDE * (SIDE - 1)]
    return [
        Rule((at, at + 1, at + SIDE, at + SIDE + 1), _marks.counted(0, 3), "", whole)
        for whole in [_tallies.no_blocks(SIDE)]
        for at in corners
    ]


def _lines() -> list[Rule]:
    rows = [CELLS[start : start + SIDE] for start in range(0, SIDE**2, SIDE)]
    return [Rule(row, _marks.counted(1, 2), "") for row in (*rows, *zip(*rows))]


def _hanging_together(values: Values) -> Values | None:
    """Slowly: a cell that has not both values left is tried with each."""
    marked = [cell for cell in CELLS if values[cell] == _marks.MARKED]
    if not marked:
        return values

    def reached(closed: int) -> set[int]:
        found, waiting = {marked[0]}, [marked[0]]
        for cell in waiting:
            for other in _near(cell):
                if other != closed and other not in found and values[other] & _marks.MARKED:
                    found.add(other)
                    waiting.append(other)
        return found

    everywhere = reached(-1)
    if not everywhere.issuperset(marked):
        return None
    return [
        _marks.MARKED
        if value == _marks.OPEN and cell in everywhere and not reached(cell).issuperset(marked)
        else value & (_marks.OPEN if cell in everywhere else _marks.CLEAR)
        for cell, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    "drawn",
    [lambda: _apart(False), lambda: _apart(True), _paired, _no_blocks],
    ids=["apart", "apart at corners", "paired", "no blocks"],
)
def test_rules_of_a_whole_board_say_what_the_rules_of_its_cells_say(
    drawn: Callable[[], list[Rule]],
) -> None:
    one, many = Rules(SIDE**2, [*drawn(), *_lines()], marks=True), Rules(SIDE**2, drawn())
    for rule in _lines():
        many.add(rule)
    rng, ends = Random(1), set[bool]()
    for _ in range(400):
        weights = rng.choice(((1, 1, 12), (1, 0, 12), (1, 1, 4), (3, 1, 8)))
        values = rng.choices((_marks.CLEAR, _marks.MARKED, _marks.OPEN), weights, k=SIDE**2)
        fast, slow = list(values), list(values)
        sound = one.narrow(fast)
        assert sound == many.narrow(slow)
        if sound:
            assert fast == slow
        ends.add(sound)
    assert ends == {True, False}


def test_what_holds_cells_together_is_found() -> None:
    rng, ends = Random(2), set[str]()
    whole = _tallies.connected(SIDE, _marks.MARKED)
    for _ in range(600):
        weights = rng.choice(((4, 1, 6), (6, 1, 6), (3, 2, 4)))
        values = rng.choices((_marks.CLEAR, _marks.MARKED, _marks.OPEN), weights, k=SIDE**2)
        marks, slow = whole(*_tallies.packed(values)), _hanging_together(values)
        assert (None if marks is None else _tallies.unpacked(marks, SIDE**2)) == slow
        ends.add("never" if slow is None else "nothing" if slow == values else "something")
    assert ends == {"never", "nothing", "something"}


def test_completions_are_counted_as_far_as_two() -> None:
    rules = Rules(SIDE**2, [*_lines(), *_apart(True)], marks=True)
    plain = Rules(SIDE**2, [*_lines(), *_apart(True)])
    rng, counts = Random(3), set[int | None]()
    for _ in range(60):
        values = rng.choices((_marks.CLEAR, _marks.MARKED, _marks.OPEN), (10, 3, 12), k=SIDE**2)
        for rule in (rules, plain):
            counts.add(rule.completions(values, None))
        assert rules.completions(values, None) == plain.completions(values, None)
        only = rng.sample(range(len(rules.rules)), 12)
        assert rules.settles(values, 5, only) == plain.settles(values, 5, only)
    assert {0, 2} <= counts


def test_there_is_no_rival_where_completions_are_one() -> None:
    rules = Rules(SIDE**2, [*_lines(), *_apart(False)], marks=True).tallies()
    rng, ends = Random(4), set[bool]()
    solution: list[int] | None = None
    while solution is None or not rules.narrow(_tallies.packed(solution), rules.all):
        solution = rng.choices((_marks.CLEAR, _marks.MARKED), (4, 1), k=SIDE**2)
    right = _tallies.packed(solution)
    for _ in range(300):
        open_ = rng.choices((True, False), (1, rng.choice((1, 3, 9))), k=SIDE**2)
        shown = [_marks.OPEN if each else value for each, value in zip(open_, solution)]
        start, suppositions = _tallies.packed(shown), rng.choice((0, 2, 7, 30))
        kept = rules.only(rng.sample(range(len(rules.bits)), rng.randint(20, len(rules.bits))))
        found = _marks.rival_marks(kept, start, kept.all, right, suppositions // 2) is None
        assert found == (_tallies.completions(kept, start, suppositions) == 1)
        ends.add(found)
    assert ends == {True, False}
