"""Modulo grid: cells are marked by a remainder; which of the hidden cells are?

The prompt says which rules there may be. `solve` tries all of them and answers only if those that
fit all cells shown agree on the hidden ones; `verify` works out, for each expression, which
remainders the shown marks and blanks allow, and asks whether the answer goes with one of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, sqrt
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _cells

MARK, BLANK, HIDDEN = "#", ".", "?"

Factors: TypeAlias = tuple[int, int, int]  # of r, c and r * c


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the grid
    columns: int  # of the grid
    hidden: int  # cells
    divisor: int  # the largest there may be
    factor: int  # the largest by which rows, columns and their products may be multiplied


@dataclass(frozen=True, slots=True)
class Field:
    rows: tuple[str, ...]
    divisor: int  # the largest
    factor: int  # the largest


def generate(rng: Random, knobs: Knobs) -> Field | None:
    divisor = rng.randint(2, knobs.divisor)
    factors = rng.choice(list(_factors(knobs.factor)))
    remainder = rng.randrange(divisor)
    marked = [
        [
            _value(factors, row, column) % divisor == remainder
            for column in range(1, knobs.columns + 1)
        ]
        for row in range(1, knobs.rows + 1)
    ]
    everything = _cells.cells(knobs.rows, knobs.columns)
    hidden = set(rng.sample(everything, min(knobs.hidden, len(everything) * 2 // 3)))
    rows = tuple(
        "".join(
            HIDDEN if (row, column) in hidden else MARK if marked[row][column] else BLANK
            for column in range(knobs.columns)
        )
        for row in range(knobs.rows)
    )
    field = Field(rows, knobs.divisor, knobs.factor)
    marks = sum(marked[row][column] for row, column in hidden)
    if not 0 < marks < len(hidden) or MARK not in "".join(rows):
        return None
    return field if solve(field) else None


@lru_cache(maxsize=2)  # generate asks as well
def solve(field: Field) -> tuple[str, ...] | None:
    import numpy

    shown = numpy.array([list(row) for row in field.rows])
    row, column = numpy.indices(shown.shape) + 1
    terms = numpy.stack([row, column, row * column]).reshape(3, -1)
    # All expressions at once: a line for each, with its value in each cell
    values = (numpy.array(list(_factors(field.factor))) @ terms).astype(numpy.int32)
    known, marks = (shown != HIDDEN).ravel(), (shown == MARK).ravel()
    some = bool(marks.any())
    found: set[tuple[str, ...]] = set()
    for divisor in range(2, field.divisor + 1):
        rests = values % divisor
        # A marked cell that is shown leaves one remainder to try
        for remainder in [rests[:, marks][:, :1]] if some else range(divisor):
            marked = rests == remainder
            fits = (marked == marks)[:, known].all(axis=1)
            found |= {
                tuple("".join(MARK if each else BLANK for each in line) for line in grid)
                for grid in marked[fits].reshape(-1, *shown.shape)
            }
            if len(found) > 1:
                return None
    return found.pop() if found else None


def verify(field: Field, answer: tuple[str, ...]) -> float:
    """Some expression and divisor must part the marked cells of the answer from the others."""
    if [len(row) for row in answer] != [len(row) for row in field.rows]:
        return 0.0
    pairs = [(new, old) for row, then in zip(field.rows, answer) for old, new in zip(row, then)]
    if any(old not in (HIDDEN, new) for new, old in pairs):
        return 0.0
    cells: dict[str, list[_cells.Cell]] = {MARK: [], BLANK: []}
    for row, line in enumerate(answer, 1):
        for column, sign in enumerate(line, 1):
            cells[sign].append((row, column))
    if not cells[MARK]:
        return 0.0
    for factors in _factors(field.factor):
        marked = [_value(factors, *cell) for cell in cells[MARK]]
        apart = gcd(*(value - marked[0] for value in marked))
        # What divides all differences leaves one remainder
        for divisor in range(2, field.divisor + 1):
            if apart % divisor == 0 and all(
                (_value(factors, *cell) - marked[0]) % divisor for cell in cells[BLANK]
            ):
                return 1.0
    return 0.0


def render(field: Field, style: Style) -> Prompt:
    drawn = "\n".join(field.rows)
    rule = (
        "A cell in row r and column c, both counted from 1 at the top left, is marked if and only"
        f" if {_general(field.factor)} leaves the remainder k when divided by n. The whole numbers"
        f" {_names(field.factor)}, n and k are the same for all cells; n is from 2 to"
        f" {field.divisor}, and k from 0 to n - 1."
    )
    return Prompt(
        style.pick(
            f"In this grid {MARK} is a marked cell, {BLANK} one that is not, and {HIDDEN} a cell"
            f" that is hidden.\n\n{drawn}\n\n{rule} Fill in the hidden cells; there is only one"
            " way.",
            f"{rule} Part of such a grid, with {MARK} for marked cells, {BLANK} for others and"
            f" {HIDDEN} for cells that are not known:\n\n{drawn}\n\nComplete it.",
            f"Find the rule behind this grid and complete it ({MARK}: marked, {BLANK}: not marked,"
            f" {HIDDEN}: to be found).\n\n{drawn}\n\n{rule} All rules of this sort that fit the"
            " cells shown agree on the others.",
        ),
        form=f"the whole grid, one line for each row, with {MARK} and {BLANK} only and no spaces",
    )


def steps(field: Field) -> list[str]:
    """A rule that fits, and the hidden cells by it."""
    whole = solve(field)
    if whole is None:
        return []
    factors, divisor, remainder = next(_fitting(field, whole))
    said = _general(field.factor)
    for name, factor in zip("pqm", factors):
        said = said.replace(f"{name} *", f"{factor} *")
    lines = [f"What fits all cells shown: {said} leaves {remainder} when divided by {divisor}"]
    for row, (old, new) in enumerate(zip(field.rows, whole), 1):
        for column, (sign, then) in enumerate(zip(old, new), 1):
            if sign == HIDDEN:
                rest = _value(factors, row, column) % divisor
                lines.append(f"row {row}, column {column}: remainder {rest}, so {then}")
    return lines


def canon(field: Field) -> object:
    return [field.rows, field.divisor, field.factor]


def hardness(field: Field) -> float:
    """Rules to choose from, by order of magnitude, and cells to fill in."""
    rules = len(list(_factors(field.factor))) * field.divisor**2
    return sqrt(rules) / 2 + "".join(field.rows).count(HIDDEN)


def _factors(most: int) -> Iterator[Factors]:
    """What r, c and r * c are multiplied by; products only from 2 on."""
    for p in range(most + 1):
        for q in range(most + 1):
            for m in range(max(1, most)):
                if (p, q, m) != (0, 0, 0):
                    yield p, q, m


def _value(factors: Factors, row: int, column: int) -> int:
    p, q, m = factors
    return p * row + q * column + m * row * column


def _general(factor: int) -> str:
    return "p * r + q * c" + (" + m * r * c" if factor > 1 else "")


def _names(factor: int) -> str:
    if factor == 1:
        return "p and q (each 0 or 1, not both 0)"
    return f"p and q (each from 0 to {factor}), m (from 0 to {factor - 1}; not all three of them 0)"


def _fitting(field: Field, whole: tuple[str, ...]) -> Iterator[tuple[Factors, int, int]]:
    for factors in _factors(field.factor):
        for divisor in range(2, field.divisor + 1):
            rests: dict[str, set[int]] = {MARK: set(), BLANK: set()}
            for row, line in enumerate(whole, 1):
                for column, sign in enumerate(line, 1):
                    rests[sign].add(_value(factors, row, column) % divisor)
            if len(rests[MARK]) == 1 and not rests[MARK] & rests[BLANK]:
                yield factors, divisor, rests[MARK].pop()


LADDER = (
    Knobs(4, 5, 4, 4, 1),
    Knobs(6, 7, 10, 6, 2),
    Knobs(8, 8, 22, 8, 2),
    Knobs(10, 10, 45, 10, 3),
    Knobs(12, 13, 90, 13, 4),
)
FAMILY = Family(
    Field,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board(MARK + BLANK),
    hardness=hardness,
    proof="unique",
    solver="all rules there may be",
    obvious="of several grids, the regular one is right",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    skills=("induction", "number theory"),
    peers=("reasoning-gym/modulo_grid",),
    version=2,
)
