"""Pivot table: the rows of a table summed up by the values of two of its columns.

`solve` sorts the rows into cells and works each cell out; `verify` puts one question for each cell
to SQLite.
"""

import sqlite3
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.tables._table import LAYOUTS, SAID, TOPICS, Layout, Rows, drawn, shown

Grid: TypeAlias = tuple[tuple[int, ...], ...]
Summary = Literal["count", "sum", "greatest", "least", "spread"]

SUMMARIES: tuple[Summary, ...] = ("count", "sum", "greatest", "least", "spread")
TOTALLED = ("count", "sum")
TOLD = {
    "count": "the number of {things}",
    "sum": "the sum of {column}",
    "greatest": "the greatest value of {column}",
    "least": "the least value of {column}",
    "spread": "the greatest value of {column} minus the least",
}
EMPTY = 0.5  # of the cells, at most


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the table
    amounts: int  # columns of numbers
    summaries: int  # of the ways to sum up, how many may come
    banded: float  # share of pivots with ranges of numbers along one side
    totals: float  # share of those with totals
    layouts: int  # of the ways to write a table down, how many may come


@dataclass(frozen=True, slots=True)
class Pivot:
    thing: str
    things: str
    columns: tuple[str, ...]
    rows: Rows
    layout: Layout
    down: str  # the column whose values are the rows of the answer
    across: str
    downs: tuple[str, ...]  # its values, in order
    acrosses: tuple[str, ...]
    bands: tuple[int, ...]  # where the ranges of `across` begin, but for the first; else empty
    summary: Summary
    column: str  # what is summed up
    totals: bool


def generate(rng: Random, knobs: Knobs) -> Pivot | None:
    topic, columns, rows = drawn(rng, knobs.rows, 2, knobs.amounts)
    down, across, *amounts = columns[1:]
    column = rng.choice(amounts)
    bands: tuple[int, ...] = ()
    if rng.random() < knobs.banded and (others := [name for name in amounts if name != column]):
        across = rng.choice(others)
        numbers = sorted({int(row[columns.index(across)]) for row in rows})
        if len(numbers) < 6:
            return None
        cuts = (numbers[len(numbers) * part // 3] for part in (1, 2))
        bands = tuple(sorted(cuts))
    summary = rng.choice(SUMMARIES[: knobs.summaries])
    totals = summary in TOTALLED and rng.random() < knobs.totals
    kinds = {name: set(values) for each in TOPICS for name, values in each.kinds}
    acrosses = _ranges(bands) if bands else _some(rng, kinds[across], rows, columns.index(across))
    downs = _some(rng, kinds[down], rows, columns.index(down))
    layout = rng.choice(LAYOUTS[: knobs.layouts])
    pivot = Pivot(topic.thing, topic.things, columns, rows, layout, down, across, downs, acrosses,
                  bands, summary, column, totals)  # fmt: skip
    cells = [cell for row in solve(replace(pivot, totals=False, summary="count")) for cell in row]
    return pivot if cells.count(0) <= EMPTY * len(cells) and len(cells) > 3 else None


def solve(pivot: Pivot) -> Grid:
    """Each row of the table goes into its cell; then all cells are worked out."""
    held = _held(pivot)
    grid = [[_summed(pivot.summary, held[d, a]) for a in pivot.acrosses] for d in pivot.downs]
    if pivot.totals:
        grid = [[*row, sum(row)] for row in grid]
        grid.append([sum(column) for column in zip(*grid, strict=True)])
    return tuple(map(tuple, grid))


def verify(pivot: Pivot, grid: Grid) -> float:
    names = ", ".join(f'"{name}"' for name in pivot.columns)
    base = sqlite3.connect(":memory:")
    try:
        base.execute(f"CREATE TABLE t ({names})")
        marks = ", ".join("?" * len(pivot.columns))
        base.executemany(f"INSERT INTO t VALUES ({marks})", pivot.rows)
        right = [
            [base.execute(_query(pivot, down, across)).fetchone()[0] for across in _sides(pivot)[1]]
            for down in _sides(pivot)[0]
        ]
    finally:
        base.close()
    return float([list(row) for row in grid] == right)


def render(pivot: Pivot, style: Style) -> Prompt:
    table = shown(pivot.columns, pivot.rows, pivot.layout, pivot.thing)
    said, things = SAID[pivot.layout], pivot.things
    what = TOLD[pivot.summary].format(things=things, column=pivot.column)
    side = f"range of {pivot.across}" if pivot.bands else pivot.across
    downs, acrosses = ", ".join(pivot.downs), ", ".join(pivot.acrosses)
    counted = pivot.summary == "count"  # the things, and not what is in a column of theirs
    belonging = "that belong" if counted else f"among the {things} that belong"
    there = "in that row and column" if counted else f"over the {things} of that row and column"
    rules = f"A cell without {things} holds 0."
    if len(pivot.rows) > sum(map(len, _held(pivot, shown_only=True).values())):
        rules += f" The {things} that belong to none of the rows or columns are left out."
    if pivot.totals:
        rules += (
            " One more column at the right holds the total of each row, one more row at the bottom"
            " the total of each column, and the last cell of all the grand total."
        )
    question = style.pick(
        f"Make a pivot table of these {things} ({said}):\n\n{table}\n\nIt has a row for each"
        f" {pivot.down}, in this order: {downs}. It has a column for each {side}, in this order:"
        f" {acrosses}. A cell holds {what} {belonging} to its row and its column. {rules}",
        f"Here is a list of {things} ({said}).\n\n{table}\n\nSum it up in a table that has one row"
        f" per {pivot.down} ({downs}) and one column per {side} ({acrosses}), in the order in which"
        f" they are named here. Each cell gives {what} {there}. {rules}",
        f"What does the pivot table described here contain?\n\n- rows: {pivot.down} ({downs})\n"
        f"- columns: {side} ({acrosses})\n- cells: {what}\n\nRows and columns stand in the order"
        f" given. {rules} The data ({said}):\n\n{table}",
    )
    return Prompt(
        question,
        form="the rows of the pivot table, one line each, their numbers separated by spaces and"
        " without headings",
    )


def steps(pivot: Pivot) -> list[str]:
    held, lines = _held(pivot), []
    for down in pivot.downs:
        for across in pivot.acrosses:
            numbers = held[down, across]
            shown = [1] * len(numbers) if pivot.summary == "count" else numbers
            found = (" + " if pivot.summary in TOTALLED else ", ").join(map(str, shown))
            if numbers and pivot.summary not in TOTALLED:
                found = f"{pivot.summary} of {found}"
            result = _summed(pivot.summary, numbers)
            lines.append(f"{down} and {across}, {found or 'no rows'}: {result}")
    return lines


def progress(pivot: Pivot, lines: Lines) -> float:
    return results_derived(FAMILY, pivot, lines, by=":")


def hardness(pivot: Pivot) -> float:
    """Rows to sort, and what there is to do with each cell."""
    cells = len(pivot.downs) * len(pivot.acrosses)
    return (
        len(pivot.rows) * (1 + 0.2 * bool(pivot.bands))
        + cells * (SUMMARIES.index(pivot.summary) > 0) / 2
    )


def _some(rng: Random, values: set[str], rows: Rows, place: int) -> tuple[str, ...]:
    """The values of a column in any order; of more than two, one may be left out."""
    present = sorted({str(row[place]) for row in rows} & values)
    fewer = rng.randint(0, 1) if len(present) > 2 else 0
    return tuple(rng.sample(present, len(present) - fewer))


def _ranges(bands: tuple[int, ...]) -> tuple[str, ...]:
    """below 30, 30 to 49, 50 or more"""
    between = (f"{low} to {high - 1}" for low, high in pairwise(bands))
    return (f"below {bands[0]}", *between, f"{bands[-1]} or more")


def _held(pivot: Pivot, shown_only: bool = False) -> dict[tuple[str, str], list[int]]:
    """The numbers of each cell; perhaps of those alone that the answer shows."""
    down, across, column = map(pivot.columns.index, (pivot.down, pivot.across, pivot.column))
    held: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in pivot.rows:
        side = str(row[across])
        if pivot.bands:
            side = pivot.acrosses[bisect_right(pivot.bands, int(row[across]))]
        if not shown_only or (row[down] in pivot.downs and side in pivot.acrosses):
            held[str(row[down]), side].append(int(row[column]))
    return held


def _summed(summary: Summary, numbers: list[int]) -> int:
    match summary:
        case "count":
            return len(numbers)
        case "sum":
            return sum(numbers)
        case "greatest":
            return max(numbers, default=0)
        case "least":
            return min(numbers, default=0)
    return max(numbers, default=0) - min(numbers, default=0)


def _sides(pivot: Pivot) -> tuple[list[str], list[str]]:
    """For each row and each column of the answer what SQL asks of the table's rows."""
    downs = [f"\"{pivot.down}\" = '{value}'" for value in pivot.downs]
    if pivot.bands:
        first, last = pivot.bands[0], pivot.bands[-1]
        name = f'"{pivot.across}"'
        acrosses = [f"{name} < {first}"]
        acrosses += [
            f"{name} >= {a} AND {name} < {b}" for a, b in zip(pivot.bands, pivot.bands[1:])
        ]
        acrosses.append(f"{name} >= {last}")
    else:
        acrosses = [f"\"{pivot.across}\" = '{value}'" for value in pivot.acrosses]
    if pivot.totals:
        downs, acrosses = [*downs, " OR ".join(downs)], [*acrosses, " OR ".join(acrosses)]
    return downs, acrosses


def _query(pivot: Pivot, down: str, across: str) -> str:
    name = f'"{pivot.column}"'
    asked = {
        "count": "COUNT(*)",
        "sum": f"COALESCE(SUM({name}), 0)",
        "greatest": f"COALESCE(MAX({name}), 0)",
        "least": f"COALESCE(MIN({name}), 0)",
        "spread": f"COALESCE(MAX({name}) - MIN({name}), 0)",
    }[pivot.summary]
    return f"SELECT {asked} FROM t WHERE ({down}) AND ({across})"


LADDER = (
    Knobs(6, 1, 1, 0.0, 0.0, 2),
    Knobs(10, 2, 2, 0.0, 0.3, 3),
    Knobs(16, 3, 5, 0.4, 0.5, 5),
    Knobs(22, 3, 5, 0.5, 0.7, 5),
    Knobs(29, 4, 5, 0.6, 1.0, 5),
)
FAMILY = Family(
    Pivot,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Grid(),
    hardness=hardness,
    proof="unique",
    solver="rows sorted into cells",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("aggregation", "reading", "arithmetic"),
    version=3,
)
