"""Rotation: a matrix after a pipeline of edits: turns, reflections, swaps, removals.

`solve` carries the whole matrix through the edits; `verify` asks of each row and column of the
answer where it comes from, and follows it through the edits backwards, last edit first.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.grid import in_lines, in_rows
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed

Rows = tuple[tuple[int, ...], ...]
Edit = tuple[str, int, int]  # what, and one or two numbers of rows or columns, from 1; else 0

WORDS = {
    "right": "Turn the matrix by 90 degrees clockwise.",
    "left": "Turn the matrix by 90 degrees counterclockwise.",
    "half": "Turn the matrix by 180 degrees.",
    "mirror": "Mirror the matrix left to right: its first column becomes the last.",
    "flip": "Flip the matrix upside down: its first row becomes the last.",
    "transpose": "Transpose the matrix: its first row becomes the first column.",
    "swap rows": "Swap row {} and row {}.",
    "swap columns": "Swap column {} and column {}.",
    "drop row": "Remove row {}.",
    "drop column": "Remove column {}.",
    "shift": "Move every row one place down; the last row becomes the first.",
    "slide": "Move every column one place to the right; the last column becomes the first.",
}
TURNED = {"right", "left", "transpose"}  # these make columns of rows
COUNTED = {what for what, words in WORDS.items() if "{}" in words}
NUMBERS = tuple(range(100))


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the matrix; rows and columns may change places
    columns: int  # of the matrix
    edits: int  # in the pipeline
    mixed: bool  # whether edits other than turns and reflections occur


@dataclass(frozen=True, slots=True)
class Pipeline:
    rows: Rows
    edits: tuple[Edit, ...]


def generate(rng: Random, knobs: Knobs) -> Pipeline | None:
    high, wide = knobs.rows, knobs.columns
    if rng.random() < 0.5:
        high, wide = wide, high
    values = NUMBERS[:10] if high * wide < 30 else NUMBERS
    start = in_rows(tuple(rng.choices(values, k=high * wide)), wide)
    edits: list[Edit] = []
    what = ""
    for _ in range(knobs.edits):
        what = rng.choice(_fresh(what, knobs.mixed, high > 2, wide > 2))
        one = two = 0
        if what in COUNTED:
            count = high if what in ("swap rows", "drop row") else wide
            if what.startswith("drop"):
                one = rng.randint(1, count)
            else:
                one, two = sorted(rng.sample(range(1, count + 1), 2))
        high, wide = _shape(what, high, wide)
        edits.append((what, one, two))
    pipeline = Pipeline(start, tuple(edits))
    return pipeline if solve(pipeline) != start else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(pipeline: Pipeline) -> Rows:
    rows = pipeline.rows
    for edit in pipeline.edits:
        rows = _edited(rows, edit)
    return rows


def verify(pipeline: Pipeline, said: Rows) -> float:
    high, wide = len(pipeline.rows), len(pipeline.rows[0])
    shapes = []  # before each edit
    for what, _, _ in pipeline.edits:
        shapes.append((high, wide))
        high, wide = _shape(what, high, wide)
    if len(said) != high or any(len(row) != wide for row in said):
        return 0.0
    rows, columns, lying = list(range(high)), list(range(wide)), False
    for edit, shape in zip(pipeline.edits[::-1], shapes[::-1]):
        rows, columns, turned = _before(edit, rows, columns, shape)
        lying ^= turned
    lines = map(pipeline.rows.__getitem__, rows)
    origins = [[line[column] for column in columns] for line in lines]
    return float([*map(list, zip(*said) if lying else said)] == origins)


def render(pipeline: Pipeline, style: Style) -> Prompt:
    board = in_lines(pipeline.rows)
    edits = "\n".join([f"{count}. {_told(edit)}" for count, edit in enumerate(pipeline.edits, 1)])
    counted = any(one for _, one, _ in pipeline.edits)
    note = " Rows count from 1 at the top, columns from 1 at the left, at the time of the step."
    return Prompt(
        style.pick(
            f"Start with this matrix:\n\n{board}\n\nCarry out these steps in order, each on the"
            f" result of the one before:\n\n{edits}\n\nWhat is the final matrix?"
            f"{note if counted else ''}",
            f"{board}\n\nEdit the matrix above, one step after the other:\n\n{edits}\n\nEvery step"
            " applies to the matrix as the previous step left it."
            f"{note if counted else ''} Give the matrix that comes out at the end.",
            f"Here is a list of instructions for a matrix.\n\n{edits}\n\nFollow them from the first"
            " to the last, always on the current matrix."
            f"{note if counted else ''} The matrix at the beginning is\n\n{board}\n\nWrite down"
            " the matrix after the last instruction.",
        ),
        form="the final matrix, one row a line, its numbers separated by spaces",
    )


def steps(pipeline: Pipeline) -> list[str]:
    rows, lines = pipeline.rows, []
    for count, edit in enumerate(pipeline.edits, 1):
        rows = _edited(rows, edit)
        lines.append(f"after step {count}: " + " / ".join(" ".join(map(str, row)) for row in rows))
    return lines


def progress(pipeline: Pipeline, lines: Lines) -> float:
    return states_followed(FAMILY, pipeline, lines)


def hardness(pipeline: Pipeline) -> int:
    """Cells to move, edit by edit."""
    return len(pipeline.rows) * len(pipeline.rows[0]) * len(pipeline.edits)


@lru_cache(maxsize=200)
def _fresh(last: str, mixed: bool, high: bool, wide: bool) -> tuple[str, ...]:
    """The edits that are not the last one once more, and leave two rows and two columns."""
    large = {"drop row": high, "drop column": wide}
    whats = list(WORDS) if mixed else list(WORDS)[:6]
    return tuple(what for what in whats if what != last and large.get(what, True))


def _edited(rows: Rows, edit: Edit) -> Rows:
    what, one, two = edit
    match what:
        case "right":
            return tuple(zip(*rows[::-1]))
        case "left":
            return tuple(zip(*rows))[::-1]
        case "half":
            return tuple([row[::-1] for row in rows[::-1]])
        case "mirror":
            return tuple([row[::-1] for row in rows])
        case "flip":
            return rows[::-1]
        case "transpose":
            return tuple(zip(*rows))
        case "swap rows":
            between = rows[one : two - 1]
            return (*rows[: one - 1], rows[two - 1], *between, rows[one - 1], *rows[two:])
        case "drop row":
            return rows[: one - 1] + rows[one:]
        case "shift":
            return rows[-1:] + rows[:-1]
        case "slide":
            return tuple([row[-1:] + row[:-1] for row in rows])
        case "drop column":
            return tuple([row[: one - 1] + row[one:] for row in rows])
        case _:  # of columns what there is of rows
            return tuple(zip(*_edited(tuple(zip(*rows)), ("swap rows", one, two))))


def _before(
    edit: Edit, rows: list[int], columns: list[int], shape: tuple[int, int]
) -> tuple[list[int], list[int], bool]:
    """Where rows and columns were before an edit, and whether each was of the other kind."""
    (what, one, two), (high, wide) = edit, shape
    match what:
        case "right":
            return [high - 1 - column for column in columns], rows, True
        case "left":
            return columns, [wide - 1 - row for row in rows], True
        case "transpose":
            return columns, rows, True
        case "half" | "flip":
            rows = [high - 1 - row for row in rows]
        case "swap rows":
            rows = _swapped(rows, one - 1, two - 1)
        case "swap columns":
            columns = _swapped(columns, one - 1, two - 1)
        case "drop row":
            rows = [row + (row >= one - 1) for row in rows]
        case "drop column":
            columns = [column + (column >= one - 1) for column in columns]
        case "shift":
            rows = [(row - 1) % high for row in rows]
        case "slide":
            columns = [(column - 1) % wide for column in columns]
    if what in ("half", "mirror"):
        columns = [wide - 1 - column for column in columns]
    return rows, columns, False


def _swapped(places: list[int], one: int, two: int) -> list[int]:
    exchanged = {one: two, two: one}
    return [exchanged.get(place, place) for place in places]


def _shape(what: str, high: int, wide: int) -> tuple[int, int]:
    """Rows and columns after an edit."""
    if what in TURNED:
        return wide, high
    return high - (what == "drop row"), wide - (what == "drop column")


@lru_cache(maxsize=1 << 10)
def _told(edit: Edit) -> str:
    what, one, two = edit
    return WORDS[what].format(one, two)


def _notation(pipeline: Pipeline) -> answers.Grid:
    return answers.Grid(digits=all(0 <= number < 10 for row in pipeline.rows for number in row))


LADDER = (
    Knobs(3, 3, 1, False),
    Knobs(4, 4, 3, True),
    Knobs(5, 6, 6, True),
    Knobs(6, 7, 10, True),
    Knobs(8, 9, 16, True),
)
FAMILY = Family(
    Pipeline,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Grid(),
    notation=_notation,
    hardness=hardness,
    proof="unique",
    solver="the edits, on the whole matrix",
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("spatial", "tracking"),
    peers=("reasoning-gym/rotate_matrix", "reasoning-gym/manipulate_matrix"),
)
