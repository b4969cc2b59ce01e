"""Latin squares: every row and every column holds each digit from 1 to the side once.

A square is a tuple of rows; its cells are also numbered from 0, row by row.
"""

from collections.abc import Iterable
from functools import cache
from random import Random

from puzzlemill.core.answers.grid import in_rows
from puzzlemill.generators import _sat
from puzzlemill.generators.grids import _deduction
from puzzlemill.generators.grids._deduction import Rule, Rules, Values

Square = tuple[tuple[int, ...], ...]


def square(rng: Random, side: int) -> list[int]:
    """A random square, cell by cell: each row is matched at random with what its columns lack."""
    lacking = [(1 << side + 1) - 2] * side  # by each column, as a set of digits
    cells: list[int] = []
    for _ in range(side):
        owner: dict[int, int] = {}  # the column that has a digit
        for column in rng.sample(range(side), side):
            matched = _match(rng, column, lacking, owner, set())
            assert matched, "a Latin rectangle can always be continued"
        row = [0] * side
        for digit, column in owner.items():
            row[column] = digit
            lacking[column] ^= 1 << digit
        cells += row
    return cells


def _match(
    rng: Random, column: int, lacking: list[int], owner: dict[int, int], tried: set[int]
) -> bool:
    """Give a column a digit; another column may have to take another one for that."""
    digits = _deduction.members(lacking[column])
    for digit in rng.sample(digits, len(digits)):
        if digit in tried:
            continue
        tried.add(digit)
        if digit not in owner or _match(rng, owner[digit], lacking, owner, tried):
            owner[digit] = column
            return True
    return False


def is_latin(rows: Square, side: int) -> bool:
    digits = set(range(1, side + 1))
    return (
        len(rows) == side
        and all(len(row) == side and set(row) == digits for row in rows)
        and all(set(column) == digits for column in zip(*rows))
    )


def keeps(givens: Square, rows: Square) -> bool:
    """Whether the digits that are given (the others are 0) stand in the rows; same shapes."""
    return all(
        given in (0, digit)
        for line, row in zip(givens, rows, strict=True)
        for given, digit in zip(line, row, strict=True)
    )


def open_values(givens: Iterable[int], side: int) -> Values:
    """For each cell, the set of its digits before any rule has been looked at."""
    anything = (1 << side + 1) - 2
    return [1 << digit if digit else anything for digit in givens]


@cache
def line_cells(side: int) -> tuple[tuple[int, ...], ...]:
    """The cells of each row, then of each column."""
    rows = [tuple(range(start, start + side)) for start in range(0, side**2, side)]
    columns = [tuple(range(start, side**2, side)) for start in range(side)]
    return (*rows, *columns)


def rules(side: int) -> Rules:
    """Those of the lines, which can be added to."""
    return _line_rules(side).copy()


@cache
def _line_rules(side: int) -> Rules:
    return Rules(
        side**2,
        (
            Rule(
                cells,
                _deduction.each_once,
                f"{'row' if number < side else 'column'} {number % side + 1} leaves no other way",
            )
            for number, cells in enumerate(line_cells(side))
        ),
    )


def variable(side: int, cell: int, digit: int) -> int:
    return cell * side + digit


@cache
def _groups(side: int) -> tuple[list[int], ...]:
    """The variables of which one is true: a digit for each cell, and each digit once in each
    line."""
    digits = range(1, side + 1)
    groups: list[list[int]] = [
        [variable(side, cell, digit) for digit in digits] for cell in range(side**2)
    ]
    for digit in digits:
        for step in range(side):
            row = [variable(side, step * side + place, digit) for place in range(side)]
            column = [variable(side, place * side + step, digit) for place in range(side)]
            groups += [row, column]
    return tuple(groups)


@cache
def _bounds(side: int) -> tuple[_sat.Bound, ...]:
    return tuple((group, 1) for group in _groups(side))


def circuit(side: int) -> _sat.Circuit:
    """An empty circuit that knows the variables of the cells, to say more about them."""
    found = _sat.Circuit()
    for cell in range(side**2):
        for digit in range(1, side + 1):
            assert found.variable((cell, digit)) == variable(side, cell, digit)
    return found


def only_square(
    side: int, givens: Square, more: Iterable[_sat.Clause], bounds: Iterable[_sat.Bound] = ()
) -> Square | None:
    """The one square with the given digits that satisfies more clauses and bounds, where there is
    just one."""
    clauses, deciding = _shown(side, givens, more), range(1, side**3 + 1)
    true = _sat.only_model(clauses, deciding, bounds=[*_bounds(side), *bounds])
    if true is None:
        return None
    digits = [(number - 1) % side + 1 for number in sorted(true) if number <= side**3]
    return in_rows(tuple(digits), side)


def any_square(
    side: int, givens: Square, more: Iterable[_sat.Clause], bounds: Iterable[_sat.Bound] = ()
) -> bool:
    """Whether a square has the given digits and satisfies more clauses and bounds."""
    clauses = _shown(side, givens, more)
    return _sat.any_model(clauses, bounds=[*_bounds(side), *bounds]) is not None


def _shown(side: int, givens: Square, more: Iterable[_sat.Clause]) -> list[_sat.Clause]:
    shown = [
        [variable(side, row * side + column, digit)]
        for row, line in enumerate(givens)
        for column, digit in enumerate(line)
        if digit
    ]
    return [*shown, *_groups(side), *more]
