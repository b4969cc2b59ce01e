"""Table repair: a table went through damage that is described; a number of the true table is asked.

The damage happens in steps: first to the numbers of a column, then to where things stand. `solve`
undoes the steps from the last to the first. `verify` sends marks for the cells through the same
steps to see where each came out, finds the numbers by trying what each does to its column, and puts
the question to SQLite.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias, TypeVar

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import counted
from puzzlemill.generators.tables._table import SAID, Cell, Layout, Row, Rows, drawn, shown

# What happened and its numbers. Rows, and places in a row, count from 1; `every` is 3 for the rows
# 3, 6, 9 and so on. Columns of numbers: ("scaled", place, every, factor), ("added", place, every,
# many), ("running", place). Places: ("exchanged", every, place, place), ("turned", every, many),
# ("backwards", every), ("slid", place, many), ("pushed", row, place, row, place, ...): the empty
# cells. Rows: ("copied", every), ("stray", every, place), ("joined", every), ("cut", many),
# ("flipped",), ("dealt",).
Damage: TypeAlias = tuple[str | int, ...]
T = TypeVar("T")

FIGURES = ("scaled", "added", "running")
MENU = ("scaled", "added", "exchanged", "copied", "turned", "joined", "cut", "running",
        "backwards", "stray", "slid", "pushed", "flipped", "dealt")  # fmt: skip
ASKED = ("sum", "spread", "best group", "even rows")
LAYOUTS: tuple[Layout, ...] = ("markdown", "csv", "html")
EMPTY = "-"
LEAST = 40  # smaller numbers are too easily guessed


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the true table
    kinds: int  # columns of a few values
    amounts: int  # columns of numbers
    damages: int  # one after another
    menu: int  # of the damages, how many may come
    asked: int  # of the questions, how many may come
    layouts: int  # of the ways to write a table down, how many may come


@dataclass(frozen=True, slots=True)
class Broken:
    thing: str
    things: str
    columns: tuple[str, ...]
    size: int  # rows of the true table
    damages: tuple[Damage, ...]  # in the order in which they happened
    rows: Rows  # what is left
    layout: Layout
    asked: str
    column: str
    group: str  # the column to group by; empty where there are no groups
    field: str  # only rows with this value in this column; empty where all count
    value: str


def generate(rng: Random, knobs: Knobs) -> Broken | None:
    topic, columns, rows = drawn(rng, knobs.rows, knobs.kinds, knobs.amounts)
    kinds, amounts = columns[1 : 1 + knobs.kinds], columns[1 + knobs.kinds :]
    column = rng.choice(amounts)
    names = _chosen(rng, knobs)
    figures = {name: column if rng.random() < 0.8 else rng.choice(amounts)
               for name in names if name in FIGURES}  # fmt: skip
    if "pushed" in names:
        rows = _with_gaps(rng, rows, [columns.index(name) for name in columns[1:]
                                      if name not in figures.values()])  # fmt: skip
    left, damages = [list(row) for row in rows], list[Damage]()
    for name in names:
        place = columns.index(figures[name]) + 1 if name in figures else 0
        damage = _drawn(rng, name, left, place, len(columns))
        strays = [rng.choice([cell for cell in rng.choice(rows) if cell != EMPTY]) for _ in left]
        if name in FIGURES:
            _spoil(left, damage)
        else:
            left = _moved(left, damage, strays.pop)
        damages.append(damage)
    asked = rng.choice(ASKED[: knobs.asked])
    group = rng.choice(kinds) if asked == "best group" else ""
    field = rng.choice([name for name in kinds if name != group] or [""])
    value = str(rng.choice(rows)[columns.index(field)]) if field else ""
    if value == EMPTY or rng.random() < 0.3 or asked == "even rows":
        field = value = ""
    puzzle = Broken(topic.thing, topic.things, columns, knobs.rows, tuple(damages),
                    tuple(map(tuple, left)), rng.choice(LAYOUTS[: knobs.layouts]), asked, column,
                    group, field, value)  # fmt: skip
    truth = _told(puzzle, rows)
    if truth is None or truth < LEAST or truth == _told(puzzle, puzzle.rows):
        return None
    return puzzle


def solve(puzzle: Broken) -> int | None:
    return _told(puzzle, _repaired(puzzle)[-1])


def verify(puzzle: Broken, answer: int) -> float:
    names = ", ".join(f'"{name}"' for name in puzzle.columns)
    kept = f'SELECT "{puzzle.group or puzzle.column}" AS g, "{puzzle.column}" AS v FROM t'
    if puzzle.field:
        kept += f' WHERE "{puzzle.field}" = ?'
    asked = {
        "sum": f"SELECT SUM(v) FROM ({kept})",
        "even rows": f"SELECT SUM(v) FROM ({kept} WHERE rowid % 2 = 0)",
        "spread": f"SELECT MAX(v) - MIN(v) FROM ({kept})",
        "best group": f"SELECT MAX(s) FROM (SELECT SUM(v) AS s FROM ({kept})"
        " WHERE g IS NOT NULL GROUP BY g)",
    }[puzzle.asked]
    base = sqlite3.connect(":memory:")
    try:
        base.execute(f"CREATE TABLE t ({names})")
        marks = ", ".join("?" * len(puzzle.columns))
        found = [[None if cell == EMPTY else cell for cell in row] for row in _traced(puzzle)]
        base.executemany(f"INSERT INTO t VALUES ({marks})", found)
        truth = base.execute(asked, [puzzle.value] if puzzle.field else []).fetchone()[0]
    finally:
        base.close()
    return float(truth == answer)


def render(puzzle: Broken, style: Style) -> Prompt:
    table = shown(puzzle.columns, puzzle.rows, puzzle.layout)
    lines = "\n".join(
        f"{number}. {_said(damage, puzzle.columns)}"
        for number, damage in enumerate(puzzle.damages, 1)
    )
    said, size, things, thing = SAID[puzzle.layout], puzzle.size, puzzle.things, puzzle.thing
    rules = (
        "The header was left alone and does not count as a row: row 1 is the one below it. Each"
        " step counts rows, and the values of a row from the left, both from 1, in the table as it"
        ' stood just before that step; "every 3rd row", for one, means the rows 3, 6, 9 and so on.'
    )
    if any(damage[0] == "pushed" for damage in puzzle.damages):
        rules += (
            f" An empty cell ({EMPTY}) of the true table adds nothing to a sum, does not count as a"
            " value of its column and puts its row into no group."
        )
    asked = _question(puzzle)
    question = style.pick(
        f"A table of {size} {things}, one per row, was damaged in these steps, one after"
        f" another:\n{lines}\n\n{rules}\n\nWhat is left ({said}):\n\n{table}\n\nThe question is"
        f" about the true table, before all damage. {asked}",
        f"{table}\n\nThis table ({said}) is not what it was. It once held {size} {things}, each in"
        f" a row of its own, and then the following was done to it, in this order:\n{lines}\n\n"
        f"{rules}\n\nUndo all of it, and answer for the table as it was at first: {asked}",
        f"{asked}\n\nThe question is about a table with one {thing} per row, {size} rows in all. A"
        f" faulty program changed it before it was handed on:\n{lines}\n\n{rules}\n\nThis came out"
        f" ({said}); repair it before you answer:\n\n{table}",
    )
    return Prompt(question, form="one integer")


def steps(puzzle: Broken) -> list[str]:
    tables, lines = _repaired(puzzle), []
    for number, rows in zip(range(len(puzzle.damages), 0, -1), tables):
        lines.append(f"undo step {number}:")
        lines += [" ".join(map(str, row)) for row in rows]
    return [*lines, f"answer: {_told(puzzle, tables[-1])}"]


def canon(puzzle: Broken) -> list[object]:
    """The layout does not matter."""
    return [puzzle.columns, puzzle.damages, puzzle.rows, puzzle.asked, puzzle.column, puzzle.group,
            puzzle.field, puzzle.value]  # fmt: skip


def hardness(puzzle: Broken) -> float:
    """Cells to go over, once for each damage."""
    return puzzle.size * len(puzzle.columns) * (1 + len(puzzle.damages))


def _chosen(rng: Random, knobs: Knobs) -> list[str]:
    """Which damages happen, those of numbers first; two rows are joined while rows are as wide."""
    names = rng.sample(MENU[: knobs.menu], knobs.damages)
    if len(names) > 2 and not set(names) & set(FIGURES):
        names[-1] = rng.choice(FIGURES)
    figures = [name for name in names if name in FIGURES]
    others = [name for name in names if name not in FIGURES]
    if "joined" in others and "stray" in others:
        first, second = sorted((others.index("joined"), others.index("stray")))
        others[first], others[second] = "joined", "stray"
    return figures + others


def _with_gaps(rng: Random, rows: Rows, places: list[int]) -> Rows:
    """Some cells empty, in columns whose numbers are not changed."""
    cells = [(row, place) for row in range(len(rows)) for place in places]
    gaps = set(rng.sample(cells, min(len(cells), 2 + len(rows) // 5)))
    return tuple(
        tuple(EMPTY if (row, place) in gaps else cell for place, cell in enumerate(cells))
        for row, cells in enumerate(rows)
    )


def _drawn(rng: Random, name: str, rows: list[list[Cell]], place: int, width: int) -> Damage:
    every = rng.randint(2, max(2, min(4, len(rows) // 2)))
    match name:
        case "scaled":
            return name, place, every, rng.choice((2, 3, 5, 10, 100))
        case "added":
            return name, place, every, rng.randint(11, 99)
        case "running":
            return name, place
        case "exchanged":
            one, other = sorted(rng.sample(range(1, width + 1), 2))
            return name, every, one, other
        case "turned":
            return name, every, rng.randint(1, width - 1)
        case "slid":
            return name, rng.randint(1, width), rng.randint(1, min(6, len(rows) - 1))
        case "stray":
            return name, every, rng.randint(1, width + 1)
        case "cut":
            return name, rng.randint(1, len(rows) - 1)
        case "pushed":
            gaps = [(row, at) for row, cells in enumerate(rows, 1)
                    for at, cell in enumerate(cells, 1) if cell == EMPTY]  # fmt: skip
            return name, *(number for gap in gaps for number in gap)
        case "copied" | "joined" | "backwards":
            return name, every
    return (name,)


def _spoil(rows: list[list[Cell]], damage: Damage) -> None:
    """Change the numbers of a column."""
    place = int(damage[1]) - 1
    total = 0
    for number, row in enumerate(rows, 1):
        row[place] = total = _spoilt(_number(row[place]), number, damage, total)


def _spoilt(cell: int, row: int, damage: Damage, above: int) -> int:
    """What a damage makes of a number in this row, after what it made of the one above."""
    match damage:
        case ("scaled", _, int(every), int(factor)):
            return cell * factor if row % every == 0 else cell
        case ("added", _, int(every), int(many)):
            return cell + many if row % every == 0 else cell
    return cell + above


def _moved(rows: list[list[T]], damage: Damage, stray: Callable[[], T]) -> list[list[T]]:
    """The table after a damage that changes no number."""
    name, *rest = damage
    numbers = [int(number) for number in rest]
    hit = rows[numbers[0] - 1 :: numbers[0]] if numbers else []
    match name:
        case "exchanged":
            one, other = numbers[1] - 1, numbers[2] - 1
            for row in hit:
                row[one], row[other] = row[other], row[one]
        case "turned":
            for row in hit:
                row[:] = row[-numbers[1] :] + row[: -numbers[1]]
        case "backwards":
            for row in hit:
                row.reverse()
        case "stray":
            for row in hit:
                row.insert(numbers[1] - 1, stray())
        case "slid":
            place, many = numbers[0] - 1, numbers[1]
            values = [row[place] for row in rows]
            for number, row in enumerate(rows):
                row[place] = values[number - many]
        case "pushed":
            gaps = set(zip(numbers[::2], numbers[1::2]))
            for number, row in enumerate(rows, 1):
                order = sorted(range(len(row)), key=lambda at: (number, at + 1) in gaps)
                row[:] = [row[at] for at in order]
        case "copied":
            return [
                list(each)
                for number, row in enumerate(rows, 1)
                for each in ([row, row] if number % numbers[0] == 0 else [row])
            ]
        case "joined":
            joined: list[list[T]] = []
            for number, row in enumerate(rows, 1):
                if number % numbers[0] == 0:
                    joined[-1] += row
                else:
                    joined.append(row)
            return joined
        case "cut":
            return rows[numbers[0] :] + rows[: numbers[0]]
        case "flipped":
            return rows[::-1]
        case "dealt":
            return rows[::2] + rows[1::2]
    return rows


def _repaired(puzzle: Broken) -> list[list[Row]]:
    """The table after each damage is undone, from the last to the first."""
    rows, tables = list(puzzle.rows), []
    for damage in reversed(puzzle.damages):
        rows = _undone(rows, damage, len(puzzle.columns))
        tables.append(rows)
    return tables


def _undone(rows: list[Row], damage: Damage, width: int) -> list[Row]:
    match damage:
        case ("cut", int(many)):
            return rows[len(rows) - many :] + rows[: len(rows) - many]
        case ("flipped",):
            return rows[::-1]
        case ("dealt",):
            odd = (len(rows) + 1) // 2
            return [rows[at // 2 + odd * (at % 2)] for at in range(len(rows))]
        case ("copied", int(every)):
            return [row for at, row in enumerate(rows) if at % (every + 1) != every]
        case ("joined", int(_)):
            return [part for row in rows for part in (row[:width], row[width:]) if part]
        case ("slid", int(place), int(many)):
            column = [row[place - 1] for row in rows]
            column = column[many:] + column[:many]
            return [(*row[: place - 1], cell, *row[place:]) for row, cell in zip(rows, column)]
        case ("running", int(place)):
            above = [0, *(_number(row[place - 1]) for row in rows)]
            return [(*row[: place - 1], _number(row[place - 1]) - before, *row[place:])
                    for row, before in zip(rows, above)]  # fmt: skip
        case ("pushed", *gaps):
            filed: dict[int, list[int]] = {}
            for number, at in zip(gaps[::2], gaps[1::2]):
                filed.setdefault(int(number), []).append(int(at))
            return [_opened(row, filed.get(number, [])) for number, row in enumerate(rows, 1)]
        case ("scaled" | "added", int(_), int(every), int(_)) | (str(_), int(every), *_):
            return [_restored(row, damage) if number % every == 0 else row
                    for number, row in enumerate(rows, 1)]  # fmt: skip
    raise AssertionError(f"no damage {damage}")


def _restored(row: Row, damage: Damage) -> Row:
    """One of every so many rows, as it was."""
    match damage:
        case ("scaled", int(place), _, int(factor)):
            return (*row[: place - 1], _number(row[place - 1]) // factor, *row[place:])
        case ("added", int(place), _, int(many)):
            return (*row[: place - 1], _number(row[place - 1]) - many, *row[place:])
        case ("exchanged", _, int(one), int(other)):
            return (*row[: one - 1], row[other - 1], *row[one : other - 1], row[one - 1],
                    *row[other:])  # fmt: skip
        case ("turned", _, int(many)):
            return row[many:] + row[:many]
        case ("backwards", _):
            return row[::-1]
        case ("stray", _, int(place)):
            return row[: place - 1] + row[place:]
    raise AssertionError(f"no damage {damage}")


def _opened(row: Row, gaps: list[int]) -> Row:
    cells = list(row[: len(row) - len(gaps)])
    for place in sorted(gaps):
        cells.insert(place - 1, EMPTY)
    return tuple(cells)


def _traced(puzzle: Broken) -> list[list[Cell]]:
    """The true table: marks go the way of its cells, and each mark's cell is read where it ends."""
    width = len(puzzle.columns)
    marks = [list(range(row * width, (row + 1) * width)) for row in range(puzzle.size)]
    figures = [damage for damage in puzzle.damages if damage[0] in FIGURES]
    for damage in puzzle.damages:
        if damage not in figures:
            marks = _moved(marks, damage, lambda: -1)
    seen = {
        mark: cell
        for row, cells in zip(marks, puzzle.rows, strict=True)
        for mark, cell in zip(row, cells, strict=True)
    }
    rows = [[seen[row * width + at] for at in range(width)] for row in range(puzzle.size)]
    for place in sorted({int(damage[1]) - 1 for damage in figures}):
        mine = [damage for damage in figures if damage[1] == place + 1]
        found = _undamaged([_number(row[place]) for row in rows], mine)
        for row, number in zip(rows, found):
            row[place] = number
    return rows


def _undamaged(seen: list[int], damages: Sequence[Damage]) -> list[int]:
    """A number changes itself and those below, in proportion: try 0 and 1 from the top down."""
    found, above = list[int](), [0] * len(damages)  # what each damage made of the last number

    def spoilt(cell: int) -> list[int]:
        made = []
        for damage, last in zip(damages, above):
            cell = _spoilt(cell, len(found) + 1, damage, last)
            made.append(cell)
        return made

    for wanted in seen:
        zero, one = spoilt(0)[-1], spoilt(1)[-1]
        number = (wanted - zero) // (one - zero)
        above = spoilt(number)
        found.append(number)
    return found


def _told(puzzle: Broken, rows: Sequence[Row]) -> int | None:
    """The answer for these rows; cells that are no number, where one should be, say nothing."""
    place = puzzle.columns.index(puzzle.column)
    rows = [row for row in rows if len(row) >= len(puzzle.columns)]
    if puzzle.asked == "even rows":
        rows = rows[1::2]
    if puzzle.field:
        rows = [row for row in rows if row[puzzle.columns.index(puzzle.field)] == puzzle.value]
    values = [(row, cell) for row in rows if isinstance(cell := row[place], int)]
    if len(values) < 2:
        return None
    numbers = [number for _, number in values]
    match puzzle.asked:
        case "spread":
            return max(numbers) - min(numbers)
        case "best group":
            by, sums = puzzle.columns.index(puzzle.group), dict[Cell, int]()
            for row, number in values:
                if row[by] != EMPTY:
                    sums[row[by]] = sums.get(row[by], 0) + number
            return max(sums.values()) if len(sums) > 1 else None
    return sum(numbers)


def _question(puzzle: Broken) -> str:
    column, things = puzzle.column, puzzle.things
    only = f" whose {puzzle.field} is {puzzle.value}" if puzzle.field else ""
    return {
        "sum": f"What is the sum of {column} over the {things}{only}?",
        "spread": f"What is the difference between the greatest and the least {column} among the"
        f" {things}{only}?",
        "best group": f"Group the {things}{only} by {puzzle.group} and add up {column} in each"
        " group. What is the greatest of these sums?",
        "even rows": f"What is the sum of {column} over the rows 2, 4, 6 and so on of the true"
        " table?",
    }[puzzle.asked]


def _said(damage: Damage, columns: Sequence[str]) -> str:
    match damage:
        case ("scaled", int(place), int(every), factor):
            return f"In every {_nth(every)} row, {columns[place - 1]} was multiplied by {factor}."
        case ("added", int(place), int(every), many):
            return f"In every {_nth(every)} row, {many} was added to {columns[place - 1]}."
        case ("running", int(place)):
            return (
                f"The column {columns[place - 1]} was turned into running totals: each value was"
                " replaced by the sum of itself and all those above it."
            )
        case ("exchanged", int(every), int(one), int(other)):
            return (
                f"In every {_nth(every)} row, the {_nth(one)} and the {_nth(other)} value changed"
                " places."
            )
        case ("turned", int(every), int(many)):
            end = "last value" if many == 1 else f"last {many} values, in their order,"
            return f"In every {_nth(every)} row, the {end} moved to the front of the row."
        case ("backwards", int(every)):
            return f"In every {_nth(every)} row, the values were put in reverse order."
        case ("slid", int(place), int(many)):
            return (
                f"The {_nth(place)} value of every row slid down by {counted(many, 'row')}; those"
                f" that fell off the end came to the top {_rows(many)}, in their order."
            )
        case ("copied", int(every)):
            return f"Directly below every {_nth(every)} row, a copy of it was put in."
        case ("stray", int(every), int(place)):
            return (
                f"In every {_nth(every)} row, a value that means nothing was put in, as the row's"
                f" new {_nth(place)} value; nothing was overwritten."
            )
        case ("joined", int(every)):
            return (
                f"Every {_nth(every)} row was appended to the row directly above it, so that the"
                " two became one long row."
            )
        case ("cut", int(many)):
            return f"The first {_rows(many)} moved to the end of the table, in the same order."
        case ("flipped",):
            return "The order of the rows was reversed."
        case ("dealt",):
            return (
                "The rows were put into another order: first the rows 1, 3, 5 and so on, then the"
                " rows 2, 4, 6 and so on."
            )
        case ("pushed", *gaps):
            cells = ", ".join(
                f"row {row} value {place}" for row, place in zip(gaps[::2], gaps[1::2])
            )
            return (
                f"All empty cells, written {EMPTY}, moved to the end of their rows, and the other"
                f" values closed up to the left. The empty cells had been at: {cells}."
            )
    raise AssertionError(f"no damage {damage}")


def _nth(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 11 <= number <= 13 else ending}"


def _rows(many: int) -> str:
    return "row" if many == 1 else f"{many} rows"


def _number(cell: Cell) -> int:
    assert isinstance(cell, int), "a number stands here"
    return cell


LADDER = (
    Knobs(5, 1, 1, 1, 4, 1, 2),
    Knobs(8, 1, 2, 2, 7, 2, 2),
    Knobs(12, 2, 2, 4, 10, 3, 3),
    Knobs(18, 3, 3, 6, 14, 4, 3),
    Knobs(28, 3, 4, 9, 14, 4, 3),
)
FAMILY = Family(
    Broken,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="undoing the damage from the last step to the first",
    guess_rate=0.03,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("calculation", "reading", "simulation"),
    peers=("SynLogic/buggy_tables", "InternBootcamp/bbeh_buggy_tables"),
    version=3,
)
