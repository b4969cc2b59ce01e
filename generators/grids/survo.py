"""Survo: fill a table with the numbers from 1 on, each once, so that rows and columns add up.

`generate` shows numbers of a full table until deduction settles the rest, `solve` proves by SAT
that one filling is left, and `verify` counts the numbers and adds up the lines.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from math import ceil, lgamma, log
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _deduction
from puzzlemill.generators.grids._deduction import Rule, Rules, Values

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the table
    columns: int  # of the table
    shown: float  # share of the numbers to show; more where deduction needs them
    suppositions: int  # how many may be needed beside deduction


@dataclass(frozen=True, slots=True)
class Table:
    cells: Rows  # 0 is a blank
    rows: tuple[int, ...]  # sums
    columns: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Table:
    """Show cells that deduction leaves open, then hide again what suppositions make up for."""
    down, across = knobs.rows, knobs.columns
    size = down * across
    full = rng.sample(range(1, size + 1), size)
    lines = in_rows(tuple(full), across)
    rows, columns = tuple(map(sum, lines)), tuple(map(sum, zip(*lines)))
    rules = _rules(rows, columns)
    order = rng.sample(range(size), size)
    shown = order[: round(knobs.shown * size)]
    certain = _values(full, [])
    rules.narrow(certain)
    values = list(certain)
    rules.narrow(values, rules.show(values, full, shown))
    for cell in order:
        if values[cell] & (values[cell] - 1):
            shown.append(cell)
            values[cell] = 1 << full[cell]
            rules.narrow_around(values, cell)
    spare = len(shown) - ceil(knobs.shown * size)
    # Without suppositions the last is needed, for it was open beside the others.
    sure = [] if knobs.suppositions else shown[-1:]
    rules.narrow(certain, rules.show(certain, full, sure))
    doubtful = shown[: len(shown) - len(sure)]
    shown = sure + rules.needed(certain, full, doubtful, spare, knobs.suppositions)
    cells = [full[cell] if cell in shown else 0 for cell in range(size)]
    return Table(in_rows(tuple(cells), across), rows, columns)


def solve(table: Table) -> Rows | None:
    """SAT: the blanks of each line hold one of the sets of missing numbers that come to its sum. A
    blank has variables only for numbers that are in such sets of both its lines."""
    down, across = len(table.rows), len(table.columns)
    given = {number for row in table.cells for number in row}
    missing = tuple(number for number in range(1, down * across + 1) if number not in given)
    blanks = [cell for cell in _cells.cells(down, across) if not table.cells[cell[0]][cell[1]]]
    lines = []
    for way, totals, rows in (
        (0, table.rows, table.cells),
        (1, table.columns, tuple(zip(*table.cells))),
    ):
        for number, (total, row) in enumerate(zip(totals, rows)):
            own = [cell for cell in blanks if cell[way] == number]
            lines.append((own, _sets(missing, len(own), total - sum(row))))
    fitting = {cell: set(missing) for cell in blanks}
    for own, sets in lines:
        within = set().union(*sets)
        for cell in own:
            fitting[cell] &= within
    circuit = _sat.Circuit()
    variable = {
        (cell, number): circuit.variable((cell, number))
        for cell in blanks
        for number in fitting[cell]
    }
    groups = [[variable[cell, number] for number in fitting[cell]] for cell in blanks]
    groups += [
        [variable[cell, number] for cell in blanks if number in fitting[cell]] for number in missing
    ]
    circuit.clauses += groups
    for place, (own, sets) in enumerate(lines):
        here = {
            number: [variable[cell, number] for cell in own if number in fitting[cell]]
            for number in missing
        }
        choices = [
            (circuit.variable((place, numbers)), numbers)
            for numbers in sets
            if all(here[number] for number in numbers)
        ]
        circuit.clauses.append([choice for choice, _ in choices])
        circuit.clauses += [
            [-choice, *here[number]] for choice, numbers in choices for number in numbers
        ]
    true = _sat.only_model(
        circuit.clauses, variable.values(), bounds=[(group, 1) for group in groups]
    )
    if true is None:
        return None
    filled = {cell: number for (cell, number), literal in variable.items() if literal in true}
    return tuple(
        tuple(filled.get((row, column), number) for column, number in enumerate(line))
        for row, line in enumerate(table.cells)
    )


def verify(table: Table, rows: Rows) -> float:
    down, across = len(table.rows), len(table.columns)
    if len(rows) != down or any(len(row) != across for row in rows):
        return 0.0
    numbers = sorted(number for row in rows for number in row)
    if numbers != list(range(1, down * across + 1)):
        return 0.0
    keeps = all(
        given in (0, number)
        for line, row in zip(table.cells, rows, strict=True)
        for given, number in zip(line, row, strict=True)
    )
    sums = [sum(row) for row in rows] == list(table.rows)
    return float(keeps and sums and [sum(column) for column in zip(*rows)] == list(table.columns))


def render(table: Table, style: Style) -> Prompt:
    down, across = len(table.rows), len(table.columns)
    most = down * across
    blank = style.pick(".", "_")
    cells = [[number or blank for number in row] for row in table.cells]
    grid = _cells.drawn(cells)
    rows, columns = " ".join(map(str, table.rows)), " ".join(map(str, table.columns))
    framed = "\n".join(
        [f"{' '.join(map(str, row))} | {total}" for row, total in zip(cells, table.rows)]
        + [f"{'-' * (2 * across)}", columns]
    )
    return Prompt(
        style.pick(
            f"Solve this survo puzzle. The table has {down} rows and {across} columns; each number"
            f' from 1 to {most} stands in it exactly once, and "{blank}" is an empty cell. Fill the'
            f" empty cells so that every row and every column adds up to its sum.\n\n{grid}\n\nSums"
            f" of the rows, from top to bottom: {rows}\nSums of the columns, from left to right:"
            f" {columns}",
            f"Put the missing numbers from 1 to {most} into the cells marked"
            f' "{blank}", one number a cell, none of them twice. Behind each row of the table,'
            " after the bar, is the sum that its numbers must come to; in the last line, below the"
            f" dashes, are the sums that the columns must come to, from left to right.\n\n{framed}",
            f"The numbers from 1 to {most} were put into a table of {down} rows and {across}"
            " columns, each of them once. Then the rows were added up (from the top down:"
            f" {rows}), and so were the columns (from left to right: {columns}). Some numbers were"
            f' then erased, which left this, with "{blank}" for an erased number:\n\n{grid}\n\nWhat'
            " did the table look like before?",
        ),
        form=(
            "the completed table without the sums, one row a line, its numbers separated by spaces"
        ),
    )


def steps(table: Table) -> list[str]:
    across = len(table.columns)
    numbers = [number for row in table.cells for number in row]
    shown = [cell for cell, number in enumerate(numbers) if number]
    return _deduction.worked(
        _rules(table.rows, table.columns), _values(numbers, shown), _deduction.named(across)
    )


def progress(table: Table, lines: Lines) -> float:
    return cells_filled(FAMILY, table, lines, table.cells, 0)


def canon(table: Table) -> list[object]:
    """Rows and columns in order of their sums and then of what they hold, whichever is which."""
    images = []
    for cells, rows, columns in (
        (table.cells, table.rows, table.columns),
        (tuple(zip(*table.cells)), table.columns, table.rows),
    ):
        sides = sorted(zip(columns, map(sorted, zip(*cells)), range(len(columns))))
        order = [column for _, _, column in sides]
        lines = sorted((total, [row[at] for at in order]) for total, row in zip(rows, cells))
        images.append([lines, [columns[at] for at in order]])
    return min(images)


def hardness(table: Table) -> float:
    """Bits: the orders in which the missing numbers can be put into the blanks."""
    return lgamma(sum(row.count(0) for row in table.cells) + 1) / log(2)


def _values(full: list[int], shown: list[int]) -> Values:
    anything = (2 << len(full)) - 2
    values = [anything] * len(full)
    for cell in shown:
        values[cell] = 1 << full[cell]
    return values


def _rules(rows: tuple[int, ...], columns: tuple[int, ...]) -> Rules:
    down, across = len(rows), len(columns)
    every = tuple(range(down * across))
    rules = Rules(down * across, [Rule(every, _deduction.each_once, "each number stands once")])
    for row, total in enumerate(rows):
        cells = every[row * across : (row + 1) * across]
        says = f"row {row + 1} comes to {total} in no other way"
        rules.add(Rule(cells, _narrowing(total), says))
    for column, total in enumerate(columns):
        says = f"column {column + 1} comes to {total} in no other way"
        rules.add(Rule(every[column::across], _narrowing(total), says))
    return rules


def _sets(numbers: tuple[int, ...], size: int, total: int) -> list[tuple[int, ...]]:
    """The sets of so many of the numbers, which ascend, that come to a total."""
    if size == 0:
        return [] if total else [()]
    if size == 1:
        return [(total,)] if total in numbers else []
    if size == 2:
        return [(one, total - one) for one in numbers if 2 * one < total and total - one in numbers]
    if sum(numbers[:size]) > total or sum(numbers[-size:]) < total or len(numbers) < size:
        return []
    found = _sets(numbers[1:], size, total)
    return found + [
        (numbers[0], *rest) for rest in _sets(numbers[1:], size - 1, total - numbers[0])
    ]


@cache
def _narrowing(total: int) -> _deduction.Narrow:
    """By the sums that cells can come to; that no number may stand twice in them is left to another
    rule."""

    def narrow(values: Values) -> Values | None:
        open_ = tuple([value for value in values if value & (value - 1)])
        if len(open_) == len(values):
            return _summing(open_, total)
        left = total
        for value in values:
            if not value & (value - 1):
                left -= value.bit_length() - 1
        if not open_:
            return None if left else values
        found = _summing(open_, left)
        if found is None:
            return None
        rest = iter(found)
        return [next(rest) if value & (value - 1) else value for value in values]

    return narrow


@lru_cache(maxsize=5000)
def _summing(values: tuple[int, ...], total: int) -> Values | None:
    """What cells may hold that come to a total. Sums are sets of bits, bit s for s: what the cells
    before each one may leave of the total, then what those from the last on may come to."""
    if total < 0:
        return None
    lefts = [1 << total]
    for value in values[:-1]:
        before, after = lefts[-1], 0
        for number in _deduction.members(value):
            after |= before >> number
        lefts.append(after)
    kept = values[-1] & lefts.pop()
    if not kept:
        return None
    found, sums = [kept], kept
    for value, left in zip(reversed(values[:-1]), reversed(lefts)):
        kept = more = 0
        for number in _deduction.members(value):
            reached = sums << number & left
            if reached:
                kept |= 1 << number
                more |= reached
        if not kept:
            return None
        found.append(kept)
        sums = more
    return found[::-1]


LADDER = (
    Knobs(2, 3, 0.4, 0),
    Knobs(3, 3, 0.25, 0),
    Knobs(3, 5, 0.1, 0),
    Knobs(4, 5, 0.0, 10),
    Knobs(5, 6, 0.0, 30),
)
FAMILY = Family(
    Table,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Grid(),
    notation=lambda table: answers.Grid(width=len(table.columns)),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    guess_rate=0.0015,  # 720 tables on the easiest rung
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("deduction", "search", "arithmetic"),
    peers=("reasoning-gym/survo", "SynLogic/survo", "RLVE/survo_puzzle"),
    version=3,
)
