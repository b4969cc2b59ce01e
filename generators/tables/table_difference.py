"""Table difference: two copies of a table that ought to be equal; which cells are not?

The second copy is written in another way, and its rows and columns stand in another order. `solve`
compares cell by cell; `verify` puts the cells of the first copy into the second where the answer
says so, and looks whether the two then hold the same rows.
"""

from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.tables._table import LAYOUTS, SAID, Layout, Rows, drawn, shown

Cells: TypeAlias = tuple[tuple[str, str], ...]  # name of the row and of the column


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the table
    kinds: int  # columns of a few values
    amounts: int  # columns of numbers
    changed: int  # cells
    shuffled: float  # how often rows and columns stand in another order


@dataclass(frozen=True, slots=True)
class Copies:
    thing: str
    columns: tuple[str, ...]
    rows: Rows
    other_columns: tuple[str, ...]  # the first column is the same
    other_rows: Rows
    layouts: tuple[Layout, Layout]


def generate(rng: Random, knobs: Knobs) -> Copies:
    topic, columns, rows = drawn(rng, knobs.rows, knobs.kinds, knobs.amounts)
    changed = [list(row) for row in rows]
    places = [(row, column) for row in range(len(rows)) for column in range(1, len(columns))]
    for row, column in rng.sample(places, max(1, knobs.changed + rng.randint(-1, 1))):
        cell = changed[row][column]
        if isinstance(cell, int):
            changed[row][column] = _misread(rng, cell)
        else:
            values = next(values for name, values in topic.kinds if name == columns[column])
            changed[row][column] = rng.choice([value for value in values if value != cell])
    order = list(range(1, len(columns)))
    if rng.random() < knobs.shuffled:
        rng.shuffle(order)
        rng.shuffle(changed)
    order = [0, *order]
    one, other = rng.sample(LAYOUTS, 2)
    return Copies(
        topic.thing,
        columns,
        rows,
        tuple(columns[at] for at in order),
        tuple(tuple(row[at] for at in order) for row in changed),
        (one, other),
    )


def solve(copies: Copies) -> Cells:
    other = {
        (row[0], name): cell
        for row in copies.other_rows
        for name, cell in zip(copies.other_columns, row, strict=True)
    }
    found = [
        (str(row[0]).lower(), name)
        for row in copies.rows
        for name, cell in zip(copies.columns, row, strict=True)
        if other[row[0], name] != cell
    ]
    return tuple(sorted(found))


def verify(copies: Copies, cells: Cells) -> float:
    keys = [str(row[0]).lower() for row in copies.rows]
    mended = {str(row[0]).lower(): list(row) for row in copies.other_rows}
    for name, column in cells:
        if name not in mended or column not in copies.columns[1:]:
            return 0.0
        place = copies.other_columns.index(column)
        right = copies.rows[keys.index(name)][copies.columns.index(column)]
        if mended[name][place] == right:
            return 0.0  # no difference there, or it has been named before
        mended[name][place] = right
    places = [copies.other_columns.index(name) for name in copies.columns]
    rows = {tuple(row[at] for at in places) for row in mended.values()}
    return float(rows == set(copies.rows))


def render(copies: Copies, style: Style) -> Prompt:
    key = copies.columns[0]
    one = shown(copies.columns, copies.rows, copies.layouts[0], copies.thing)
    other = shown(copies.other_columns, copies.other_rows, copies.layouts[1], copies.thing)
    said, also = (SAID[layout] for layout in copies.layouts)
    return Prompt(
        style.pick(
            f"The same table was written down twice, but with mistakes: some cells differ.\n\nFirst"
            f" copy ({said}):\n{one}\n\nSecond copy ({also}):\n{other}\n\nThe order of rows and"
            f" columns does not matter; a row is recognised by its {key}. Find every cell that does"
            " not have the same value in both copies.",
            f"Compare two tables.\n\nA ({said}):\n{one}\n\nB ({also}):\n{other}\n\nRows with the"
            f" same {key} belong together, and so do columns with the same heading, wherever they"
            " stand. Which values in A differ from those in B?",
            f"A clerk copied this table ({said}):\n\n{one}\n\nThe copy ({also}), in which rows and"
            f" columns may have been moved around:\n\n{other}\n\nMoving is no mistake, but a wrong"
            f" value is. In which cells is the copy wrong? The {key} of a row is always right.",
        ),
        form=(
            "all the cells that differ and no others, in any order, each as a pair in round"
            " brackets"
            f" of the row's {key} and the heading of the column: ({key}, column), ({key}, column)"
        ),
    )


def steps(copies: Copies) -> list[str]:
    lines = []
    wrong = solve(copies)
    for row in copies.rows:
        columns = [column for name, column in wrong if name == str(row[0]).lower()]
        lines.append(f"{row[0]}: {', '.join(columns) or 'the same in both'}")
    return lines


def hardness(copies: Copies) -> float:
    """Cells to compare; twice where they must be looked for."""
    moved = copies.columns != copies.other_columns
    return len(copies.rows) * len(copies.columns) * (1 + moved)


def _misread(rng: Random, number: int) -> int:
    """Another number, mostly with a digit changed or two neighbours exchanged."""
    digits = list(str(number))
    at = rng.randrange(len(digits))
    if rng.random() < 0.5 and at and digits[at] != digits[at - 1] and (at > 1 or digits[at] != "0"):
        digits[at - 1], digits[at] = digits[at], digits[at - 1]
    else:
        digits[at] = rng.choice([sign for sign in "123456789" if sign != digits[at]])
    return int("".join(digits))


LADDER = (
    Knobs(4, 1, 1, 2, 0.0),
    Knobs(8, 2, 2, 3, 0.7),
    Knobs(14, 2, 3, 4, 1.0),
    Knobs(20, 3, 4, 5, 1.0),
    Knobs(30, 3, 5, 7, 1.0),
)
FAMILY = Family(
    Copies,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs("words", ordered=False),
    hardness=hardness,
    proof="unique",
    solver="comparison, cell by cell",
    guess_rate=0.12,
    steps=steps,
    known=lambda copies: [str(row[0]) for row in copies.rows],
    skills=("comparison", "reading"),
    peers=("reasoning-core/table_equivalence",),
    version=3,
)
